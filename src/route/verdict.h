/*
 * The verdict on a server that failed: its breaker, and how many servers its
 * pool can spare.
 *
 * Where most servers of a pool look dead, it is rather this host's network
 * that is: then the rest are used on, whatever becomes of their requests. The
 * number of a pool's servers that are down never comes to rest above
 * policy.max_down, however many workers decide at one moment. A server has a
 * pool of its own, so an address in two pools is judged in each by itself.
 */
#ifndef ROUTE_VERDICT_H
#define ROUTE_VERDICT_H

#include <stdint.h>

#include "route/table.h"

enum verdict {
	VERDICT_NONE,	/* nothing new, or another thread's to report */
	VERDICT_DOWN,	/* the server is down from now on */
	VERDICT_SPARED,	/* it ought to be, but its pool cannot spare it */
};

/*
 * A request failed by the server's fault. `pool` is its pool in the present
 * table, NULL if there is none any more. `jitter` is any random number. Any
 * thread.
 */
enum verdict verdict_failed(struct server *server, const struct pool *pool,
    uint64_t now_ms, uint32_t jitter) MUST_CHECK;

#endif
