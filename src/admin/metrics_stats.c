/*
 * Metrics of the tables of counters and histograms in stats/stats.h: those
 * called "server_..." are of all servers together, all others of clients.
 *
 * They count from the start of the process, whatever `stats reset` does.
 */
#include <stdio.h>
#include <string.h>

#include "admin/metrics.h"
#include "stats/stats.h"

#define NAME_MAX_LEN 64

static const char of_servers[] = "server_";

static const struct {
	const char	*name;
	const char	*help;
} counters[] = {
#define X(member, name, unit, help) [STATS_##member] = {name, help},
	STATS_COUNTERS(X)
#undef X
};

static const struct row {
	const char	*name;
	const char	*of;
	const char	*unit;
} histograms[] = {
#define X(member, name, of, unit, help) [STATS_##member] = {name, of, unit},
	STATS_HISTOGRAMS(X)
#undef X
};

/* What a family of histograms is, which several rows make up. */
static const struct about {
	const char		*name;		/* of the rows */
	const char		*label;		/* what `of` is the value of */
	struct prom_family	 family;
} abouts[] = {
	{"request_duration", "command", {"request_duration_seconds",
	    "from reading a request to its answer, by kinds of commands",
	    PROM_HISTOGRAM, false}},
	{"value_size", "direction", {"value_size_bytes",
	    "sizes of values", PROM_HISTOGRAM, false}},
	{"turn_commands", "", {"turn_commands",
	    "commands read in one turn of a worker's loop", PROM_HISTOGRAM,
	    false}},
	{"server_queue", "", {"all_servers_queue",
	    "requests that a connection was owed when it was written to",
	    PROM_HISTOGRAM, false}},
};

static bool
is_of_servers(const char *name)
{
	return strncmp(name, of_servers, sizeof(of_servers) - 1) == 0;
}

static void
add_counters(struct prom *prom, const struct admin_view *view, bool servers)
{
	char name[NAME_MAX_LEN];

	for (int i = 0; i < STATS_NCOUNTERS; i++) {
		struct prom_family family = {name, counters[i].help,
		    PROM_COUNTER, false};

		if (is_of_servers(counters[i].name) != servers)
			continue;
		/* Else they would have the names of each server's own. */
		snprintf(name, sizeof(name), "%s%s",
		    servers ? "all_servers_" : "", counters[i].name +
		    (servers ? sizeof(of_servers) - 1 : 0));
		prom_begin(prom, &family);
		prom_count(prom, metrics_plain, stats_total(
		    view->proxy->stats, (enum stats_counter)i));
	}
}

static enum prom_unit
unit_of(const struct row *row)
{
	if (strcmp(row->unit, "us") == 0)
		return PROM_MICROSECONDS;
	return strcmp(row->unit, "bytes") == 0 ? PROM_BYTES : PROM_ITEMS;
}

static void
add_histograms(struct prom *prom, const struct admin_view *view,
    const struct about *about)
{
	struct histogram_sum sum;

	prom_begin(prom, &about->family);
	for (size_t i = 0; i < STATS_NHISTOGRAMS; i++) {
		const struct row *row = &histograms[i];
		const struct prom_label labels[] = {{row->of[0] == '\0' ?
		    NULL : about->label, row->of}, {NULL, NULL}};

		if (strcmp(row->name, about->name) != 0)
			continue;
		stats_read_total(view->proxy->stats, (enum stats_histogram)i,
		    &sum);
		prom_histogram(prom, labels, unit_of(row), &sum);
	}
}

static void
add_all(struct prom *prom, const struct admin_view *view, bool servers)
{
	add_counters(prom, view, servers);
	for (size_t i = 0; i < sizeof(abouts) / sizeof(*abouts); i++) {
		if (is_of_servers(abouts[i].name) == servers)
			add_histograms(prom, view, &abouts[i]);
	}
}

void
metrics_clients(struct prom *prom, const struct admin_view *view)
{
	static const struct prom_family now = {"clients",
	    "client connections", PROM_GAUGE, false};
	static const struct prom_family most = {"clients_limit",
	    "limits.clients of the configuration", PROM_GAUGE, false};

	prom_begin(prom, &now);
	prom_count(prom, metrics_plain, atomic_load_explicit(
	    &view->proxy->nclients, memory_order_relaxed));
	prom_begin(prom, &most);
	prom_count(prom, metrics_plain, view->table->limits.clients);
	add_all(prom, view, false);
}

void
metrics_all_servers(struct prom *prom, const struct admin_view *view)
{
	add_all(prom, view, true);
}
