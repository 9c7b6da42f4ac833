/*
 * The members of a pool while a ketama ring is being built from them: the
 * name that is hashed, the weight, the number of points.
 *
 * Lives for one build. A rule spells the names, decides the points, puts the
 * members in its own order if it has one, and makes the ring.
 */
#ifndef RING_KETAMA_MEMBERS_H
#define RING_KETAMA_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "ring/continuum32.h"
#include "ring/hashes.h"
#include "ring/ketama_name.h"
#include "ring/rule_check.h"

/* The most points one member may ask for (or none); no ring holds so many. */
#define KETAMA_POINTS_MAX (UINT64_C(1) << 40)

struct ketama_member {
	char		*text;		/* lent: its name, room for a counter */
	size_t		 len;		/* of the name */
	uint32_t	 server;	/* index in the configuration */
	uint32_t	 weight;	/* rounded down to a whole number */
	uint64_t	 npoints;	/* <= KETAMA_POINTS_MAX, may be 0 */
};

struct ketama_members {
	const struct rule_build	*build;	/* lent, outlives us */
	struct ketama_member	*list;	/* owned */
	size_t			 n;
	char			*text;	/* owned */
};

/*
 * Every server of `build` with its name spelled and its weight rounded down
 * to a whole number. On false the error is set: no memory, or two servers
 * that would be spelled alike.
 */
bool ketama_members_init(struct ketama_members *members,
    const struct rule_build *build, enum ketama_spelling spelling) MUST_CHECK;

void ketama_members_fini(struct ketama_members *members);

/*
 * The name of the member's `counter`-th point: its name, the separator, the
 * number. Lent until the next call.
 */
struct span ketama_point_name(const struct ketama_member *member,
    char separator, uint64_t counter);

/*
 * The ring of all members' points, from MD5: digest r of "name-r" gives four
 * points, its little-endian words. Each npoints is a multiple of four. Points
 * of equal value keep the members' order. NULL with the error set: too many
 * points, or no memory.
 */
struct continuum32 *ketama_ring_md5(const struct ketama_members *members)
    MUST_CHECK;

/* The same with one point a name, its hash by `hash`. */
struct continuum32 *ketama_ring_hashed(const struct ketama_members *members,
    hashes_fn *hash) MUST_CHECK;

/*
 * 4 * floor(x) as a number of points; what is no number or out of all bounds
 * gives KETAMA_POINTS_MAX.
 */
uint64_t ketama_four_times_floor(float x);

#endif
