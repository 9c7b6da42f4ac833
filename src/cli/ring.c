/*
 * `fairlead ring`: how evenly each pool's placement spreads its keys, and
 * what more points would buy.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/session.h"
#include "cli/spread.h"

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

/* What was asked for. Lent by the command line. */
struct wanted {
	const char	*path;
	const char	*pool;		/* NULL: all of them */
	bool		 is_json;
};

/* `pools` is NULL for text. False without memory. */
static bool
report(const struct pool *pool, struct json_doc *doc, json_t *pools)
{
	struct spread spread;
	bool is_good = spread_init(&spread, pool->placement);

	if (is_good)
		is_good = doc == NULL ? spread_print(&spread, pool) :
		    spread_put_json(&spread, pool, doc,
			json_doc_append(doc, pools));
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
		default:
			*status_r = session_other_option(c, usage);
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
