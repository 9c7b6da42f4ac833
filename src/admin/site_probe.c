/*
 * Probes: /-/healthy says that the process works, /-/ready that it serves.
 * Neither asks about servers unless told to: a cache that is down must not
 * take the applications before it down.
 */
#include "admin/site.h"

#include <event2/buffer.h>

void
site_healthy(void *arg, struct http_call *call)
{
	struct admin_view view = site_look(arg);
	size_t nstuck = 0;

	for (size_t i = 0; i < view.proxy->nworkers; i++) {
		uint64_t ms = pulse_silent_ms(view.pulse, i, view.now_ms);

		if (ms < PULSE_LIMIT_MS)
			continue;
		nstuck++;
		evbuffer_add_printf(http_body(call), "worker %zu is stuck: "
		    "its loop has not turned for %llu ms\n", i,
		    (unsigned long long)ms);
	}
	if (nstuck > 0)
		http_answer(call, 503, SITE_TEXT);
	else
		http_say(call, 200, "healthy");
}

/* One that is used on although it looks dead is none. */
static bool
has_server_up(const struct pool *pool)
{
	for (size_t i = 0; i < pool->nservers; i++) {
		if (server_is_up(pool->servers[i]) &&
		    !server_is_suspect(pool->servers[i]))
			return true;
	}
	return false;
}

void
site_ready(void *arg, struct http_call *call)
{
	struct admin_view view = site_look(arg);
	bool asks_servers = http_flag(call, "servers");
	size_t ndown = 0;

	if (view.is_draining) {
		http_say(call, 503, "draining: the process is about to end");
		return;
	}
	for (size_t i = 0; asks_servers && i < view.table->npools; i++) {
		if (has_server_up(&view.table->pools[i]))
			continue;
		ndown++;
		evbuffer_add_printf(http_body(call),
		    "pool %s has no server that is up\n",
		    view.table->pools[i].name);
	}
	if (ndown > 0)
		http_answer(call, 503, SITE_TEXT);
	else
		http_say(call, 200, "ready");
}
