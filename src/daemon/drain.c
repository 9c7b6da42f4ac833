/* Waiting until the last client has left. */
#include "daemon/drain.h"

#include <event2/event.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

/* How often it looks. */
#define TICK_MS 20

struct drain {
	const struct proxy	*proxy;		/* lent */
	struct event		*tick;
	uint64_t		 until_ms;	/* 0: not begun */
	void			(*on_over)(void *arg);
	void			*arg;
};

static void
on_tick(evutil_socket_t fd, short events, void *arg)
{
	struct drain *drain = arg;
	uint64_t nclients = atomic_load_explicit(&drain->proxy->nclients,
	    memory_order_relaxed);

	(void)fd;
	(void)events;
	if (nclients > 0 && clock_now_ms() < drain->until_ms)
		return;
	log_info("shutting down: %s clients=%llu", nclients == 0 ?
	    "the last client left" : "shutdown_timeout is over",
	    (unsigned long long)nclients);
	event_del(drain->tick);
	drain->on_over(drain->arg);
}

struct drain *
drain_new(struct event_base *base, const struct proxy *proxy,
    void (*on_over)(void *arg), void *arg)
{
	struct drain *drain = mem_zalloc(1, sizeof(*drain));

	if (drain == NULL)
		return NULL;
	drain->proxy = proxy;
	drain->on_over = on_over;
	drain->arg = arg;
	drain->tick = event_new(base, -1, EV_PERSIST, on_tick, drain);
	if (drain->tick == NULL)
		drain_free(&drain);
	return drain;
}

void
drain_start(struct drain *drain, uint64_t timeout_ms)
{
	struct timeval tv = {.tv_usec = TICK_MS * 1000};

	drain->until_ms = clock_now_ms() + timeout_ms;
	log_info("draining: serving until the last client leaves "
	    "shutdown_timeout_ms=%llu", (unsigned long long)timeout_ms);
	if (event_add(drain->tick, &tv) != 0)
		drain->on_over(drain->arg);
}

bool
drain_is_on(const struct drain *drain)
{
	return drain->until_ms != 0;
}

void
drain_free(struct drain **drain)
{
	if (*drain == NULL)
		return;
	if ((*drain)->tick != NULL)
		event_free((*drain)->tick);
	mem_free(*drain);
	*drain = NULL;
}
