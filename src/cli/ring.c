/*
 * `fairlead ring`: how evenly each pool's placement spreads its keys, and
 * what more points would buy.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/cli.h"
#include "cli/figures.h"
#include "cli/json.h"
#include "cli/session.h"
#include "cli/spread.h"
#include "conf/value.h"
#include "ring/ketama_caveat.h"

static const char usage[] =
"usage: fairlead ring -c FILE [-p POOL] [--json]\n"
"\n"
"For each pool and server: its share of the keys, the share that its weight\n"
"asks for, its points and memory; and over all servers the heaviest and the\n"
"lightest against the mean, and the standard deviation. For the placement\n"
"ring also what 1, 10, 50, 100, 200 and 500 points a unit would give.\n"
"\n"
"Shares are exact where the rule is a ring; elsewhere made-up keys are\n"
"looked up, and the report says so.\n"
"\n"
"  -c, --config FILE   the configuration\n"
"  -p, --pool POOL     this pool only\n"
"  -j, --json          the same as JSON, unrounded\n"
"  -h, --help          print this and exit\n";

static const struct option long_options[] = {
	{"config", required_argument, NULL, 'c'},
	{"pool", required_argument, NULL, 'p'},
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static const uint32_t table_points[] = {1, 10, 50, 100, 200, 500};

#define NTABLE (sizeof(table_points) / sizeof(table_points[0]))

/* What was asked for. Lent by the command line. */
struct wanted {
	const char	*path;
	const char	*pool;		/* NULL: all of them */
	bool		 is_json;
};

/* --- for a person --------------------------------------------------------- */

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

/* False without memory; a ring beyond max_points is an answer. */
static bool
print_table(const struct pool *pool)
{
	printf("\n  %13s  %10s  %13s  %13s  %18s  %10s\n", "points a unit",
	    "points", "max over mean", "min over mean", "standard deviation",
	    "memory");
	for (size_t i = 0; i < NTABLE; i++) {
		struct spread spread;
		struct err err;
		struct placement *p = spread_rebuild(pool->placement,
		    table_points[i], &err);
		bool is_measured;

		if (p == NULL) {
			printf("  %13u  %s\n", table_points[i], err.text);
			continue;
		}
		is_measured = spread_init(&spread, p);
		if (is_measured)
			print_table_row(p, &spread, table_points[i]);
		spread_fini(&spread);
		placement_free(&p);
		if (!is_measured)
			return false;
	}
	return true;
}

static bool
print_pool(const struct pool *pool, const struct spread *s)
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

/* --- for programs --------------------------------------------------------- */

static void
put_figures(struct json_doc *doc, json_t *object, const struct placement *p,
    const struct spread *s)
{
	json_doc_count(doc, object, "points", placement_points(p));
	json_doc_count(doc, object, "bytes", placement_bytes(p));
	json_doc_number(doc, object, "max_over_mean", s->max_over_mean);
	json_doc_number(doc, object, "min_over_mean", s->min_over_mean);
	json_doc_number(doc, object, "standard_deviation", s->deviation);
}

static void
put_servers(struct json_doc *doc, json_t *object, const struct pool *pool,
    const struct spread *s)
{
	json_t *array = json_doc_array(doc, object, "servers");

	for (size_t i = 0; i < s->n; i++) {
		const struct conf_server *server = &pool->conf->servers[i];
		json_t *row = json_doc_append(doc, array);

		json_doc_text(doc, row, "name", server->name);
		json_doc_text(doc, row, "address", server->address);
		json_doc_number(doc, row, "weight", server->weight);
		json_doc_count(doc, row, "points", placement_server_points(
		    pool->placement, i));
		json_doc_number(doc, row, "share", s->shares[i]);
		json_doc_number(doc, row, "ideal", s->ideals[i]);
		json_doc_number(doc, row, "share_over_ideal",
		    s->shares[i] / s->ideals[i]);
	}
}

