/*
 * What changes from one routing table to the next, pool by pool: for the log,
 * the audit trail and whoever asks what a reload did. Counts and shares only;
 * `fairlead plan` has the pairs of servers, too.
 */
#ifndef ROUTE_TABLE_DIFF_H
#define ROUTE_TABLE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "route/table.h"

/* Servers, told apart by their names. */
struct table_diff_counts {
	size_t	added;
	size_t	removed;
	size_t	reweighted;
	size_t	reordered;	/* another rank among those that stay */
	size_t	readdressed;	/* the same name at another address */
};

enum table_diff_kind {
	TABLE_DIFF_ADDED,	/* the pool is new, with all its servers */
	TABLE_DIFF_REMOVED,	/* the pool is gone, with all its servers */
	TABLE_DIFF_CHANGED,
};

/* A pool whose members or placement are not what they were. */
struct table_diff_pool {
	const char		*name;		/* the diff's own */
	enum table_diff_kind	 kind;
	size_t			 nservers;	/* now; 0 if it is gone */
	struct table_diff_counts counts;
	/* Part of the hash space with another owner, 0 to 1, if CHANGED. */
	double			 moved;
	bool			 is_exact;	/* else estimated by samples */
	bool			 is_rescaled;	/* see struct ring_update */
	bool			 is_other_spec;	/* another rule or option */
	uint64_t		 membership;	/* now; 0 if it is gone */
};

struct table_diff {		/* immutable; owns all it points at */
	struct table_diff_pool	 *pools;	/* new order, then those gone */
	size_t			  npools;
	struct table_diff_counts  sum;		/* over `pools` */
	double			  moved_most;	/* the largest `moved` */
};

/*
 * From `old` to `new`; NULL without memory. Keeps nothing of either. Takes
 * some ten milliseconds for a ring of a million points that changed.
 */
struct table_diff *table_diff_new(const struct table *old,
    const struct table *new) MUST_CHECK;

/* Frees and nulls; NULL inside is fine. */
void table_diff_free(struct table_diff **diff);

#endif
