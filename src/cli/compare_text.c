/* How two configurations place keys, for a person. */
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include "base/mem.h"
#include "cli/compare.h"
#include "cli/figures.h"
#include "cli/session.h"
#include "proto/request.h"

/* Rows of a table shown; JSON has them all. */
#define ROWS_SHOWN 20

/* "1,000 (10.00 %)" of `all`. */
static void
print_part(uint64_t part, uint64_t all)
{
	char count[FIGURES_MAX], share[FIGURES_MAX];

	printf("%s (%s)", figures_count(part, count),
	    figures_share(all == 0 ? 0 : (double)part / (double)all, share));
}

static void
print_pools(const struct compare_side *side)
{
	char keys[FIGURES_MAX];

	printf("\npools of %s\n", side->table->conf->path);
	for (size_t i = 0; i < side->table->npools; i++) {
		const struct compare_count *pool = &side->pools[i];

		if (pool->keys == 0)
			continue;
		printf("  %-24s  %s keys, elsewhere ",
		    side->table->pools[i].conf->name,
		    figures_count(pool->keys, keys));
		print_part(pool->keys - pool->alike, pool->keys);
		putchar('\n');
	}
}

/* A server and how many of its keys differ. */
struct row {
	size_t		server;
	uint64_t	differ;
};

static int
compare_rows(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->differ != b->differ)
		return a->differ > b->differ ? -1 : 1;
	return (a->server > b->server) - (a->server < b->server);
}

/* False without memory. */
static bool
print_servers(const struct compare_side *side)
{
	size_t n = side->table->nservers;
	struct row *rows = mem_zalloc(n, sizeof(*rows));
	char keys[FIGURES_MAX];

	if (rows == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct row){i, side->servers[i].keys -
		    side->servers[i].alike};
	qsort(rows, n, sizeof(*rows), compare_rows);
	printf("\nservers of %s whose keys differ most\n",
	    side->table->conf->path);
	for (size_t i = 0; i < n && i < ROWS_SHOWN && rows[i].differ > 0;
	    i++) {
		uint64_t all = side->servers[rows[i].server].keys;

		printf("  %s/%s  %s keys, elsewhere ",
		    compare_pool(side, rows[i].server)->name,
		    compare_server(side, rows[i].server)->name,
		    figures_count(all, keys));
		print_part(rows[i].differ, all);
		putchar('\n');
	}
	mem_free(rows);
	return true;
}

static void
print_pairs(const struct compare *c)
{
	char keys[FIGURES_MAX];

	printf("\nkeys that differ\n");
	for (size_t i = 0; i < c->flows.nflows && i < ROWS_SHOWN; i++) {
		const struct ring_flow *flow = &c->flows.flows[i];

		printf("  %12s  %s/%s -> %s/%s\n",
		    figures_count(flow->extent.positions, keys),
		    compare_pool(&c->a, flow->from)->name,
		    compare_server(&c->a, flow->from)->name,
		    compare_pool(&c->b, flow->to)->name,
		    compare_server(&c->b, flow->to)->name);
	}
	if (c->flows.nflows > ROWS_SHOWN)
		printf("                and %s pairs more (--json has all)\n",
		    figures_count(c->flows.nflows - ROWS_SHOWN, keys));
}

int
compare_print(const struct compare *c)
{
	char keys[FIGURES_MAX];
	int status = EX_OK;

	printf("%s keys, and ", figures_count(c->total.keys, keys));
	print_part(c->total.alike, c->total.keys);
	printf(" have the same server by both, by its %s\n",
	    c->is_by_address ? "address" : "name");
	if (c->not_keys > 0)
		printf("%s lines are no keys (blanks, or more than %d bytes), "
		    "and were left out\n", figures_count(c->not_keys, keys),
		    REQUEST_KEY_MAX);
	if (c->total.alike < c->total.keys) {
		print_pools(&c->a);
		print_pools(&c->b);
		if (!print_servers(&c->a) || !print_servers(&c->b))
			status = session_no_memory();
		print_pairs(c);
	}
	return session_flush(status);
}
