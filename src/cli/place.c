/*
 * `fairlead place compare`: how many of a person's keys two configurations
 * place alike.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/session.h"

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

/* What was asked for. Lent by the command line. */
struct wanted {
	const char	*keys;
	const char	*listen;	/* NULL: the first ones */
	const char	*a;
	const char	*b;
	bool		 is_by_address;
	bool		 is_json;
};

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
	return wanted->is_json ? compare_print_json(compare) :
	    compare_print(compare);
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
		default:
			*status_r = session_other_option(c, usage);
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
