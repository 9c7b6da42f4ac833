/* Pools: names of servers, and how health keys go together. */
#include <stdio.h>

#include "conf/link.h"
#include "conf/unique.h"
#include "conf/value.h"

/* What add_duplicate() needs to know. */
struct names {
	struct checker		*checker;
	const struct conf_pool	*pool;
};

static void
add_duplicate(void *arg, const struct unique_item *first,
    const struct unique_item *again)
{
	const struct names *names = arg;
	char quoted[ERRORS_QUOTED_MAX];

	errors_add(names->checker->errors, again->place, "the name %s of a "
	    "server in pool \"%s\" is that of the one at line %u already; "
	    "each needs a name of its own", errors_quote(again->text, quoted),
	    names->pool->name, first->place.line);
}

/* A server without a name has its address as the name. */
static void
name_servers(struct checker *c, struct conf_pool *pool)
{
	struct names names = {c, pool};
	struct unique_item *items;
	size_t n = 0;

	items = arena_alloc(c->scratch, pool->nservers, sizeof(items[0]));
	if (items == NULL) {
		errors_out_of_memory(c->errors);
		return;
	}
	for (size_t i = 0; i < pool->nservers; i++) {
		struct conf_server *server = &pool->servers[i];

		server->is_named = server->name != NULL;
		if (!server->is_named)
			server->name = server->address;
		if (server->name != NULL)
			items[n++] = (struct unique_item){
			    span_str(server->name), server->place};
	}
	unique_check(items, n, add_duplicate, &names);
}

static void
check_health(struct checker *c, const struct node *map,
    const struct conf_pool *pool)
{
	const struct node *health = node_get(map, "health");
	const struct key duration = {.type = KEY_DURATION};
	char retry[VALUE_TEXT_MAX], retry_max[VALUE_TEXT_MAX];

	if (health == NULL || pool->health_retry_ms <=
	    pool->health_retry_max_ms)
		return;
	errors_add(c->errors, link_place(health,
	    node_get(health, "retry_max") != NULL ? "retry_max" : "retry"),
	    "\"retry_max\" in health of pool \"%s\" (%s) must not be less "
	    "than \"retry\" (%s)", pool->name,
	    value_format(&duration, pool->health_retry_max_ms, retry_max),
	    value_format(&duration, pool->health_retry_ms, retry));
}

/* "haproxy-*" or "memcached-*, mcrouter-*". */
static const char *
list_placements(const struct key *key, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; key->placements[i] != NULL && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s*",
		    i == 0 ? "" : ", ", key->placements[i]);
	return out;
}

/* An option that would do nothing was meant to do something. */
static void
check_options(struct checker *c, const struct node *map,
    const struct conf_pool *pool)
{
	const struct section *section = section_by_id(SECTION_POOL);
	char names[128];

	for (size_t i = 0; i < section->nkeys; i++) {
		const struct key *key = &section->keys[i];

		if (key_is_for_placement(key, pool->placement.kind) ||
		    node_get(map, key->name) == NULL)
			continue;
		errors_add(c->errors, link_place(map, key->name), "\"%s\" in "
		    "pool \"%s\" does nothing with the placement %s; it is "
		    "for %s", key->name, pool->name,
		    placement_kind_name(pool->placement.kind),
		    list_placements(key, names, sizeof(names)));
	}
}

/* The secret and the hash that needs one come together. */
static void
check_hash_key(struct checker *c, const struct node *map,
    const struct conf_pool *pool)
{
	bool is_given = node_get(map, "hash_key") != NULL;
	bool is_used = pool->placement.hash == HASH_SIPHASH;

	if (is_given && !is_used)
		errors_add(c->errors, link_place(map, "hash_key"),
		    "\"hash_key\" in pool \"%s\" does nothing without "
		    "\"hash: siphash\"", pool->name);
	else if (!is_given && is_used)
		errors_add(c->errors, link_place(map, "hash"), "the hash "
		    "siphash of pool \"%s\" needs \"hash_key\"",
		    pool->name);
}

void
link_pools(struct checker *c, const struct node *pools, struct conf *conf)
{
	const struct node_entry *entry = STAILQ_FIRST(&pools->entries);

	/* The list may be shorter when "pools" stands twice in the file. */
	for (size_t i = 0; i < conf->npools && entry != NULL; i++) {
		name_servers(c, &conf->pools[i]);
		check_options(c, entry->value, &conf->pools[i]);
		check_hash_key(c, entry->value, &conf->pools[i]);
		check_health(c, entry->value, &conf->pools[i]);
		link_gutter(c, entry->value, conf, &conf->pools[i]);
		entry = STAILQ_NEXT(entry, next);
	}
}
