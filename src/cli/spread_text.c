/* How evenly a pool spreads its keys, for a person. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/spread.h"
#include "conf/value.h"
#include "ring/ketama_caveat.h"

static int
name_width(const struct conf_pool *pool)
{
	size_t width = strlen("server");

	for (size_t i = 0; i < pool->nservers; i++) {
		size_t len = strlen(pool->servers[i].name);

		if (len > width)
			width = len;
	}
	return width > 60 ? 60 : (int)width;
}

static void
print_servers(const struct pool *pool, const struct spread *s)
{
	char share[FIGURES_MAX], ideal[FIGURES_MAX], points[FIGURES_MAX];
	char weight[VALUE_TEXT_MAX], ratio[FIGURES_MAX];
	bool has_points = placement_points(pool->placement) > 0;
	int width = name_width(pool->conf);

	printf("  %-*s  %10s  %10s  %9s  %9s  %11s\n", width, "server",
	    "weight", "points", "share", "ideal", "share/ideal");
	for (size_t i = 0; i < s->n; i++) {
		const struct conf_server *server = &pool->conf->servers[i];
		uint64_t n = placement_server_points(pool->placement, i);

		printf("  %-*s  %10s  %10s  %9s  %9s  %11s\n", width,
		    server->name, value_format_weight(server->weight, weight),
		    has_points ? figures_count(n, points) : "-",
		    figures_share(s->shares[i], share),
		    figures_share(s->ideals[i], ideal),
		    figures_ratio(s->shares[i] / s->ideals[i], ratio));
	}
}

static void
print_summary(const struct pool *pool, const struct spread *s)
{
	const struct conf_server *servers = pool->conf->servers;
	char max[FIGURES_MAX], min[FIGURES_MAX], text[FIGURES_MAX];

	printf("  max over mean %s (%s), min over mean %s (%s), ",
	    figures_ratio(s->max_over_mean, max), servers[s->heaviest].name,
	    figures_ratio(s->min_over_mean, min), servers[s->lightest].name);
	printf("standard deviation %s\n", figures_share(s->deviation, text));
	if (s->nkeys == 0)
		printf("  exact, from the arcs of the ring\n");
	else
		printf("  sampled: %s made-up keys were looked up; a share is "
		    "right within some %s of itself\n",
		    figures_count(s->nkeys, max),
		    figures_share(2 * sqrt((double)s->n / s->nkeys), text));
}

static void
print_table_row(const struct placement *p, const struct spread *s,
    uint32_t points_per_weight)
{
	char points[FIGURES_MAX], max[FIGURES_MAX], min[FIGURES_MAX];
	char deviation[FIGURES_MAX], bytes[FIGURES_MAX];

	printf("  %13u  %10s  %13s  %13s  %18s  %10s\n", points_per_weight,
	    figures_count(placement_points(p), points),
	    figures_ratio(s->max_over_mean, max),
	    figures_ratio(s->min_over_mean, min),
	    figures_share(s->deviation, deviation),
	    figures_bytes(placement_bytes(p), bytes));
}

/* One row of the table; false without memory. */
static bool
print_other(const struct pool *pool, uint32_t points_per_weight)
{
	struct placement *p;
	struct spread spread;
	struct err words;
	bool is_measured;

	if (!spread_fits(pool->placement, points_per_weight, &words)) {
		printf("  %13u  %s\n", points_per_weight, words.text);
		return true;
	}
	p = spread_rebuild(pool->placement, points_per_weight);
	if (p == NULL)
		return false;
	is_measured = spread_init(&spread, p);
	if (is_measured)
		print_table_row(p, &spread, points_per_weight);
	spread_fini(&spread);
	placement_free(&p);
	return is_measured;
}

static bool
print_table(const struct pool *pool)
{
	printf("\n  %13s  %10s  %13s  %13s  %18s  %10s\n", "points a unit",
	    "points", "max over mean", "min over mean", "standard deviation",
	    "memory");
	for (size_t i = 0; i < SPREAD_TABLE_ROWS; i++) {
		if (!print_other(pool, spread_table_points[i]))
			return false;
	}
	return true;
}

bool
spread_print(const struct spread *s, const struct pool *pool)
{
	const struct placement_spec *spec = &pool->conf->placement;
	char servers[FIGURES_MAX], points[FIGURES_MAX], bytes[FIGURES_MAX];
	struct err words;

	printf("pool %s: %s", pool->conf->name, placement_kind_name(
	    spec->kind));
	if (spec->hash != HASH_DEFAULT)
		printf(", %s", hash_kind_name(spec->hash));
	printf(", servers: %s", figures_count(s->n, servers));
	if (placement_points(pool->placement) > 0)
		printf(", points: %s in %s", figures_count(placement_points(
		    pool->placement), points), figures_bytes(placement_bytes(
		    pool->placement), bytes));
	putchar('\n');
	print_servers(pool, s);
	print_summary(pool, s);
	if (ketama_caveat(pool->placement, &words))
		printf("  warning: %s\n", words.text);
	return spec->kind != PLACEMENT_RING || print_table(pool);
}
