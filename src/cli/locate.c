/*
 * `fairlead locate`: the server of each key, by the code that routes.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "cli/cli.h"

static const char usage[] =
"usage: fairlead locate -c FILE [-l LISTENER] KEY...\n"
"       fairlead locate -c FILE [-l LISTENER] -    keys from standard input\n"
"\n"
"Prints a line for each key: key, pool, server and address, with tabs\n"
"between. LISTENER is written as in FILE; the first one if not given.\n";

struct locate {
	const struct table		*table;
	const struct entrance		*entrance;
};

static void
locate_key(const struct locate *locate, struct span key)
{
	const struct pool *pool = table_pool(locate->table, locate->entrance,
	    key);
	uint32_t i = placement_owner(pool->placement, key);
	const struct conf_server *server = &pool->conf->servers[i];

	fwrite(key.p, 1, key.len, stdout);
	printf("\t%s\t%s\t%s\n", pool->conf->name, server->name,
	    server->address);
}

/* One key a line; blanks in a line cannot be part of a key, so they stay. */
static int
locate_input(const struct locate *locate)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while ((len = getline(&line, &size, stdin)) != -1) {
		if (len > 0 && line[len - 1] == '\n')
			len--;
		if (len > 0)
			locate_key(locate, span_of(line, (size_t)len));
	}
	free(line);
	if (ferror(stdin)) {
		perror("fairlead: standard input");
		return EX_NOINPUT;
	}
	return EX_OK;
}

static int
locate_all(const struct locate *locate, int nkeys, char **keys)
{
	int status = EX_OK;

	if (nkeys == 1 && strcmp(keys[0], "-") == 0)
		status = locate_input(locate);
	else
		for (int i = 0; i < nkeys; i++)
			locate_key(locate, span_str(keys[i]));
	if (fflush(stdout) != 0) {
		perror("fairlead: standard output");
		return EX_IOERR;
	}
	return status;
}

static int
run(const struct table *table, const char *listen, int nkeys, char **keys)
{
	struct locate locate = {table, &table->entrances[0]};

	if (listen != NULL)
		locate.entrance = table_entrance(table, listen);
	if (locate.entrance == NULL) {
		fprintf(stderr, "fairlead: %s has no listener \"%s\"\n",
		    table->conf->path, listen);
		return EX_USAGE;
	}
	return locate_all(&locate, nkeys, keys);
}

int
cli_locate(int argc, char **argv)
{
	const char *path = NULL, *listen = NULL;
	struct server_registry *registry;
	struct table *table;
	int c, status = EX_OK;

	while ((c = getopt(argc, argv, "+c:l:h")) != -1) {
		switch (c) {
		case 'c':
			path = optarg;
			break;
		case 'l':
			listen = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return EX_OK;
		default:
			fputs(usage, stderr);
			return EX_USAGE;
		}
	}
	if (path == NULL || optind == argc) {
		fputs(usage, stderr);
		return EX_USAGE;
	}
	registry = server_registry_new();
	if (registry == NULL) {
		fprintf(stderr, "fairlead: out of memory\n");
		return EX_OSERR;
	}
	table = cli_load(path, registry, &status);
	if (table != NULL)
		status = run(table, listen, argc - optind, argv + optind);
	table_unref(&table);
	server_registry_free(&registry);
	return status;
}
