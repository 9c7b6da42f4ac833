/* Pools and servers in /status.json. */
#include <stdio.h>

#include "admin/status.h"
#include "conf/keys.h"
#include "stats/server_stats.h"

/* A 64-bit number as JSON can carry it to any reader. */
#define HEX_SIZE (16 + 1)

/* A server in its pool, and what is known of it. */
struct row {
	const struct pool	*pool;
	size_t			 index;
	double			 share;
	double			 ideal;
};

static void
put_counters(struct json_doc *doc, json_t *object,
    const struct server_sum *sum)
{
	json_t *counters = json_doc_object(doc, object, "counters");

	for (int i = 0; i < SERVER_NCOUNTERS; i++)
		json_doc_count(doc, counters,
		    server_counter_name((enum server_counter)i),
		    sum->counters[i]);
}

/* State, why, and since when, as far as it is not simply up. */
static void
put_health(struct json_doc *doc, json_t *object, struct server *server,
    uint64_t now_ms)
{
	struct health *health = &server->health;
	enum health_state state = health_state(health);
	const char *why = atomic_load_explicit(&health->why,
	    memory_order_relaxed);
	uint64_t opened_ms = atomic_load_explicit(&health->opened_ms,
	    memory_order_relaxed);
	json_t *counts = json_doc_object(doc, object, "health");
	struct server_address address;
	bool is_resolved = server_address(server, &address);

	for (int i = 0; i < HEALTH_NCOUNTS; i++)
		json_doc_count(doc, counts,
		    health_count_name((enum health_count)i),
		    health_count(health, (enum health_count)i));
	json_doc_text(doc, object, "state", is_resolved ?
	    health_state_name(state) : "unresolved");
	json_doc_bool(doc, object, "has_answered",
	    server_has_answered(server));
	if (!is_resolved)
		why = "the host name is not resolved";
	if (why == NULL)
		json_doc_null(doc, object, "last_failure");
	else
		json_doc_text(doc, object, "last_failure", why);
	/* It may have gone down after `now_ms` was read. */
	if (state == HEALTH_DOWN || state == HEALTH_TRIAL)
		json_doc_number(doc, object, "down_seconds",
		    now_ms < opened_ms ? 0 :
		    (double)(now_ms - opened_ms) / 1000);
	else
		json_doc_null(doc, object, "down_seconds");
}

static void
put_server(struct json_doc *doc, json_t *servers, const struct row *row,
    uint64_t now_ms)
{
	struct server *server = row->pool->servers[row->index];
	const struct conf_server *conf = &row->pool->conf->servers[row->index];
	json_t *object = json_doc_append(doc, servers);
	struct server_sum sum;

	server_stats_read(&server->stats, &sum);
	json_doc_text(doc, object, "name", server->name);
	json_doc_text(doc, object, "address", conf->address);
	json_doc_number(doc, object, "weight", conf->weight);
	json_doc_number(doc, object, "share", row->share);
	json_doc_number(doc, object, "ideal", row->ideal);
	json_doc_count(doc, object, "points", placement_server_points(
	    row->pool->placement, row->index));
	put_health(doc, object, server, now_ms);
	put_counters(doc, object, &sum);
	status_put_times(doc, json_doc_object(doc, object, "times"),
	    &sum.time_us);
	status_put_buckets(doc, object, &sum.time_us);
}

static double
weight_of(const struct pool *pool)
{
	double sum = 0;

	for (size_t i = 0; i < pool->nservers; i++)
		sum += pool->conf->servers[i].weight;
	return sum;
}

/* As the configuration writes it. */
static const char *
on_down_word(const struct pool *pool)
{
	const struct key *key = section_key(section_by_id(SECTION_POOL),
	    span_str("on_down"));

	return key->choices->word((size_t)pool->conf->on_down);
}

static void
put_pool(struct json_doc *doc, json_t *pools, const struct pool *pool,
    const struct admin_view *view, const double *shares)
{
	json_t *object = json_doc_append(doc, pools), *servers;
	double weight = weight_of(pool);
	char hex[HEX_SIZE];

	snprintf(hex, sizeof(hex), "%016llx",
	    (unsigned long long)pool->membership);
	json_doc_text(doc, object, "name", pool->name);
	json_doc_text(doc, object, "placement", placement_kind_name(
	    placement_spec_of(pool->placement)->kind));
	json_doc_text(doc, object, "membership", hex);
	json_doc_count(doc, object, "points",
	    placement_points(pool->placement));
	json_doc_text(doc, object, "on_down", on_down_word(pool));
	servers = json_doc_array(doc, object, "servers");
	for (size_t i = 0; i < pool->nservers; i++)
		put_server(doc, servers, &(struct row){pool, i, shares[i],
		    pool->conf->servers[i].weight / weight}, view->now_ms);
}

void
status_put_pools(struct json_doc *doc, const struct admin_view *view,
    const struct shares *shares)
{
	const struct table *table = view->table;
	json_t *pools = json_doc_array(doc, doc->root, "pools");
	const double *values = shares->values;

	for (size_t i = 0; i < table->npools; i++) {
		put_pool(doc, pools, &table->pools[i], view, values);
		values += table->pools[i].nservers;
	}
}
