/*
 * Metrics of the tables of counters and histograms in stats/stats.h: those
 * called "server_..." are of all servers together, those called "reload_..."
 * of the process, all others of clients.
 *
 * They count from the start of the process, whatever `stats reset` does.
 */
#include <stdio.h>
#include <string.h>

#include "admin/metrics.h"
#include "base/span.h"
#include "stats/stats.h"

#define NAME_MAX_LEN 64

enum group {
	GROUP_CLIENTS,
	GROUP_SERVERS,
	GROUP_RELOADS,
};

static const struct span of_servers = SPAN_LIT("server_");
static const struct span of_reloads = SPAN_LIT("reload_");

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

static enum group
group_of(const char *name)
{
	if (span_starts(span_str(name), of_servers))
		return GROUP_SERVERS;
	return span_starts(span_str(name), of_reloads) ? GROUP_RELOADS :
	    GROUP_CLIENTS;
}

static void
add_counters(struct prom *prom, const struct admin_view *view,
    enum group group)
{
	char name[NAME_MAX_LEN];

	for (int i = 0; i < STATS_NCOUNTERS; i++) {
		struct prom_family family = {name, counters[i].help,
		    PROM_COUNTER, false};

		if (group_of(counters[i].name) != group)
			continue;
		/* Else they would have the names of each server's own. */
		if (group == GROUP_SERVERS)
			snprintf(name, sizeof(name), "all_servers_%s",
			    counters[i].name + of_servers.len);
		else
			snprintf(name, sizeof(name), "%s", counters[i].name);
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
add_all(struct prom *prom, const struct admin_view *view, enum group group)
{
	add_counters(prom, view, group);
	for (size_t i = 0; i < sizeof(abouts) / sizeof(*abouts); i++) {
		if (group_of(abouts[i].name) == group)
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
	add_all(prom, view, GROUP_CLIENTS);
}

void
metrics_all_servers(struct prom *prom, const struct admin_view *view)
{
	add_all(prom, view, GROUP_SERVERS);
}

void
metrics_reloads(struct prom *prom, const struct admin_view *view)
{
	add_all(prom, view, GROUP_RELOADS);
}
