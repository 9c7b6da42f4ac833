/*
 * The proxy's own statistics.
 *
 * What there is several of is named in front: `STAT pool/server:field value`
 * and `STAT pool:field value`. The last colon ends the name, for a server's
 * may hold some; blanks in it are written %20.
 */
#include "proxy/local_stats_own.h"

#include <stdio.h>

#include "proxy/hotkeys.h"
#include "proxy/stats_page.h"
#include "stats/server_stats.h"

/* What stands in front of the last colon; a longer name is cut. */
#define PREFIX_SIZE 800

/* The quantiles that are shown of each histogram. */
static const struct {
	const char	*name;
	double		 share;
} quantiles[] = {
	{"p50", 0.5},
	{"p90", 0.9},
	{"p99", 0.99},
	{"p999", 0.999},
	{"max", 1},
};

/* `prefix` is all in front of the last underscore. */
static void
add_quantiles(struct stats_page *page, const char *prefix,
    const struct histogram_sum *sum, const char *unit)
{
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++)
		stats_page_line(page, "STAT %s_%s%s%s %llu\r\n", prefix,
		    quantiles[i].name, *unit == '\0' ? "" : "_", unit,
		    (unsigned long long)histogram_quantile(sum,
		    quantiles[i].share));
}

static const struct {
	enum stats_histogram	 which;
	const char		*name;
	const char		*of;
	const char		*unit;
} histograms[] = {
#define X(member, name, of, unit, help) {STATS_##member, name, of, unit},
	STATS_HISTOGRAMS(X)
#undef X
};

static void
add_histogram(struct stats_page *page, struct stats *stats, size_t i)
{
	char prefix[128];
	struct histogram_sum sum;

	stats_read(stats, histograms[i].which, &sum);
	snprintf(prefix, sizeof(prefix), "%s%s%s", histograms[i].name,
	    *histograms[i].of == '\0' ? "" : "_", histograms[i].of);
	stats_page_line(page, "STAT %s_count %llu\r\n", prefix,
	    (unsigned long long)sum.n);
	if (sum.n > 0)
		add_quantiles(page, prefix, &sum, histograms[i].unit);
}

/* By the worker's own table, and by what the main thread said last. */
static void
add_main(struct stats_page *page, const struct env *env)
{
	const struct reload_gauges *gauges = &env->proxy->reload;

	stats_page_line(page, "STAT table_membership %016llx\r\n",
	    (unsigned long long)env->table->membership);
	stats_page_number(page, "reload_last_success", atomic_load_explicit(
	    &gauges->last_success_s, memory_order_relaxed));
	stats_page_number(page, "reload_last_ok", atomic_load_explicit(
	    &gauges->is_last_ok, memory_order_relaxed));
	stats_page_number(page, "reload_activate_at", atomic_load_explicit(
	    &gauges->activate_at_s, memory_order_relaxed));
	stats_page_number(page, "backend_totals_servers",
	    backend_totals_nservers(&env->proxy->backend_totals));
}

void
local_stats_proxy(struct client *client)
{
	struct env *env = client->conn.env;
	struct stats *stats = env->proxy->stats;
	struct stats_page page;

	stats_page_init(&page, client);
	stats_page_number(&page, "generation", env->table->generation);
	add_main(&page, env);
	for (int i = 0; i < STATS_NCOUNTERS; i++)
		stats_page_number(&page, stats_name((enum stats_counter)i),
		    stats_sum(stats, (enum stats_counter)i));
	for (size_t i = 0; i < STATS_NHISTOGRAMS; i++)
		add_histogram(&page, stats, i);
	stats_page_end(&page);
}

/* "pool/name", in one word. */
static void
put_server_name(char out[PREFIX_SIZE], const struct server *server)
{
	size_t len = (size_t)snprintf(out, PREFIX_SIZE, "%.250s/",
	    server->pool);

	for (const char *p = server->name; *p != '\0' &&
	    len + sizeof("%20") <= PREFIX_SIZE; p++) {
		if (*p == ' ')
			len += (size_t)snprintf(out + len, 4, "%%20");
		else
			out[len++] = *p;
	}
	out[len] = '\0';
}

