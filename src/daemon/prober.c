/* Probing servers that are down. */
#include "daemon/prober.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <string.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "base/due.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/want.h"
#include "proto/answer.h"

/* How often the times of probes are looked at, while there are any. */
#define TICK_MS 20

#define REQUEST "version\r\n"
#define ANSWER  "VERSION "

/*
 * One has a time to end of its own: libevent drops a time-out along with an
 * event that it could not register, and says nothing of it.
 */
struct probe {
	LIST_ENTRY(probe)	 next;
	uint64_t		 end_ms;
	struct prober		*prober;
	struct server		*server;	/* one reference */
	struct bufferevent	*bev;
};

struct prober {
	struct event_base	*base;
	struct event		*tick;
	struct due		 due;		/* the tick */
	struct table		*table;		/* one reference */
	LIST_HEAD(, probe)	 under_way;
	struct probe		*probes[SERVER_IDS_MAX];	/* the same */
	uint32_t		 random;
	void			(*on_failure)(void *arg);
	void			*arg;
};

static uint32_t
next_random(struct prober *prober)
{
	prober->random = prober->random * 1664525u + 1013904223u;
	return prober->random >> 8;
}

static void
probe_free(struct probe *probe)
{
	probe->prober->probes[probe->server->id] = NULL;
	LIST_REMOVE(probe, next);
	if (probe->bev != NULL)
		bufferevent_free(probe->bev);
	server_unref(&probe->server);
	mem_free(probe);
}

static void
end_probe(struct probe *probe, const char *failure)
{
	struct prober *prober = probe->prober;
	struct server *server = probe->server;
	uint64_t now_ms = clock_now_ms();

	if (failure == NULL) {
		health_probe_succeeded(&server->health);
		log_info("server %s answers again: on trial pool=%s",
		    server->name, server->pool);
	} else {
		health_probe_failed(&server->health, now_ms,
		    next_random(prober));
		log_info("server %s is still down: %s pool=%s "
		    "next_probe_ms=%llu", server->name, failure, server->pool,
		    (unsigned long long)(health_probe_at_ms(&server->health) -
		    now_ms));
	}
	probe_free(probe);
	if (failure != NULL)
		prober->on_failure(prober->arg);
}

/* A want of ours says nothing of the server. */
static void
postpone_probe(struct probe *probe, int error)
{
	struct server *server = probe->server;

	health_postpone_probe(&server->health, clock_now_ms());
	log_warn("server %s cannot be probed: %s pool=%s", server->name,
	    strerror(error), server->pool);
	probe_free(probe);
}

static void
on_readable(struct bufferevent *bev, void *arg)
{
	struct evbuffer *in = bufferevent_get_input(bev);
	char start[sizeof(ANSWER) - 1];

	if (evbuffer_get_length(in) < sizeof(start))
		return;
	evbuffer_copyout(in, start, sizeof(start));
	end_probe(arg, memcmp(start, ANSWER, sizeof(start)) == 0 ? NULL :
	    memcmp(start, ANSWER_TOO_MANY, sizeof(start)) == 0 ?
	    "it takes no more connections" :
	    "the probe's answer makes no sense");
}

static void
on_event(struct bufferevent *bev, short events, void *arg)
{
	(void)bev;
	if ((events & BEV_EVENT_CONNECTED) == 0)
		end_probe(arg, "cannot connect");
}

