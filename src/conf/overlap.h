/* Whether two written addresses mean the same socket. Pure: no look-ups. */
#ifndef CONF_OVERLAP_H
#define CONF_OVERLAP_H

#include <stdbool.h>

#include "base/endpoint.h"
#include "base/must.h"

/*
 * Whether two listeners could not both be bound: the same address however it
 * is spelled, or one of them is the wildcard of the other's family. A v6
 * wildcard leaves v4 alone (listeners are opened with IPV6_V6ONLY).
 */
bool overlap_listeners(const struct endpoint *a, const struct endpoint *b)
    MUST_CHECK;

/*
 * Whether connecting to `server` from this host would reach `listener`, as
 * far as the text tells: equal, or loopback and a wildcard.
 */
bool overlap_loops(const struct endpoint *server,
    const struct endpoint *listener) MUST_CHECK;

#endif