/* The lines that a server and a pool have alike. */
static void
add_sum(struct stats_page *page, const char *prefix,
    const struct server_sum *sum)
{
	char time[PREFIX_SIZE + sizeof(":time")];

	for (int i = 0; i < SERVER_NCOUNTERS; i++)
		stats_page_line(page, "STAT %s:%s %llu\r\n", prefix,
		    server_counter_name((enum server_counter)i),
		    (unsigned long long)sum->counters[i]);
	if (sum->time_us.n == 0)
		return;
	snprintf(time, sizeof(time), "%s:time", prefix);
	add_quantiles(page, time, &sum->time_us, "us");
}

static void
add_server(struct stats_page *page, struct server *server)
{
	char prefix[PREFIX_SIZE];
	struct server_sum sum;

	put_server_name(prefix, server);
	server_stats_read(&server->stats, &sum);
	stats_page_line(page, "STAT %s:state %s\r\n", prefix,
	    health_state_name(health_state(&server->health)));
	stats_page_line(page, "STAT %s:has_answered %d\r\n", prefix,
	    server_has_answered(server));
	for (int i = 0; i < HEALTH_NCOUNTS; i++)
		stats_page_line(page, "STAT %s:%s %llu\r\n", prefix,
		    health_count_name((enum health_count)i),
		    (unsigned long long)health_count(&server->health,
		    (enum health_count)i));
	add_sum(page, prefix, &sum);
}

void
local_stats_servers(struct client *client)
{
	const struct table *table = client->conn.env->table;
	struct stats_page page;

	stats_page_init(&page, client);
	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];

		for (size_t j = 0; j < pool->nservers; j++)
			add_server(&page, pool->servers[j]);
	}
	stats_page_end(&page);
}

static void
add_pool(struct stats_page *page, const struct pool *pool)
{
	struct server_sum sum = {.counters = {0}};
	uint64_t ndown = 0;
	char prefix[PREFIX_SIZE];

	for (size_t i = 0; i < pool->nservers; i++) {
		struct server *server = pool->servers[i];

		ndown += health_state(&server->health) == HEALTH_DOWN;
		server_stats_add(&server->stats, &sum);
	}
	snprintf(prefix, sizeof(prefix), "%.250s", pool->name);
	stats_page_line(page, "STAT %s:servers %zu\r\n", prefix,
	    pool->nservers);
	stats_page_line(page, "STAT %s:servers_down %llu\r\n", prefix,
	    (unsigned long long)ndown);
	stats_page_line(page, "STAT %s:membership %016llx\r\n", prefix,
	    (unsigned long long)pool->membership);
	add_sum(page, prefix, &sum);
}

void
local_stats_pools(struct client *client)
{
	const struct table *table = client->conn.env->table;
	struct stats_page page;

	stats_page_init(&page, client);
	for (size_t i = 0; i < table->npools; i++)
		add_pool(&page, &table->pools[i]);
	stats_page_end(&page);
}

void
local_stats_hotkeys(struct client *client)
{
	struct env *env = client->conn.env;
	struct hotkey keys[HOTKEYS_SHOWN];
	char text[HOTKEYS_TEXT_SIZE];
	struct stats_page page;
	size_t n = hotkeys_read(env->proxy->hotkeys, env_now_ms(env), keys);

	stats_page_init(&page, client);
	for (size_t i = 0; i < n; i++) {
		hotkeys_show(&keys[i], text);
		stats_page_line(&page, "STAT %s:%s %.2f\r\n",
		    keys[i].key_len == 0 ? "hash" : "key", text,
		    100 * keys[i].share);
	}
	stats_page_end(&page);
}
