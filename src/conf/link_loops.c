/*
 * Listeners whose requests come back to them, at once or by way of others.
 *
 * A server may be another listener of this process, and where such a chain
 * goes depends on the key: one that no key takes all around is no loop. Where
 * keys go round, the longest prefix that sends them on belongs to a route to
 * another listener, or there is none. So it is enough to look at the keys that
 * begin with each such prefix, and at those that begin with none.
 */
#include <stdint.h>

#include "conf/link.h"
#include "conf/overlap.h"

/* Listeners, a bit each, by their index. */
#define BIT(i) (UINT64_C(1) << (i))
_Static_assert(CONF_LISTENERS_MAX <= 64, "a bit each");

#define NO_POOL SIZE_MAX

struct loops {
	struct checker		*checker;
	const struct conf	*conf;
	uint64_t		*leads;		/* each pool's servers are */
	uint64_t		*told;		/* of those, told of */
};

/* The listeners that a server is. */
static uint64_t
listeners_at(const struct conf *conf, const struct conf_server *server)
{
	uint64_t found = 0;

	for (size_t i = 0; i < conf->nlisteners; i++) {
		const struct conf_listener *listener = &conf->listeners[i];

		if (server->address != NULL && listener->listen != NULL &&
		    overlap_loops(&server->endpoint, &listener->endpoint))
			found |= BIT(i);
	}
	return found;
}

static uint64_t
find_leads(const struct conf *conf, const struct conf_pool *pool)
{
	uint64_t found = 0;

	for (size_t i = 0; i < pool->nservers; i++)
		found |= listeners_at(conf, &pool->servers[i]);
	return found;
}

static size_t
gutter_of(const struct conf_pool *pool)
{
	return pool->on_down == CONF_ON_DOWN_GUTTER &&
	    pool->gutter_name != NULL ? pool->gutter : NO_POOL;
}

/* Where a listener sends keys that begin with `prefix`, and no further. */
static size_t
pool_for(const struct conf_listener *listener, struct span prefix)
{
	for (size_t i = 0; i < listener->nroutes; i++) {
		const struct conf_route *route = &listener->routes[i];

		if (route->prefix != NULL && span_starts(prefix,
		    span_of(route->prefix, route->prefix_len)))
			return route->pool_name != NULL ? route->pool :
			    NO_POOL;
	}
	return listener->pool_name != NULL ? listener->pool : NO_POOL;
}

/* The listeners that a pool sends requests on to. */
static uint64_t
next_of(const struct loops *loops, size_t pool)
{
	size_t gutter;

	if (pool == NO_POOL)
		return 0;
	gutter = gutter_of(&loops->conf->pools[pool]);
	return loops->leads[pool] |
	    (gutter == NO_POOL ? 0 : loops->leads[gutter]);
}

/* Complains about the pool's servers that are one of `listeners`. */
static void
tell(struct loops *loops, size_t index, uint64_t listeners)
{
	const struct conf *conf = loops->conf;
	const struct conf_pool *pool = &conf->pools[index];

	listeners &= loops->leads[index] & ~loops->told[index];
	loops->told[index] |= listeners;
	for (size_t i = 0; i < pool->nservers && listeners != 0; i++) {
		const struct conf_server *server = &pool->servers[i];
		uint64_t found = listeners_at(conf, server) & listeners;

		if (found == 0)
			continue;
		errors_add(loops->checker->errors, server->place, "the server "
		    "%s of pool \"%s\" is the listener at line %u, which "
		    "sends requests to this pool: they would never end",
		    server->address, pool->name,
		    conf->listeners[__builtin_ctzll(found)].place.line);
	}
}

/* The same for keys that begin with `prefix`, and no further. */
static void
check_keys(struct loops *loops, struct span prefix)
{
	const struct conf *conf = loops->conf;
	uint64_t reach[CONF_LISTENERS_MAX], back;
	size_t n = conf->nlisteners, pool, gutter;

	for (size_t i = 0; i < n; i++)
		reach[i] = next_of(loops, pool_for(&conf->listeners[i],
		    prefix));
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < n; i++) {
			if (reach[i] & BIT(k))
				reach[i] |= reach[k];
		}
	}
	for (size_t i = 0; i < n; i++) {
		if ((reach[i] & BIT(i)) == 0)
			continue;
		back = 0;
		for (size_t k = 0; k < n; k++)
			back |= reach[k] & BIT(i) ? BIT(k) : 0;
		pool = pool_for(&conf->listeners[i], prefix);
		gutter = gutter_of(&conf->pools[pool]);
		tell(loops, pool, back);
		if (gutter != NO_POOL)
			tell(loops, gutter, back);
	}
}

/* Those of the listener's routes that go on to another listener. */
static void
check_routes(struct loops *loops, const struct conf_listener *listener)
{
	for (size_t i = 0; i < listener->nroutes; i++) {
		const struct conf_route *route = &listener->routes[i];

		if (route->prefix != NULL && route->pool_name != NULL &&
		    next_of(loops, route->pool) != 0)
			check_keys(loops, span_of(route->prefix,
			    route->prefix_len));
	}
}

void
link_loops(struct checker *c, const struct conf *conf)
{
	struct loops loops = {.checker = c, .conf = conf};
	uint64_t any = 0;

	/* Which has a complaint of its own. */
	if (conf->npools == 0 || conf->nlisteners > CONF_LISTENERS_MAX)
		return;
	loops.leads = arena_alloc(c->scratch, conf->npools, sizeof(uint64_t));
	loops.told = arena_alloc(c->scratch, conf->npools, sizeof(uint64_t));
	if (loops.leads == NULL || loops.told == NULL) {
		errors_out_of_memory(c->errors);
		return;
	}
	for (size_t i = 0; i < conf->npools; i++)
		any |= loops.leads[i] = find_leads(conf, &conf->pools[i]);
	if (any == 0)
		return;
	check_keys(&loops, span_of("", 0));
	for (size_t i = 0; i < conf->nlisteners; i++)
		check_routes(&loops, &conf->listeners[i]);
}
