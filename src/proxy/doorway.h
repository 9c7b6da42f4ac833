/*
 * Doorways: a listener as its clients know it. They keep the one they came
 * by, also when a reload has closed it for others.
 */
#ifndef PROXY_DOORWAY_H
#define PROXY_DOORWAY_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proxy/env.h"

/* Lives until the workers have ended. */
struct doorway {
	TAILQ_ENTRY(doorway)	 next;		/* these two: main thread */
	uint64_t		 naccepted;	/* clients, ever */
	const char		*listen;	/* as written; immutable */
	_Atomic uint64_t	 nclients;	/* connected; any thread */
};

TAILQ_HEAD(doorway_list, doorway);

/* Counts a client that is about to be handed to a worker. Main thread. */
static inline void
doorway_enter(struct doorway *doorway, struct proxy *proxy)
{
	doorway->naccepted++;
	atomic_fetch_add_explicit(&doorway->nclients, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&proxy->nclients, 1, memory_order_relaxed);
}

/* It has gone, or never came to be one. Any thread. */
static inline void
doorway_leave(struct doorway *doorway, struct proxy *proxy)
{
	atomic_fetch_sub_explicit(&doorway->nclients, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&proxy->nclients, 1, memory_order_relaxed);
}

#endif
