/*
 * What changes from one placement to the next: which servers came, went,
 * changed their weight or their place, and how much of the hash space (the
 * circle of 2^64 positions) changed owner, in all and from whom to whom.
 *
 * Servers are the same if their names are, byte for byte.
 */
#ifndef RING_RING_UPDATE_H
#define RING_RING_UPDATE_H

#include "ring/placement.h"

/* 0 to 2^64 positions: the whole circle does not fit a uint64_t. */
struct ring_extent {
	uint64_t	positions;	/* 0 when whole */
	bool		is_whole;
};

/* The part of the circle it is, 0 to 1, rounded from the exact number. */
double ring_extent_share(struct ring_extent extent);

/* One server that is not as it was. */
struct ring_change {
	struct span	name;		/* its bytes are the update's */
	uint32_t	old_index;	/* PLACEMENT_NONE: added */
	uint32_t	new_index;	/* PLACEMENT_NONE: removed */
	double		old_weight;	/* 0: added */
	double		new_weight;	/* 0: removed */
	/*
	 * Its rank among the servers that stayed is another. One that merely
	 * moved up because another before it left is not reordered.
	 */
	bool		is_reordered;
};

static inline bool
ring_change_is_added(const struct ring_change *change)
{
	return change->old_index == PLACEMENT_NONE;
}

static inline bool
ring_change_is_removed(const struct ring_change *change)
{
	return change->new_index == PLACEMENT_NONE;
}

static inline bool
ring_change_is_reweighted(const struct ring_change *change)
{
	return !ring_change_is_added(change) &&
	    !ring_change_is_removed(change) &&
	    change->old_weight != change->new_weight;
}

/* Positions that one server handed to another. */
struct ring_flow {
	uint32_t		from;	/* index in the old placement */
	uint32_t		to;	/* index in the new one */
	struct ring_extent	extent;
};

struct ring_update {		/* immutable once built; owns its lists */
	/*
	 * Servers that changed: removed ones first, by their old index, then
	 * the others by their new index.
	 */
	struct ring_change		*changes;
	size_t				 nchanges;
	size_t				 nadded;
	size_t				 nremoved;
	size_t				 nreweighted;
	size_t				 nreordered;
	/* The rule, its hash or another of its options is another one. */
	bool				 is_other_spec;
	/*
	 * A server that stayed as it is holds another number of points, so
	 * keys also move between servers that stayed. The native ring does
	 * this when the greatest common divisor of the weights changes.
	 */
	bool				 is_rescaled;
	/*
	 * Positions that changed owner, and between whom; largest first, and
	 * at most as many as both placements have arcs.
	 */
	struct ring_extent		 moved;
	struct ring_flow		*flows;
	size_t				 nflows;
	/*
	 * True: computed by merging the two circles. False: the rules have
	 * none in common, or their hash reaches only a part of it, and
	 * RING_UPDATE_SAMPLES made-up keys were looked up in both instead
	 * (standard error at most 0.2 % of the space).
	 */
	bool				 is_exact;
	char				*text;	/* the bytes of all names */
};

#define RING_UPDATE_SAMPLES 65536

/*
 * The update from `old_placement` (NULL: there was none, and nothing moves)
 * to `new_placement`, or NULL without memory. Keeps nothing of either; the
 * caller owns it.
 */
struct ring_update *ring_update_between(const struct placement *old_placement,
    const struct placement *new_placement) MUST_CHECK;

/* Frees and nulls; NULL inside is fine. */
void ring_update_free(struct ring_update **update);

#endif
