/*
 * The native placement: a ring of points, normalised_weight x
 * points_per_weight of them a server, where a key belongs to the first point
 * at or clockwise from its hash.
 *
 * Placement.h is the way in for everyone outside ring/; this is for what
 * needs the ring itself: its arcs, its points, positions instead of keys.
 * Immutable after build; any thread; look-ups never allocate.
 */
#ifndef RING_RING_H
#define RING_RING_H

#include "ring/placement.h"

#define RING_POINTS_PER_WEIGHT 128
#define RING_MAX_POINTS	       1048576

struct ring;

/*
 * A ring over `n` >= 1 servers with distinct names, or NULL. Weights are
 * whole numbers of at least 1 and count only by their proportion. Nothing is
 * allocated for more points than the cap allows.
 */
struct ring *ring_build(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n,
    enum placement_error *error_r, struct err *err) MUST_CHECK;

void ring_free(struct ring **ring);

/* Index of the owner of `key`, every byte of which counts. */
uint32_t ring_owner(const struct ring *ring, struct span key);

/* The same for a position on the circle. */
uint32_t ring_owner_at(const struct ring *ring, uint64_t position);

/* Owners of the points from `key` on, once round, until `visit` is true. */
void ring_walk(const struct ring *ring, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg);

/* Points in all. */
size_t ring_points(const struct ring *ring);

/* The i-th point in clockwise order: its position and its server. */
uint64_t ring_point_position(const struct ring *ring, size_t i);
uint32_t ring_point_owner(const struct ring *ring, size_t i);

/* Points of one server. */
uint64_t ring_server_points(const struct ring *ring, uint32_t server);

/* The greatest common divisor of the weights it was built with. */
uint64_t ring_divisor(const struct ring *ring);

/* Bytes the ring keeps for its points, the index included. */
size_t ring_bytes(const struct ring *ring);

#endif
