/* Building and sharing routing tables. */
#include "route/table.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "ring/membership.h"
#include "route/entrance.h"

/* A placement that consecutive tables may share. */
struct placement_share {
	_Atomic uint32_t	 refs;
	struct placement	*placement;
};

static void
share_unref(struct placement_share **sharep)
{
	struct placement_share *share = *sharep;

	*sharep = NULL;
	if (share == NULL || atomic_fetch_sub_explicit(&share->refs, 1,
	    memory_order_acq_rel) != 1)
		return;
	placement_free(&share->placement);
	mem_free(share);
}

const struct pool *
table_pool_by_name(const struct table *table, const char *name)
{
	for (size_t i = 0; table != NULL && i < table->npools; i++) {
		if (strcmp(table->pools[i].name, name) == 0)
			return &table->pools[i];
	}
	return NULL;
}

/* The pool's servers as a placement sees them; NULL without memory. */
static struct placement_server *
list_members(const struct conf_pool *conf)
{
	struct placement_server *members;

	members = mem_zalloc(conf->nservers, sizeof(*members));
	if (members == NULL)
		return NULL;
	for (size_t i = 0; i < conf->nservers; i++) {
		const struct conf_server *server = &conf->servers[i];

		members[i] = (struct placement_server){
			.name = span_str(server->name),
			.host = span_str(server->endpoint.host),
			.port = server->endpoint.port,
			.weight = server->weight,
			.is_named = server->is_named,
		};
	}
	return members;
}

/* One table in the making. */
struct builder {
	struct table		*table;
	const struct conf	*conf;
	const struct table	*old;		/* NULL: there is none */
	struct server_registry	*registry;
	struct conf_errors	**errors_r;
	bool			 is_out_of_memory;
};

/* Always false, for use after `return`. */
static bool
no_memory(struct builder *b)
{
	b->is_out_of_memory = true;
	return false;
}

static struct placement_share *
share_new(struct builder *b, const struct conf_pool *conf,
    const struct placement_server *members)
{
	struct placement_share *share = mem_zalloc(1, sizeof(*share));
	enum placement_error error;
	struct err why;

	if (share == NULL) {
		no_memory(b);
		return NULL;
	}
	atomic_init(&share->refs, 1);
	share->placement = placement_build(&conf->placement, members,
	    conf->nservers, &error, &why);
	if (share->placement == NULL) {
		conf_errors_add(b->errors_r, b->conf, conf->place,
		    "pool \"%s\": %s: %s", conf->name,
		    placement_error_name(error), why.text);
		mem_free(share);
		return NULL;
	}
	return share;
}

/* The old table's placement if it would come out the same, or a new one. */
static struct placement_share *
share_placement(struct builder *b, const struct conf_pool *conf)
{
	const struct pool *before = table_pool_by_name(b->old, conf->name);
	struct placement_server *members = list_members(conf);
	struct placement_share *share;

	if (members == NULL) {
		no_memory(b);
		return NULL;
	}
	if (before != NULL && placement_is_of(before->placement,
	    &conf->placement, members, conf->nservers)) {
		share = before->share;
		atomic_fetch_add_explicit(&share->refs, 1,
		    memory_order_relaxed);
	} else {
		share = share_new(b, conf, members);
	}
	mem_free(members);
	return share;
}

static struct health_policy
health_policy_of(const struct conf_pool *conf)
{
	return (struct health_policy){
		.failures = conf->health_failures,
		.retry_ms = conf->health_retry_ms,
		.retry_max_ms = conf->health_retry_max_ms,
	};
}

static bool
get_servers(struct builder *b, struct pool *pool)
{
	const struct conf_pool *conf = pool->conf;
	struct health_policy policy = health_policy_of(conf);

	pool->servers = mem_zalloc(conf->nservers, sizeof(*pool->servers));
	if (pool->servers == NULL)
		return no_memory(b);
	for (size_t i = 0; i < conf->nservers; i++) {
		struct server_identity identity = {
			.pool = conf->name,
			.name = conf->servers[i].name,
			.endpoint = &conf->servers[i].endpoint,
		};

		pool->servers[i] = server_get(b->registry, &identity, &policy);
		if (pool->servers[i] == NULL) {
			conf_errors_add(b->errors_r, b->conf,
			    conf->servers[i].place, "pool \"%s\": no memory "
			    "for server \"%s\", or more than %d servers in "
			    "all, those that a reload takes away included",
			    conf->name, identity.name, SERVER_IDS_MAX);
			return false;
		}
	}
	return true;
}

static void
pool_fini(struct pool *pool)
{
	for (size_t i = 0; pool->servers != NULL && i < pool->nservers;
	    i++)
		server_unref(&pool->servers[i]);
	mem_free(pool->servers);
	share_unref(&pool->share);
}

static void
table_free(struct table *table)
{
	for (size_t i = 0; i < table->npools; i++)
		pool_fini(&table->pools[i]);
	mem_free(table->pools);
	entrances_free(table);
	mem_free(table->by_id);
	if (table->conf != NULL)
		conf_free(&table->conf);
	mem_free(table);
}

static enum on_down
on_down_of(enum conf_on_down on_down)
{
	switch (on_down) {
	case CONF_ON_DOWN_MISS:
		return ON_DOWN_MISS;
	case CONF_ON_DOWN_ERROR:
		return ON_DOWN_ERROR;
	case CONF_ON_DOWN_NEXT:
		return ON_DOWN_NEXT;
	case CONF_ON_DOWN_GUTTER:
		return ON_DOWN_GUTTER;
	}
	NEVER();
}