static bool
put_table(struct json_doc *doc, json_t *object, const struct pool *pool)
{
	json_t *array = json_doc_array(doc, object, "points_table");

	for (size_t i = 0; i < NTABLE; i++) {
		json_t *row = json_doc_append(doc, array);
		struct spread spread;
		struct err err;
		struct placement *p = spread_rebuild(pool->placement,
		    table_points[i], &err);
		bool is_measured;

		json_doc_count(doc, row, "points_per_weight", table_points[i]);
		if (p == NULL) {
			json_doc_text(doc, row, "error", err.text);
			continue;
		}
		is_measured = spread_init(&spread, p);
		if (is_measured)
			put_figures(doc, row, p, &spread);
		spread_fini(&spread);
		placement_free(&p);
		if (!is_measured)
			return false;
	}
	return true;
}

static bool
put_pool(struct json_doc *doc, json_t *object, const struct pool *pool,
    const struct spread *s)
{
	const struct placement_spec *spec = &pool->conf->placement;
	struct err words;

	json_doc_text(doc, object, "name", pool->conf->name);
	json_doc_text(doc, object, "placement", placement_kind_name(
	    spec->kind));
	json_doc_text(doc, object, "hash", hash_kind_name(spec->hash));
	put_figures(doc, object, pool->placement, s);
	json_doc_bool(doc, object, "exact", s->nkeys == 0);
	json_doc_count(doc, object, "sampled_keys", s->nkeys);
	if (ketama_caveat(pool->placement, &words))
		json_doc_text(doc, object, "warning", words.text);
	put_servers(doc, object, pool, s);
	return spec->kind != PLACEMENT_RING || put_table(doc, object, pool);
}

/* --- the command ---------------------------------------------------------- */

/* `pools` is NULL for text. False without memory. */
static bool
report(const struct pool *pool, struct json_doc *doc, json_t *pools)
{
	struct spread spread;
	bool is_good = spread_init(&spread, pool->placement);

	if (is_good)
		is_good = doc == NULL ? print_pool(pool, &spread) :
		    put_pool(doc, json_doc_append(doc, pools), pool, &spread);
	spread_fini(&spread);
	return is_good;
}

static int
report_all(const struct table *table, const struct wanted *wanted)
{
	struct json_doc doc = {0};
	json_t *pools = NULL;
	int status = EX_OK;

	if (wanted->is_json) {
		json_doc_init(&doc);
		json_doc_text(&doc, doc.root, "path", wanted->path);
		pools = json_doc_array(&doc, doc.root, "pools");
	}
	for (size_t i = 0; i < table->npools && status == EX_OK; i++) {
		const struct pool *pool = &table->pools[i];

		if (wanted->pool != NULL &&
		    strcmp(wanted->pool, pool->conf->name) != 0)
			continue;
		if (!wanted->is_json && wanted->pool == NULL && i > 0)
			putchar('\n');
		if (!report(pool, wanted->is_json ? &doc : NULL, pools))
			status = session_no_memory();
	}
	return wanted->is_json ? json_doc_print(&doc, status) :
	    session_flush(status);
}

static int
run(const struct table *table, const struct wanted *wanted)
{
	if (wanted->pool != NULL &&
	    table_pool_by_name(table, wanted->pool) == NULL) {
		fprintf(stderr, "fairlead: %s has no pool \"%s\"\n",
		    wanted->path, wanted->pool);
		return EX_USAGE;
	}
	return report_all(table, wanted);
}

static bool
read_options(int argc, char **argv, struct wanted *wanted, int *status_r)
{
	int c;

	*status_r = EX_USAGE;
	while ((c = getopt_long(argc, argv, "c:p:jh", long_options,
	    NULL)) != -1) {
		switch (c) {
		case 'c':
			wanted->path = optarg;
			break;
		case 'p':
			wanted->pool = optarg;
			break;
		case 'j':
			wanted->is_json = true;
			break;
		case 'h':
			fputs(usage, stdout);
			*status_r = EX_OK;
			return false;
		default:
			fputs(usage, stderr);
			return false;
		}
	}
	if (wanted->path != NULL && optind == argc)
		return true;
	fputs(usage, stderr);
	return false;
}

int
cli_ring(int argc, char **argv)
{
	struct wanted wanted = {0};
	struct session session;
	int status;

	if (!read_options(argc, argv, &wanted, &status))
		return status;
	status = session_open(&session, wanted.path);
	if (status == EX_OK)
		status = run(session.table, &wanted);
	session_close(&session);
	return status;
}