static struct probe *
probe_new(struct prober *prober, struct server *server)
{
	struct probe *probe = mem_zalloc(1, sizeof(*probe));

	if (probe == NULL)
		return NULL;
	probe->prober = prober;
	probe->server = server_ref(server);
	prober->probes[server->id] = probe;
	LIST_INSERT_HEAD(&prober->under_way, probe, next);
	probe->bev = bufferevent_socket_new(prober->base, -1,
	    BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
	if (probe->bev == NULL) {
		probe_free(probe);
		return NULL;
	}
	return probe;
}

static void
start_probe(struct prober *prober, struct server *server, uint64_t end_ms)
{
	struct probe *probe = probe_new(prober, server);
	struct server_address address;

	if (probe == NULL)
		return;
	probe->end_ms = end_ms;
	if (!server_address(server, &address)) {
		end_probe(probe, "its host name is not resolved");
		return;
	}
	bufferevent_setcb(probe->bev, on_readable, NULL, on_event, probe);
	errno = 0;
	if (bufferevent_enable(probe->bev, EV_READ) != 0 ||
	    bufferevent_write(probe->bev, REQUEST, sizeof(REQUEST) - 1) != 0 ||
	    bufferevent_socket_connect(probe->bev,
	    (struct sockaddr *)&address.ss, (int)address.len) == 0)
		return;
	if (want_is_ours(errno))
		postpone_probe(probe, errno);
	else
		end_probe(probe, "cannot connect");
}

/* True if some server of the pool is down. */
static bool
visit_pool(struct prober *prober, const struct pool *pool, uint64_t now_ms)
{
	bool any_down = false;

	for (size_t i = 0; i < pool->nservers; i++) {
		struct server *server = pool->servers[i];

		if (health_state(&server->health) != HEALTH_DOWN)
			continue;
		any_down = true;
		if (prober->probes[server->id] == NULL &&
		    now_ms >= health_probe_at_ms(&server->health))
			start_probe(prober, server, now_ms +
			    pool->policy.request_timeout_ms);
	}
	return any_down;
}

static void
end_overdue(struct prober *prober, uint64_t now_ms)
{
	struct probe *probe, *next;

	if (due_is_late(&prober->due, now_ms))
		return;
	for (probe = LIST_FIRST(&prober->under_way); probe != NULL;
	    probe = next) {
		next = LIST_NEXT(probe, next);
		if (now_ms >= probe->end_ms)
			end_probe(probe, "the probe timed out");
	}
}

void
prober_wake(struct prober *prober)
{
	struct timeval tv = {.tv_usec = TICK_MS * 1000};
	uint64_t now_ms = clock_now_ms();
	bool any_down = false;

	end_overdue(prober, now_ms);
	for (size_t i = 0; i < prober->table->npools; i++)
		any_down |= visit_pool(prober, &prober->table->pools[i],
		    now_ms);
	prober->due.at_ms = 0;
	if (!any_down && LIST_EMPTY(&prober->under_way))
		return;
	prober->due.at_ms = now_ms + TICK_MS;
	if (event_add(prober->tick, &tv) == 0)
		return;
	/* Without it no server would be probed again: as soon as can be. */
	log_debug("a timer could not be set: out of memory");
	event_active(prober->tick, EV_TIMEOUT, 0);
}

static void
on_tick(evutil_socket_t fd, short events, void *arg)
{
	(void)fd;
	(void)events;
	prober_wake(arg);
}

struct prober *
prober_new(struct event_base *base, void (*on_failure)(void *arg), void *arg)
{
	struct prober *prober = mem_zalloc(1, sizeof(*prober));

	if (prober == NULL)
		return NULL;
	prober->base = base;
	prober->on_failure = on_failure;
	prober->arg = arg;
	prober->random = (uint32_t)clock_now_us();
	prober->tick = event_new(base, -1, 0, on_tick, prober);
	if (prober->tick == NULL) {
		mem_free(prober);
		return NULL;
	}
	return prober;
}

void
prober_set_table(struct prober *prober, struct table *table)
{
	table_unref(&prober->table);
	prober->table = table_ref(table);
	prober_wake(prober);
}

void
prober_free(struct prober **proberp)
{
	struct prober *prober = *proberp;

	*proberp = NULL;
	if (prober == NULL)
		return;
	for (uint32_t id = 0; id < SERVER_IDS_MAX; id++) {
		if (prober->probes[id] != NULL)
			probe_free(prober->probes[id]);
	}
	event_free(prober->tick);
	table_unref(&prober->table);
	mem_free(prober);
}
