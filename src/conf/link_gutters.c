/* Gutters: pools that take the keys of other pools' dead servers. */
#include <string.h>

#include "conf/link.h"
#include "conf/value.h"

/* How long items live there at most, where nothing is said. */
#define TTL_INITIAL_MS 60000

static bool
has_gutter(const struct conf_pool *pool)
{
	return pool->on_down == CONF_ON_DOWN_GUTTER;
}

/* What would do nothing was meant to do something. */
static void
complain_unused(struct checker *c, const struct node *map,
    const struct conf_pool *pool, const char *key)
{
	if (node_get(map, key) != NULL)
		errors_add(c->errors, link_place(map, key), "\"%s\" in pool "
		    "\"%s\" does nothing without \"on_down: gutter\"", key,
		    pool->name);
}

static void
check_ttl(struct checker *c, const struct node *map, struct conf_pool *pool)
{
	const struct key duration = {.type = KEY_DURATION};
	char text[VALUE_TEXT_MAX];

	if (pool->gutter_ttl_ms == 0)
		pool->gutter_ttl_ms = TTL_INITIAL_MS;
	if (pool->gutter_ttl_ms % 1000 != 0)
		errors_add(c->errors, link_place(map, "gutter_ttl"),
		    "\"gutter_ttl\" in pool \"%s\" must be whole seconds, "
		    "not %s", pool->name,
		    value_format(&duration, pool->gutter_ttl_ms, text));
}

/* A gutter answers for itself: no chain, and so no loop. */
static void
check_gutter(struct checker *c, const struct node *map,
    const struct conf *conf, struct conf_pool *pool)
{
	struct conf_place place = link_place(map, "gutter");
	const struct conf_pool *gutter;

	if (node_get(map, "gutter") == NULL) {
		errors_add(c->errors, link_place(map, "on_down"), "\"on_down: "
		    "gutter\" of pool \"%s\" needs \"gutter\", the pool that "
		    "takes the keys", pool->name);
		return;
	}
	/* NULL: its name was no name. */
	if (pool->gutter_name == NULL)
		return;
	pool->gutter = link_pool(c, conf, pool->gutter_name, place);
	gutter = &conf->pools[pool->gutter];
	if (strcmp(gutter->name, pool->gutter_name) != 0)
		return;
	if (gutter == pool)
		errors_add(c->errors, place, "pool \"%s\" cannot be its own "
		    "gutter", pool->name);
	else if (has_gutter(gutter))
		errors_add(c->errors, place, "the gutter of pool \"%s\" "
		    "cannot be \"%s\", which has a gutter itself",
		    pool->name, gutter->name);
}

void
link_gutter(struct checker *c, const struct node *map,
    const struct conf *conf, struct conf_pool *pool)
{
	if (!has_gutter(pool)) {
		complain_unused(c, map, pool, "gutter");
		complain_unused(c, map, pool, "gutter_ttl");
		return;
	}
	check_ttl(c, map, pool);
	check_gutter(c, map, conf, pool);
}
