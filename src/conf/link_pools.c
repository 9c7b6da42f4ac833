/* Pools: names of servers, and how health keys go together. */
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

		if (server->name == NULL)
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

void
link_pools(struct checker *c, const struct node *pools, struct conf *conf)
{
	const struct node_entry *entry = STAILQ_FIRST(&pools->entries);

	/* The list may be shorter when "pools" stands twice in the file. */
	for (size_t i = 0; i < conf->npools && entry != NULL; i++) {
		name_servers(c, &conf->pools[i]);
		check_health(c, entry->value, &conf->pools[i]);
		entry = STAILQ_NEXT(entry, next);
	}
}
