/* Metrics of each pool and each server of the table in force. */
#include <string.h>

#include "admin/metrics.h"
#include "base/mem.h"
#include "stats/server_stats.h"

static const char failed[] = "failed_";

static const struct {
	const char	*name;
	const char	*type;
	const char	*help;
} counters[] = {
#define X(member, name, type, unit, help) [SERVER_##member] = {"server_" name, \
	#type, help},
	SERVER_COUNTERS(X)
#undef X
};

static const struct {
	const char	*name;
	const char	*help;
} health_counts[] = {
#define X(member, name, help) [HEALTH_##member] = {"server_health_" name, help},
	HEALTH_COUNTS(X)
#undef X
};

/* How many servers of each pool `counts`; NULL: all do. */
static void
add_pools(struct prom *prom, const struct admin_view *view,
    bool (*counts)(struct server *server))
{
	for (size_t i = 0; i < view->table->npools; i++) {
		const struct pool *pool = &view->table->pools[i];
		uint64_t n = 0;

		for (size_t j = 0; j < pool->nservers; j++)
			n += counts == NULL || counts(pool->servers[j]);
		prom_count(prom, (const struct prom_label[]){
		    {"pool", pool->name}, {NULL, NULL}}, n);
	}
}

void
metrics_pools(struct prom *prom, const struct admin_view *view)
{
	static const struct prom_family all = {"pool_servers",
	    "servers configured", PROM_GAUGE, false};
	static const struct prom_family up = {"pool_servers_up",
	    "servers that requests are sent to", PROM_GAUGE, false};
	static const struct prom_family suspect = {"pool_servers_suspect",
	    "of those, servers that look dead, kept in use by health.max_down",
	    PROM_GAUGE, false};
	static const struct prom_family membership = {"pool_membership",
	    "as fairlead_membership, of one pool", PROM_GAUGE, false};

	prom_begin(prom, &all);
	add_pools(prom, view, NULL);
	prom_begin(prom, &up);
	add_pools(prom, view, server_is_up);
	prom_begin(prom, &suspect);
	add_pools(prom, view, server_is_suspect);
	prom_begin(prom, &membership);
	for (size_t i = 0; i < view->table->npools; i++)
		prom_count(prom, (const struct prom_label[]){
		    {"pool", view->table->pools[i].name}, {NULL, NULL}},
		    view->table->pools[i].membership >>
		    METRICS_MEMBERSHIP_SHIFT);
}

/* What was read of one server. */
struct reading {
	struct server	*server;	/* lent by the table */
	uint64_t	 counters[SERVER_NCOUNTERS];
};

struct readings {
	struct reading	*rows;
	size_t		 n;
};

/* All at once, for a family wants all servers and a server all counters. */
static bool
take_readings(const struct table *table, struct readings *readings_r)
{
	struct server_sum sum;
	struct reading *row;

	readings_r->n = table->nservers;
	readings_r->rows = row = mem_zalloc(table->nservers, sizeof(*row));
	if (row == NULL)
		return false;
	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];

		for (size_t j = 0; j < pool->nservers; j++, row++) {
			server_stats_read(&pool->servers[j]->stats, &sum);
			row->server = pool->servers[j];
			memcpy(row->counters, sum.counters,
			    sizeof(row->counters));
		}
	}
	return true;
}

static void
add_up(struct prom *prom, const struct readings *readings)
{
	static const struct prom_family up = {"server_up",
	    "1 if requests are sent to the server, 0 if it is down",
	    PROM_GAUGE, false};

	prom_begin(prom, &up);
	for (size_t i = 0; i < readings->n; i++) {
		struct server *server = readings->rows[i].server;

		prom_count(prom, (const struct prom_label[]){
		    {"pool", server->pool}, {"server", server->name},
		    {NULL, NULL}}, server_is_up(server));
	}
}

/* `reason` is NULL but for failures. */
static void
add_counter(struct prom *prom, const struct readings *readings, int counter,
    const char *reason)
{
	for (size_t i = 0; i < readings->n; i++) {
		const struct reading *row = &readings->rows[i];

		prom_count(prom, (const struct prom_label[]){
		    {"pool", row->server->pool},
		    {"server", row->server->name},
		    {reason == NULL ? NULL : "reason", reason}, {NULL, NULL}},
		    row->counters[counter]);
	}
}

/* Why a request failed, or NULL: the counter counts something else. */
static const char *
reason_of(int counter)
{
	const char *name = counters[counter].name + sizeof("server_") - 1;

	return strncmp(name, failed, sizeof(failed) - 1) == 0 ?
	    name + sizeof(failed) - 1 : NULL;
}

static void
add_failures(struct prom *prom, const struct readings *readings)
{
	static const struct prom_family failures = {"server_failures",
	    "requests that the server did not answer, by the reason",
	    PROM_COUNTER, false};

	prom_begin(prom, &failures);
	for (int i = 0; i < SERVER_NCOUNTERS; i++) {
		if (reason_of(i) != NULL)
			add_counter(prom, readings, i, reason_of(i));
	}
}

static void
add_health(struct prom *prom, const struct readings *readings)
{
	for (int i = 0; i < HEALTH_NCOUNTS; i++) {
		struct prom_family family = {health_counts[i].name,
		    health_counts[i].help, PROM_COUNTER, false};

		prom_begin(prom, &family);
		for (size_t j = 0; j < readings->n; j++) {
			struct server *server = readings->rows[j].server;

			prom_count(prom, (const struct prom_label[]){
			    {"pool", server->pool}, {"server", server->name},
			    {NULL, NULL}}, health_count(&server->health,
			    (enum health_count)i));
		}
	}
}

bool
metrics_servers(struct prom *prom, const struct admin_view *view)
{
	struct readings readings;

	if (!take_readings(view->table, &readings))
		return false;
	add_up(prom, &readings);
	add_failures(prom, &readings);
	add_health(prom, &readings);
	for (int i = 0; i < SERVER_NCOUNTERS; i++) {
		struct prom_family family = {counters[i].name,
		    counters[i].help, strcmp(counters[i].type, "gauge") == 0 ?
		    PROM_GAUGE : PROM_COUNTER, false};

		if (reason_of(i) != NULL)
			continue;
		prom_begin(prom, &family);
		add_counter(prom, &readings, i, NULL);
	}
	mem_free(readings.rows);
	return true;
}

void
metrics_server_times(struct prom *prom, const struct admin_view *view)
{
	static const struct prom_family times = {"server_duration_seconds",
	    "from sending a request to its reply", PROM_HISTOGRAM, false};
	struct server_sum sum;

	prom_begin(prom, &times);
	for (size_t i = 0; i < view->table->npools; i++) {
		const struct pool *pool = &view->table->pools[i];

		for (size_t j = 0; j < pool->nservers; j++) {
			struct server *server = pool->servers[j];

			server_stats_read(&server->stats, &sum);
			prom_histogram(prom, (const struct prom_label[]){
			    {"pool", server->pool}, {"server", server->name},
			    {NULL, NULL}}, PROM_MICROSECONDS, &sum.time_us);
		}
	}
}
