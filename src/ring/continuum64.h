/*
 * A continuum of 64-bit points, for the rings of others that hash to 64 bits.
 * The counterpart of continuum32.h; the native ring has its own order of
 * points and is in ring.c.
 *
 * Points are added in the order of the rule, then sealed, which sorts them by
 * position; equal ones keep the order in which they were added. After that
 * nothing changes, and look-ups come from any thread and allocate nothing.
 */
#ifndef RING_CONTINUUM64_H
#define RING_CONTINUUM64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

struct continuum64;	/* immutable once sealed */

/* Points a placement may have when its spec does not say. */
#define CONTINUUM64_POINTS_MAX (1u << 20)

/* The largest weight of a server; no cap on points has room for more. */
#define CONTINUUM64_WEIGHT_MAX (UINT64_C(1) << 32)

/* Which of several points with one position a look-up finds. */
enum continuum64_equal {
	CONTINUUM64_KEEP_ALL,	/* the one added first; a walk meets them all */
	CONTINUUM64_KEEP_LAST,	/* the one added last; the others are dropped */
};

/*
 * An empty continuum over the build's servers with room for exactly
 * `npoints`, at least one, or NULL with the error set: more points than
 * spec->max_points allows, or no memory. The figures are checked before
 * anything is allocated. The caller owns it.
 */
struct continuum64 *continuum64_new(const struct rule_build *build,
    uint64_t npoints) MUST_CHECK;

/* One more point; all that were asked for must be added before sealing. */
void continuum64_add(struct continuum64 *ring, uint64_t position,
    uint32_t owner);

/*
 * Sorts the points and makes look-ups fast. On false (no memory) the error is
 * set, and the continuum is good for nothing but freeing.
 */
bool continuum64_seal(struct continuum64 *ring, enum continuum64_equal equal,
    const struct rule_build *build) MUST_CHECK;

/* Frees and nulls; NULL inside is fine. */
void continuum64_free(struct continuum64 **ring);

/* Number of points, at least one. */
size_t continuum64_count(const struct continuum64 *ring);

/* Bytes of the points, which hold the index. */
size_t continuum64_bytes(const struct continuum64 *ring);

/* Position and owner of the i-th point in ring order. */
uint64_t continuum64_position(const struct continuum64 *ring, size_t i);
uint32_t continuum64_point_owner(const struct continuum64 *ring, size_t i);

/* Number of the first point at or after `hash`, else the first of all. */
size_t continuum64_successor(const struct continuum64 *ring, uint64_t hash);

/* Owner of the successor. */
uint32_t continuum64_owner(const struct continuum64 *ring, uint64_t hash);

/*
 * Calls `visit` with the owner of each point, clockwise from the `first`-th,
 * once round, until it returns true. Whether it did.
 */
bool continuum64_walk(const struct continuum64 *ring, size_t first,
    bool (*visit)(void *arg, uint32_t server), void *arg);

/*
 * The arcs in which hashes go to their successors, for placement_rule.arc;
 * equal points come as arcs of no length.
 */
bool continuum64_arc(const struct continuum64 *ring, size_t i,
    struct placement_arc *arc_r);

/* Points of one server, of those that are left. */
uint64_t continuum64_points(const struct continuum64 *ring, uint32_t server);

#endif
