/*
 * `fairlead convert`: another program's configuration as ours, on standard
 * output. What is written has been loaded as the daemon would load it.
 */
#include "convert/convert.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/session.h"
#include "conf/read.h"

static const char usage[] =
"usage: fairlead convert [--from PROGRAM] [--listen ADDRESS] FILE\n"
"       fairlead convert [--from PROGRAM] [--listen ADDRESS] -\n"
"\n"
"Writes an equivalent configuration to standard output: the same placement of\n"
"keys, and a comment for each setting that means something else or nothing.\n"
"A comment that begins with LOST says what Fairlead does not do.\n"
"\n"
"  -f, --from PROGRAM    whose file it is: nutcracker (twemproxy's YAML),\n"
"                        libmemcached (\"--SERVER=... --HASH=...\" or\n"
"                        \"host:port,host:port\") or mcrouter (JSON); by\n"
"                        default as it looks\n"
"  -l, --listen ADDRESS  where clients will connect, where the file does not\n"
"                        say it; 127.0.0.1:11211 by default\n"
"  -h, --help            print this and exit\n";

static const struct option long_options[] = {
	{"from", required_argument, NULL, 'f'},
	{"listen", required_argument, NULL, 'l'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

typedef void converter(struct draft *draft, struct span text,
    const struct convert_options *options);

static const struct {
	const char	*name;
	converter	*convert;
} programs[] = {
	{"nutcracker", convert_nutcracker},
	{"libmemcached", convert_libmemcached},
	{"mcrouter", convert_mcrouter},
};

/* What was asked for. Lent by the command line. */
struct wanted {
	const char		*path;		/* "-": standard input */
	converter		*convert;	/* NULL: as it looks */
	struct convert_options	 options;
};

static converter *
by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].name, name) == 0)
			return programs[i].convert;
	}
	fprintf(stderr, "fairlead: convert knows nutcracker, libmemcached and "
	    "mcrouter, not \"%s\"\n", name);
	return NULL;
}

static converter *
by_look(struct span text)
{
	/* A file's bytes have no NUL behind them. */
	while (text.len > 0 && memchr(" \t\r\n", text.p[0], 4) != NULL)
		text = span_of(text.p + 1, text.len - 1);
	if (span_starts(text, span_str("{")) ||
	    span_starts(text, span_str("/")))
		return convert_mcrouter;
	if (span_starts(text, span_str("--")) &&
	    !span_starts(text, span_str("---")))
		return convert_libmemcached;
	return convert_nutcracker;
}

/*
 * Loads what was made. The source was right by itself, so whatever is wrong
 * now is something that the other program takes and we do not.
 */
static int
prove(const char *text, size_t len)
{
	struct server_registry *registry = server_registry_new();
	struct conf_errors *errors;
	struct table *table = NULL;
	struct conf *conf;
	int status = EX_OK;

	if (registry == NULL)
		return session_no_memory();
	conf = conf_parse("the result", text, len, &errors);
	if (conf != NULL)
		table = table_build(conf, NULL, registry, &errors);
	if (table == NULL) {
		session_complain(&errors);
		status = EX_DATAERR;
		conf_free(&conf);
	}
	if (status != EX_OK)
		fprintf(stderr, "fairlead: the configuration that this makes "
		    "would be refused:\n%s", text);
	table_unref(&table);
	server_registry_free(&registry);
	return status;
}

static int
print(const struct draft *draft)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int status;

	if (out == NULL)
		return session_no_memory();
	draft_write(draft, out);
	status = fclose(out) == 0 ? prove(text, len) : session_no_memory();
	if (status == EX_OK) {
		fputs(text, stdout);
		status = session_flush(status);
	}
	free(text);
	return status;
}

static int
convert(const struct wanted *wanted, struct span text,
    struct conf_errors **errors)
{
	converter *how = wanted->convert != NULL ? wanted->convert :
	    by_look(text);
	struct draft draft;
	int status = EX_DATAERR;

	if (!draft_init(&draft, *errors))
		return session_no_memory();
	draft_note(&draft, &draft.notes, "Made by \"fairlead convert\" from "
	    "%s.", strcmp(wanted->path, "-") == 0 ? "standard input" :
	    wanted->path);
	how(&draft, text, &wanted->options);
	if (errors_is_empty(*errors))
		status = print(&draft);
	else
		session_complain(errors);
	draft_fini(&draft);
	return status;
}

/* All of standard input; NULL after complaining. */
static char *
read_input(size_t *len_r)
{
	char *text = mem_alloc(CONF_FILE_MAX + 1);

	if (text == NULL) {
		session_no_memory();
		return NULL;
	}
	*len_r = fread(text, 1, CONF_FILE_MAX, stdin);
	text[*len_r] = '\0';
	if (!ferror(stdin) && (*len_r < CONF_FILE_MAX || getchar() == EOF))
		return text;
	fprintf(stderr, "fairlead: standard input: %s\n", ferror(stdin) ?
	    strerror(errno) : "too long");
	mem_free(text);
	return NULL;
}

static int
run(const struct wanted *wanted)
{
	bool is_input = strcmp(wanted->path, "-") == 0;
	struct conf_errors *errors = errors_new(wanted->path);
	int status = EX_NOINPUT;
	char *text;
	size_t len;

	if (errors == NULL)
		return session_no_memory();
	text = is_input ? read_input(&len) :
	    read_file(wanted->path, &len, errors);
	if (text != NULL)
		status = convert(wanted, span_of(text, len), &errors);
	else if (!is_input)
		session_complain(&errors);
	mem_free(text);
	conf_errors_free(&errors);
	return status;
}

static bool
read_options(int argc, char **argv, struct wanted *wanted, int *status_r)
{
	int c;

	*status_r = EX_USAGE;
	while ((c = getopt_long(argc, argv, "f:l:h", long_options,
	    NULL)) != -1) {
		switch (c) {
		case 'f':
			wanted->convert = by_name(optarg);
			if (wanted->convert == NULL)
				return false;
			break;
		case 'l':
			wanted->options.listen = optarg;
			break;
		default:
			*status_r = session_other_option(c, usage);
			return false;
		}
	}
	if (optind + 1 == argc) {
		wanted->path = argv[optind];
		return true;
	}
	fputs(usage, stderr);
	return false;
}

int
cli_convert(int argc, char **argv)
{
	struct wanted wanted = {
		.options = {.listen = "127.0.0.1:11211"},
	};
	int status;

	if (!read_options(argc, argv, &wanted, &status))
		return status;
	return run(&wanted);
}
