/*
 * A placement like another one, with one server more, fewer or of another
 * weight: for tools that ask what such a step would move, and for tests.
 *
 * Each builds anew and leaves the other placement alone; results and failures
 * are placement_build()'s.
 */
#ifndef RING_PLACEMENT_CHANGE_H
#define RING_PLACEMENT_CHANGE_H

#include "ring/placement.h"

/* `added`, lent for the call, comes last. */
struct placement *placement_with(const struct placement *placement,
    const struct placement_server *added, enum placement_error *error_r,
    struct err *err) MUST_CHECK;

/* The server at `index` is left out; the others close up. */
struct placement *placement_without(const struct placement *placement,
    size_t index, enum placement_error *error_r, struct err *err) MUST_CHECK;

/* The server at `index` weighs `weight`. */
struct placement *placement_reweighted(const struct placement *placement,
    size_t index, double weight, enum placement_error *error_r,
    struct err *err) MUST_CHECK;

#endif
