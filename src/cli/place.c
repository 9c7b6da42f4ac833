/*
 * `fairlead place compare`: how many of a person's keys two configurations
 * place alike.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/figures.h"
#include "cli/json.h"
#include "cli/session.h"
#include "proto/request.h"

static const char usage[] =
"usage: fairlead place compare --keys FILE A B [--by name|address] [--json]\n"
"\n"
"Looks up every key of FILE by the configurations A and B, and says how many\n"
"have the same server in both, and where the others go.\n"
"\n"
"  -k, --keys FILE          keys, one a line; - is standard input\n"
"  -b, --by name|address    what makes two servers the same; name if not\n"
"                           given. Names of pools do not count.\n"
"  -l, --listener LISTENER  where the keys come in, as written in both files;\n"
"                           the first listener of each if not given\n"
"  -j, --json               the same as JSON, with every pair of servers\n"
"  -h, --help               print this and exit\n";

static const struct option long_options[] = {
	{"keys", required_argument, NULL, 'k'},
	{"by", required_argument, NULL, 'b'},
	{"listener", required_argument, NULL, 'l'},
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* Rows of a table shown; JSON has them all. */
#define ROWS_SHOWN 20

/* What was asked for. Lent by the command line. */
struct wanted {
	const char	*keys;
	const char	*listen;	/* NULL: the first ones */
	const char	*a;
	const char	*b;
	bool		 is_by_address;
	bool		 is_json;
};

/* --- for a person --------------------------------------------------------- */

/* "1,000 (10.00 %)" of `all`. */
static void
print_part(uint64_t part, uint64_t all)
{
	char count[FIGURES_MAX], share[FIGURES_MAX];

	printf("%s (%s)", figures_count(part, count),
	    figures_share(all == 0 ? 0 : (double)part / (double)all, share));
}

