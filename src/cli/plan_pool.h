/*
 * What a reload would do to one pool: its servers matched, the hash space
 * that moves, and how much of that need not have.
 */
#ifndef CLI_PLAN_POOL_H
#define CLI_PLAN_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/must.h"
#include "ring/ring_update.h"
#include "route/table.h"

/*
 * A server of the old membership, of the new one, or of both: with the same
 * name, or else with the same address.
 */
struct plan_server {
	const struct conf_server	*before;	/* NULL: added */
	const struct conf_server	*after;		/* NULL: removed */
	bool				 is_renamed;	/* the same address */
	bool				 is_readdressed; /* the same name */
	bool				 is_reweighted;
	/* Its rank among those that stay is another one. */
	bool				 is_reordered;
	/* Of the hash space; 0 on the side where it is not. */
	double				 old_share;
	double				 new_share;
};

struct plan_pool {		/* embedded; all in it is lent by the tables */
	const struct pool	*before;	/* NULL: the pool is added */
	const struct pool	*after;		/* NULL: it is removed */
	/* Owned: removed ones first, then all in the new order. */
	struct plan_server	*servers;
	size_t			 nservers;
	/* Owned: of the i-th old server, of the i-th new one: its index. */
	size_t			*row_of_old;
	size_t			*row_of_new;
	/* Owned; NULL if the pool is new, gone, or placed as before. */
	struct ring_update	*update;
	/* Whether shares come from arcs, or from made-up keys. */
	bool			 is_exact;
	/* Parts of the hash space: that get another server, ... */
	double			 moved;
	/* ... and that get another address. */
	double			 elsewhere;
	/* What must move by the weights alone, had each its exact share. */
	double			 ideal;
	/* All of `moved` beyond what each server lost or won in sum. */
	double			 needless;
};

/*
 * Compares; either pool may be NULL, not both. False without memory. Call
 * plan_pool_fini() anyway.
 */
bool plan_pool_init(struct plan_pool *plan, const struct pool *before,
    const struct pool *after) MUST_CHECK;

void plan_pool_fini(struct plan_pool *plan);

/* Whether servers, their order or their shares would be others. */
bool plan_pool_has_changes(const struct plan_pool *plan);

/* Who hands how much to whom, the largest part first. Names are lent. */
struct plan_flow {
	const char	*from;
	const char	*to;
	double		 share;
};

/*
 * Calls `visit` for each pair of servers of which one hands keys to the
 * other.
 */
void plan_pool_visit_flows(const struct plan_pool *plan,
    void (*visit)(void *arg, const struct plan_flow *flow), void *arg);

/* Reasons for moves that were needless. */
#define PLAN_WHYS(X)                                                           \
	X(SETTINGS, "settings")                                                \
	X(RENAMED, "renamed")                                                  \
	X(DIVISOR, "divisor")                                                  \
	X(NORMALISED, "normalised")                                            \
	X(SWITCHED, "switched")                                                \
	X(POSITION, "position")                                                \
	X(EXCHANGE, "exchange")                                                \
	X(COLLISION, "collision")

enum plan_why {
#define X(member, name) PLAN_WHY_##member,
	PLAN_WHYS(X)
#undef X
};

#define PLAN_WHY_COUNT_ONE(member, name) +1
enum { PLAN_WHY_COUNT = 0 PLAN_WHYS(PLAN_WHY_COUNT_ONE) };

/* The word for programs: "divisor". */
const char *plan_why_name(enum plan_why why);

/* Whether this is a reason here; the sentence for a person in `words_r`. */
bool plan_pool_why(const struct plan_pool *plan, enum plan_why why,
    struct err *words_r) MUST_CHECK;

#endif
