/*
 * A continuum of 32-bit points: the ring of every placement that is not ours.
 *
 * Points are added in the order of the rule, then sealed, which sorts them by
 * value; points of equal value keep the order in which they were added. After
 * that nothing changes, and look-ups come from any thread and allocate
 * nothing. What a point's value is made of is the rule's business.
 */
#ifndef RING_CONTINUUM32_H
#define RING_CONTINUUM32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"
#include "ring/placement.h"

struct continuum32;	/* immutable once sealed */
struct placement_arc;

/* Points a placement may have when its spec does not say. */
#define CONTINUUM32_POINTS_MAX (1u << 20)

/* Which of several points with one value a look-up finds. */
enum continuum32_equal {
	CONTINUUM32_KEEP_ALL,	/* the one added first; a walk meets them all */
	CONTINUUM32_KEEP_LAST,	/* the one added last; the others are dropped */
};

/*
 * An empty continuum with room for exactly `npoints`, or NULL: there are more
 * than spec->max_points allows, none at all, or no memory; `error_r` and `err`
 * then say which. The figures are checked before anything is allocated. The
 * caller owns it.
 */
struct continuum32 *continuum32_new(const struct placement_spec *spec,
    uint64_t npoints, enum placement_error *error_r, struct err *err)
    MUST_CHECK;

/* One more point; all that were asked for must be added before sealing. */
void continuum32_add(struct continuum32 *ring, uint32_t value, uint32_t owner);

/*
 * Sorts the points and makes look-ups fast. On false (no memory) `error_r`
 * and `err` are set, and the continuum is good for nothing but freeing.
 */
bool continuum32_seal(struct continuum32 *ring, enum continuum32_equal equal,
    enum placement_error *error_r, struct err *err) MUST_CHECK;

/* Frees and nulls; NULL inside is fine. */
void continuum32_free(struct continuum32 **ring);

/* Number of points, at least one. */
size_t continuum32_count(const struct continuum32 *ring);

/* Bytes of the points and the index; of a sealed one. */
size_t continuum32_bytes(const struct continuum32 *ring);

/* Value and owner of the i-th point in ring order. */
uint32_t continuum32_value(const struct continuum32 *ring, size_t i);
uint32_t continuum32_point_owner(const struct continuum32 *ring, size_t i);

/* Number of the first point whose value is >= `hash`, else the first of all. */
size_t continuum32_successor(const struct continuum32 *ring, uint32_t hash);

/*
 * Number of the last point whose value is <= `hash`, else the last of all; of
 * equal points the one that was added last.
 */
size_t continuum32_predecessor(const struct continuum32 *ring, uint32_t hash);

/* Owner of the successor. */
uint32_t continuum32_owner(const struct continuum32 *ring, uint32_t hash);

/*
 * Calls `visit` with the owner of each point, clockwise from the `first`-th,
 * once round, until it returns true. Whether it did.
 */
bool continuum32_walk(const struct continuum32 *ring, size_t first,
    bool (*visit)(void *arg, uint32_t server), void *arg);

/*
 * The arcs in which hashes go to their successors, for placement_rule.arc;
 * equal points come as arcs of no length.
 */
bool continuum32_arc(const struct continuum32 *ring, size_t i,
    struct placement_arc *arc_r);

#endif
