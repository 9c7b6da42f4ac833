/* Entrances of listeners, present and removed. */
#include "route/entrance.h"

#include <string.h>

#include "base/mem.h"

/* The index of a pool that the table has no more. */
#define NO_POOL SIZE_MAX

/* The pool of `table` that is called as number `i` of `old` was. */
static size_t
same_pool(const struct table *table, const struct table *old, size_t i)
{
	const struct pool *pool = i == NO_POOL ? NULL :
	    table_pool_by_name(table, old->pools[i].name);

	return pool == NULL ? NO_POOL : (size_t)(pool - table->pools);
}

static size_t
stray_size(const struct entrance *from)
{
	size_t size = from->nroutes * sizeof(*from->routes) +
	    strlen(from->listen) + 1;

	for (size_t i = 0; i < from->nroutes; i++)
		size += from->routes[i].prefix_len;
	return size;
}

/* A copy of `from` in memory of its own, the routes first, then the text. */
static bool
copy_entrance(struct entrance *to, const struct entrance *from)
{
	struct conf_route *routes = mem_alloc(stray_size(from));
	char *text;

	if (routes == NULL)
		return false;
	text = (char *)(routes + from->nroutes);
	for (size_t i = 0; i < from->nroutes; i++) {
		const struct conf_route *route = &from->routes[i];

		memcpy(text, route->prefix, route->prefix_len);
		routes[i] = (struct conf_route){
			.prefix = text,
			.prefix_len = route->prefix_len,
			.pool = route->pool,
		};
		text += route->prefix_len;
	}
	memcpy(text, from->listen, strlen(from->listen) + 1);
	*to = (struct entrance){
		.listen = text,
		.routes = routes,
		.nroutes = from->nroutes,
		.memory = routes,
	};
	return true;
}

/* Keeps an entrance that only clients of long ago still use. */
static bool
add_stray(struct table *table, const struct table *old,
    const struct entrance *from)
{
	size_t pool = same_pool(table, old, from->pool);
	struct entrance *stray = &table->entrances[table->nentrances];
	struct conf_route *routes;

	if (pool == NO_POOL || table_entrance(table, from->listen) != NULL)
		return true;
	if (!copy_entrance(stray, from))
		return false;
	table->nentrances++;
	stray->pool = pool;
	routes = stray->memory;
	for (size_t i = 0; i < stray->nroutes; i++)
		routes[i].pool = same_pool(table, old, routes[i].pool);
	return true;
}

bool
entrances_build(struct table *table, const struct conf *conf,
    const struct table *old)
{
	size_t nold = old == NULL ? 0 : old->nentrances;

	table->entrances = mem_zalloc(conf->nlisteners + nold,
	    sizeof(*table->entrances));
	if (table->entrances == NULL)
		return false;
	for (size_t i = 0; i < conf->nlisteners; i++) {
		const struct conf_listener *listener = &conf->listeners[i];

		table->entrances[table->nentrances++] = (struct entrance){
			.listen = listener->listen,
			.conf = listener,
			.routes = listener->routes,
			.nroutes = listener->nroutes,
			.pool = listener->pool,
		};
	}
	for (size_t i = 0; i < nold; i++) {
		if (!add_stray(table, old, &old->entrances[i]))
			return false;
	}
	return true;
}

void
entrances_free(struct table *table)
{
	for (size_t i = 0; i < table->nentrances; i++)
		mem_free(table->entrances[i].memory);
	mem_free(table->entrances);
}

const struct entrance *
table_entrance(const struct table *table, const char *listen)
{
	for (size_t i = 0; i < table->nentrances; i++) {
		if (strcmp(table->entrances[i].listen, listen) == 0)
			return &table->entrances[i];
	}
	return NULL;
}

const struct pool *
table_pool(const struct table *table, const struct entrance *entrance,
    struct span key)
{
	size_t pool = entrance->pool;

	for (size_t i = 0; i < entrance->nroutes; i++) {
		const struct conf_route *route = &entrance->routes[i];

		if (span_starts(key, span_of(route->prefix,
		    route->prefix_len))) {
			pool = route->pool;
			break;
		}
	}
	return pool == NO_POOL ? NULL : &table->pools[pool];
}