static void
print_pools(const char *path, const struct compare_side *side)
{
	char keys[FIGURES_MAX];

	printf("\npools of %s\n", path);
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
print_servers(const char *path, const struct compare_side *side)
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
	printf("\nservers of %s whose keys differ most\n", path);
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

static int
print(const struct compare *c, const struct wanted *wanted)
{
	char keys[FIGURES_MAX];
	int status = EX_OK;

	printf("%s keys, and ", figures_count(c->total.keys, keys));
	print_part(c->total.alike, c->total.keys);
	printf(" have the same server by both, by its %s\n",
	    wanted->is_by_address ? "address" : "name");
	if (c->not_keys > 0)
		printf("%s lines are no keys (blanks, or more than %d bytes), "
		    "and were left out\n", figures_count(c->not_keys, keys),
		    REQUEST_KEY_MAX);
	if (c->total.alike < c->total.keys) {
		print_pools(wanted->a, &c->a);
		print_pools(wanted->b, &c->b);
		if (!print_servers(wanted->a, &c->a) ||
		    !print_servers(wanted->b, &c->b))
			status = session_no_memory();
		print_pairs(c);
	}
	return session_flush(status);
}

/* --- for programs --------------------------------------------------------- */

static void
put_count(struct json_doc *doc, json_t *row, const struct compare_count *count)
{
	json_doc_count(doc, row, "keys", count->keys);
	json_doc_count(doc, row, "alike", count->alike);
}

static void
put_side(struct json_doc *doc, const char *name, const char *path,
    const struct compare_side *side)
{
	json_t *object = json_doc_object(doc, doc->root, name);
	json_t *pools, *servers, *row;

	json_doc_text(doc, object, "path", path);
	pools = json_doc_array(doc, object, "pools");
	for (size_t i = 0; i < side->table->npools; i++) {
		row = json_doc_append(doc, pools);
		json_doc_text(doc, row, "name",
		    side->table->pools[i].conf->name);
		put_count(doc, row, &side->pools[i]);
	}
	servers = json_doc_array(doc, object, "servers");
	for (size_t i = 0; i < side->table->nservers; i++) {
		row = json_doc_append(doc, servers);
		json_doc_text(doc, row, "pool", compare_pool(side, i)->name);
		json_doc_text(doc, row, "name", compare_server(side, i)->name);
		json_doc_text(doc, row, "address",
		    compare_server(side, i)->address);
		put_count(doc, row, &side->servers[i]);
	}
}

static void
put_pairs(struct json_doc *doc, const struct compare *c)
{
	json_t *pairs = json_doc_array(doc, doc->root, "differ");

	for (size_t i = 0; i < c->flows.nflows; i++) {
		const struct ring_flow *flow = &c->flows.flows[i];
		json_t *row = json_doc_append(doc, pairs);

		json_doc_text(doc, row, "pool_a",
		    compare_pool(&c->a, flow->from)->name);
		json_doc_text(doc, row, "server_a",
		    compare_server(&c->a, flow->from)->name);
		json_doc_text(doc, row, "pool_b",
		    compare_pool(&c->b, flow->to)->name);
		json_doc_text(doc, row, "server_b",
		    compare_server(&c->b, flow->to)->name);
		json_doc_count(doc, row, "keys", flow->extent.positions);
	}
}

static int
print_json(const struct compare *c, const struct wanted *wanted)
{
	struct json_doc doc;

	json_doc_init(&doc);
	json_doc_text(&doc, doc.root, "by", wanted->is_by_address ?
	    "address" : "name");
	put_count(&doc, doc.root, &c->total);
	json_doc_number(&doc, doc.root, "share_alike",
	    (double)c->total.alike / (double)c->total.keys);
	json_doc_count(&doc, doc.root, "not_keys", c->not_keys);
	put_side(&doc, "a", wanted->a, &c->a);
	put_side(&doc, "b", wanted->b, &c->b);
	put_pairs(&doc, c);
	return json_doc_print(&doc, EX_OK);
}

/* --- the command ---------------------------------------------------------- */

static bool
take_line(void *arg, struct span line)
{
	struct compare *compare = arg;

	compare_key(compare, line);
	return !compare->is_broken;
}

static int
read_keys(struct compare *compare, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *in = is_stdin ? stdin : fopen(path, "re");
	int status;

	if (in == NULL) {
		fprintf(stderr, "fairlead: %s: %s\n", path, strerror(errno));
		return EX_NOINPUT;
	}
	status = session_each_line(in, is_stdin ? "standard input" : path,
	    take_line, compare);
	if (!is_stdin)
		fclose(in);
	return compare->is_broken ? session_no_memory() : status;
}

static int
report(struct compare *compare, const struct wanted *wanted)
{
	if (compare->total.keys == 0) {
		fprintf(stderr, "fairlead: there is no key in %s\n",
		    wanted->keys);
		return EX_DATAERR;
	}
	ring_flows_sort(&compare->flows);
	return wanted->is_json ? print_json(compare, wanted) :
	    print(compare, wanted);
}

/* The listener of one side; NULL after complaining. */
static const struct entrance *
find_entrance(const struct table *table, const char *listen)
{
	const struct entrance *entrance;

	if (listen == NULL)
		return &table->entrances[0];
	entrance = table_entrance(table, listen);
	if (entrance == NULL)
		fprintf(stderr, "fairlead: %s has no listener \"%s\"\n",
		    table->conf->path, listen);
	return entrance;
}

static int
run(const struct table *a, const struct table *b,
    const struct wanted *wanted)
{
	struct compare compare = {
		.a.table = a,
		.a.entrance = find_entrance(a, wanted->listen),
		.b.table = b,
		.b.entrance = find_entrance(b, wanted->listen),
		.is_by_address = wanted->is_by_address,
	};
	int status;

	if (compare.a.entrance == NULL || compare.b.entrance == NULL)
		return EX_USAGE;
	status = compare_init(&compare) ? read_keys(&compare, wanted->keys) :
	    session_no_memory();
	if (status == EX_OK)
		status = report(&compare, wanted);
	compare_fini(&compare);
	return status;
}

static bool
set_criterion(struct wanted *wanted, const char *word)
{
	wanted->is_by_address = strcmp(word, "address") == 0;
	if (wanted->is_by_address || strcmp(word, "name") == 0)
		return true;
	fprintf(stderr, "fairlead: --by takes name or address, not \"%s\"\n",
	    word);
	return false;
}

static bool
read_options(int argc, char **argv, struct wanted *wanted, int *status_r)
{
	int c;

	*status_r = EX_USAGE;
	while ((c = getopt_long(argc, argv, "k:b:l:jh", long_options,
	    NULL)) != -1) {
		switch (c) {
		case 'k':
			wanted->keys = optarg;
			break;
		case 'b':
			if (!set_criterion(wanted, optarg))
				return false;
			break;
		case 'l':
			wanted->listen = optarg;
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
	/* "compare" is the only thing to do with places, so far. */
	if (wanted->keys == NULL || argc - optind != 3 ||
	    strcmp(argv[optind], "compare") != 0) {
		fputs(usage, stderr);
		return false;
	}
	wanted->a = argv[optind + 1];
	wanted->b = argv[optind + 2];
	return true;
}

int
cli_place(int argc, char **argv)
{
	struct wanted wanted = {0};
	struct session a, b;
	int status, b_status;

	if (!read_options(argc, argv, &wanted, &status))
		return status;
	status = session_open(&a, wanted.a);
	/* What is wrong with the other is told at once, too. */
	b_status = session_open(&b, wanted.b);
	if (status == EX_OK)
		status = b_status;
	if (status == EX_OK)
		status = run(a.table, b.table, &wanted);
	session_close(&a);
	session_close(&b);
	return status;
}
