/*
 * twemproxy's answer to a server that is down, for those who ask for it by
 * name. Our own answer never moves a living server's keys.
 */
#ifndef RING_TWEMPROXY_H
#define RING_TWEMPROXY_H

#include <stdbool.h>

#include "base/err.h"
#include "base/must.h"
#include "ring/placement.h"

/*
 * What a twemproxy pool with auto_eject_hosts makes of `whole` once the
 * servers with `is_ejected[index]` are out: the placement of those that live,
 * in their order, with indexes of its own (placement_server_at() tells who is
 * who). Weights are normalised over the living alone, so keys may move from
 * one living server to another. NULL with the error as placement_build() has
 * it, also when nobody lives. The caller owns it; it needs `whole` no longer.
 */
struct placement *twemproxy_eject(const struct placement *whole,
    const bool *is_ejected, enum placement_error *error_r, struct err *err)
    MUST_CHECK;

#endif
