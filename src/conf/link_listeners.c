/* Listeners: their pools and routes, and their addresses among each other. */
#include <stdlib.h>
#include <string.h>

#include "conf/link.h"
#include "conf/overlap.h"
#include "conf/unique.h"

/* Of a unix socket for which none is said: this user and this group. */
#define MODE_INITIAL 0660

static void
find_default_pool(struct checker *c, const struct node *map,
    const struct conf *conf, struct conf_listener *listener)
{
	if (listener->pool_name != NULL) {
		listener->pool = link_pool(c, conf, listener->pool_name,
		    link_place(map, "pool"));
		return;
	}
	if (conf->npools == 1)
		listener->pool_name = conf->pools[0].name;
	else if (conf->npools > 1 && node_get(map, "pool") == NULL)
		errors_add(c->errors, map->place, "the listener needs "
		    "\"pool\", for there are %zu pools", conf->npools);
}

static void
add_duplicate(void *arg, const struct unique_item *first,
    const struct unique_item *again)
{
	struct checker *c = arg;
	char quoted[ERRORS_QUOTED_MAX];

	errors_add(c->errors, again->place, "the prefix %s was given at line "
	    "%u already", errors_quote(again->text, quoted),
	    first->place.line);
}

static void
check_prefixes(struct checker *c, const struct conf_listener *listener)
{
	struct unique_item *items;
	size_t n = 0;

	items = arena_alloc(c->scratch, listener->nroutes, sizeof(items[0]));
	if (items == NULL) {
		errors_out_of_memory(c->errors);
		return;
	}
	for (size_t i = 0; i < listener->nroutes; i++) {
		const struct conf_route *route = &listener->routes[i];

		if (route->prefix != NULL)
			items[n++] = (struct unique_item){
			    span_of(route->prefix, route->prefix_len),
			    route->place};
	}
	unique_check(items, n, add_duplicate, c);
}

/* The longest first; those of one length by their bytes, for good order. */
static int
compare_routes(const void *left, const void *right)
{
	const struct conf_route *a = left, *b = right;

	if (a->prefix_len != b->prefix_len)
		return a->prefix_len > b->prefix_len ? -1 : 1;
	return span_cmp(span_of(a->prefix, a->prefix_len),
	    span_of(b->prefix, b->prefix_len));
}

static void
link_routes(struct checker *c, const struct node *map,
    const struct conf *conf, struct conf_listener *listener)
{
	const struct node *routes = node_get(map, "routes");
	const struct node_entry *entry;
	size_t i = 0;

	if (routes == NULL || listener->nroutes == 0)
		return;
	check_prefixes(c, listener);
	STAILQ_FOREACH(entry, &routes->entries, next) {
		struct conf_route *route = &listener->routes[i];

		if (i++ == listener->nroutes)
			break;
		if (route->pool_name != NULL)
			route->pool = link_pool(c, conf, route->pool_name,
			    link_place(entry->value, "pool"));
	}
	qsort(listener->routes, listener->nroutes,
	    sizeof(listener->routes[0]), compare_routes);
}

/* The mode of what is opened at `listen`, filled in. */
static void
link_mode(struct checker *c, const struct node *map, const char *listen,
    uint32_t *mode)
{
	bool is_unix = span_starts(span_str(listen), span_str("unix:"));

	if (!is_unix && *mode != 0)
		errors_add(c->errors, link_place(map, "mode"), "\"mode\" is "
		    "for unix sockets only, and the listener is %s", listen);
	else if (is_unix && *mode == 0)
		*mode = MODE_INITIAL;
}

/* Complains about the first earlier listener in the way of this one. */
static void
check_overlap(struct checker *c, const struct conf *conf, size_t index)
{
	const struct conf_listener *late = &conf->listeners[index];

	if (late->listen == NULL)
		return;
	for (size_t i = 0; i < index; i++) {
		const struct conf_listener *early = &conf->listeners[i];

		if (early->listen == NULL ||
		    !overlap_listeners(&early->endpoint, &late->endpoint))
			continue;
		errors_add(c->errors, late->place, "the listener %s overlaps "
		    "%s at line %u", late->listen, early->listen,
		    early->place.line);
		return;
	}
}

void
link_listeners(struct checker *c, const struct node *listeners,
    struct conf *conf)
{
	const struct node_entry *entry = STAILQ_FIRST(&listeners->entries);

	/* The list may be shorter when "listeners" stands twice. */
	for (size_t i = 0; i < conf->nlisteners && entry != NULL; i++) {
		struct conf_listener *listener = &conf->listeners[i];

		find_default_pool(c, entry->value, conf, listener);
		link_routes(c, entry->value, conf, listener);
		if (listener->listen != NULL)
			link_mode(c, entry->value, listener->listen,
			    &listener->mode);
		check_overlap(c, conf, i);
		entry = STAILQ_NEXT(entry, next);
	}
	link_loops(c, conf);
}

void
link_admin(struct checker *c, const struct node *map, struct conf *conf)
{
	struct conf_admin *admin = &conf->admin;

	if (admin->listen == NULL) {
		/* One that was written badly has its complaint. */
		if (node_get(map, "listen") == NULL &&
		    (admin->actions || admin->mode != 0))
			errors_add(c->errors, map->place, "\"listen\" in "
			    "admin is missing, as in listen: "
			    "127.0.0.1:9211");
		return;
	}
	link_mode(c, map, admin->listen, &admin->mode);
	for (size_t i = 0; i < conf->nlisteners; i++) {
		const struct conf_listener *listener = &conf->listeners[i];

		if (listener->listen != NULL && overlap_listeners(
		    &admin->endpoint, &listener->endpoint))
			errors_add(c->errors, link_place(map, "listen"),
			    "the admin listener %s overlaps the listener %s "
			    "at line %u", admin->listen, listener->listen,
			    listener->place.line);
	}
}