/* How many servers may be down: a share of them, but always one. */
static uint64_t
max_down_of(const struct conf_pool *conf)
{
	uint64_t n = conf->nservers * conf->health_max_down / 100;

	return n == 0 ? 1 : n;
}

/* What the data path needs of the configuration, by value. */
static void
fill_pool(struct pool *pool, const struct conf_pool *conf)
{
	pool->conf = conf;
	pool->name = conf->name;
	pool->nservers = conf->nservers;
	pool->policy = (struct policy){
		.connect_timeout_ms = conf->connect_timeout_ms,
		.request_timeout_ms = conf->request_timeout_ms,
		.server_connections = conf->server_connections,
		.server_queue = conf->server_queue,
		.server_queue_bytes = conf->server_queue_bytes,
		.on_down = on_down_of(conf->on_down),
		.gutter_ttl_s = conf->gutter_ttl_ms / 1000,
		.max_down = max_down_of(conf),
		.flush_all = conf->flush_all,
		.join_gets = conf->join_gets,
	};
}

static void
fill_limits(struct table *table, const struct conf_limits *conf)
{
	table->limits = (struct limits){
		.clients = conf->clients,
		.value_size = conf->value_size,
		.client_buffer = conf->client_buffer,
		.memory = conf->memory,
		.request_line = conf->request_line,
		.client_idle_ms = conf->client_idle_ms,
	};
}

/* All of them are tried, so that all mistakes are told of. */
static bool
build_pools(struct builder *b)
{
	struct table *table = b->table;
	bool is_good = true;

	for (size_t i = 0; i < b->conf->npools && !b->is_out_of_memory; i++) {
		struct pool *pool = &table->pools[i];

		fill_pool(pool, &b->conf->pools[i]);
		if (pool->policy.on_down == ON_DOWN_GUTTER)
			pool->gutter = &table->pools[pool->conf->gutter];
		table->npools = i + 1;
		pool->share = share_placement(b, pool->conf);
		if (pool->share == NULL || !get_servers(b, pool)) {
			is_good = false;
			continue;
		}
		pool->placement = pool->share->placement;
		pool->membership = membership_hash(pool->placement);
	}
	return is_good;
}

static bool
hash_memberships(struct builder *b)
{
	struct table *table = b->table;
	struct membership *all = mem_alloc(table->npools * sizeof(*all));

	if (all == NULL)
		return no_memory(b);
	for (size_t i = 0; i < table->npools; i++)
		all[i] = (struct membership){span_str(table->pools[i].name),
		    table->pools[i].membership};
	table->membership = membership_hash_all(all, table->npools);
	mem_free(all);
	return true;
}

static void
fill_by_id(struct table *table)
{
	for (size_t i = 0; i < table->npools; i++) {
		struct pool *pool = &table->pools[i];

		table->nservers += pool->nservers;
		for (size_t j = 0; j < pool->nservers; j++)
			table->by_id[pool->servers[j]->id] =
			    (struct table_entry){pool->servers[j], pool};
	}
}

static bool
fill(struct builder *b)
{
	struct table *table = b->table;

	table->generation = b->old == NULL ? 1 : b->old->generation + 1;
	table->pools = mem_zalloc(b->conf->npools, sizeof(*table->pools));
	table->by_id = mem_zalloc(SERVER_IDS_MAX, sizeof(*table->by_id));
	if (table->pools == NULL || table->by_id == NULL)
		return no_memory(b);
	if (!build_pools(b) || !hash_memberships(b))
		return false;
	if (!entrances_build(table, b->conf, b->old))
		return no_memory(b);
	fill_by_id(table);
	fill_limits(table, &b->conf->limits);
	table->insight = (struct insight){
	    .slow_us = b->conf->log.slow_request_ms * 1000,
	    .keys_hidden = b->conf->privacy == CONF_PRIVACY_HASH,
	};
	return true;
}

struct table *
table_build(struct conf *conf, const struct table *old,
    struct server_registry *registry, struct conf_errors **errors_r)
{
	struct builder b = {
		.table = mem_zalloc(1, sizeof(*b.table)),
		.conf = conf,
		.old = old,
		.registry = registry,
		.errors_r = errors_r,
	};

	*errors_r = NULL;
	if (b.table == NULL)
		return NULL;
	atomic_init(&b.table->refs, 1);
	if (!fill(&b)) {
		if (b.is_out_of_memory)
			conf_errors_free(errors_r);
		table_free(b.table);
		return NULL;
	}
	b.table->conf = conf;
	return b.table;
}

struct table *
table_ref(struct table *table)
{
	atomic_fetch_add_explicit(&table->refs, 1, memory_order_relaxed);
	return table;
}

void
table_unref(struct table **tablep)
{
	struct table *table = *tablep;

	*tablep = NULL;
	/* Pairs with itself: the last one sees all that others did with it. */
	if (table != NULL && atomic_fetch_sub_explicit(&table->refs, 1,
	    memory_order_acq_rel) == 1)
		table_free(table);
}

bool
table_is_last_reference(const struct table *table)
{
	/* Pairs with table_unref(): all that others did with it is seen. */
	return atomic_load_explicit(&table->refs, memory_order_acquire) == 1;
}

void
table_apply_policies(const struct table *table, uint64_t now_ms)
{
	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];
		struct health_policy policy = health_policy_of(pool->conf);

		for (size_t j = 0; j < pool->nservers; j++) {
			health_set_policy(&pool->servers[j]->health, &policy);
			health_hasten_probe(&pool->servers[j]->health, now_ms);
		}
	}
}
