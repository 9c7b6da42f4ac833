/*
 * `fairlead locate`: the servers of each key, by the code that routes.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/session.h"

static const char usage[] =
"usage: fairlead locate -c FILE [-l LISTENER | -p POOL] [-n N] KEY...\n"
"       fairlead locate -c FILE [-l LISTENER | -p POOL] [-n N] -\n"
"\n"
"Prints a line for each key: key, pool, server and address, with tabs\n"
"between. With -, keys are read from standard input, one a line.\n"
"\n"
"  -c, --config FILE        the configuration\n"
"  -l, --listener LISTENER  where the keys come in, as written in FILE; the\n"
"                           first listener if not given\n"
"  -p, --pool POOL          in this pool, whatever routes say\n"
"  -n, --replicas N         N servers for each key, the owner first, in the\n"
"                           order in which they would take over; each with\n"
"                           its address, on the same line\n"
"  -h, --help               print this and exit\n";

static const struct option long_options[] = {
	{"config", required_argument, NULL, 'c'},
	{"listener", required_argument, NULL, 'l'},
	{"pool", required_argument, NULL, 'p'},
	{"replicas", required_argument, NULL, 'n'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* What was asked for. Lent by the command line. */
struct wanted {
	const char	*path;
	const char	*listen;	/* NULL: the first one */
	const char	*pool;		/* NULL: as the listener routes */
	uint64_t	 replicas;
	int		 nkeys;
	char		**keys;
};

/* "\tserver\taddress", ready to be written. */
struct label {
	char	*text;		/* owned */
	size_t	 len;
};

struct locate {
	const struct table	*table;
	const struct entrance	*entrance;
	const struct pool	*pool;		/* NULL: by the entrance */
	size_t			 replicas;
	struct label		**labels;	/* by pool, then server */
	uint32_t		*owners;	/* room for `replicas` */
};

static void
locate_key(const struct locate *l, struct span key)
{
	const struct pool *pool = l->pool;
	const struct label *labels;
	size_t n = 1;

	if (pool == NULL)
		pool = table_pool(l->table, l->entrance, key);
	labels = l->labels[pool - l->table->pools];
	if (l->replicas == 1)
		l->owners[0] = placement_owner(pool->placement, key);
	else
		n = placement_owners(pool->placement, key, l->replicas,
		    l->owners);
	fwrite_unlocked(key.p, 1, key.len, stdout);
	putchar_unlocked('\t');
	fputs_unlocked(pool->conf->name, stdout);
	for (size_t i = 0; i < n; i++) {
		const struct label *label = &labels[l->owners[i]];

		fwrite_unlocked(label->text, 1, label->len, stdout);
	}
	putchar_unlocked('\n');
}

static bool
locate_line(void *arg, struct span key)
{
	locate_key(arg, key);
	/* Nobody reads any more: no need to go on. */
	return ferror_unlocked(stdout) == 0;
}

static int
locate_all(struct locate *l, const struct wanted *wanted)
{
	int status = EX_OK;

	if (wanted->nkeys == 1 && strcmp(wanted->keys[0], "-") == 0)
		status = session_each_line(stdin, "standard input",
		    locate_line, l);
	else
		for (int i = 0; i < wanted->nkeys; i++)
			locate_key(l, span_str(wanted->keys[i]));
	return session_flush(status);
}

static bool
make_labels(struct label *labels, const struct conf_pool *pool)
{
	for (size_t i = 0; i < pool->nservers; i++) {
		const struct conf_server *server = &pool->servers[i];
		size_t room = strlen(server->name) + strlen(server->address) +
		    sizeof("\t\t");

		labels[i].text = mem_alloc(room);
		if (labels[i].text == NULL)
			return false;
		labels[i].len = (size_t)snprintf(labels[i].text, room,
		    "\t%s\t%s", server->name, server->address);
	}
	return true;
}

static bool
fill(struct locate *l, const struct wanted *wanted)
{
	size_t most = 1;

	l->labels = mem_zalloc(l->table->npools, sizeof(*l->labels));
	if (l->labels == NULL)
		return false;
	for (size_t i = 0; i < l->table->npools; i++) {
		const struct conf_pool *pool = l->table->pools[i].conf;

		l->labels[i] = mem_zalloc(pool->nservers, sizeof(struct label));
		if (l->labels[i] == NULL || !make_labels(l->labels[i], pool))
			return false;
		if (pool->nservers > most)
			most = pool->nservers;
	}
	l->replicas = wanted->replicas < most ? wanted->replicas : most;
	l->owners = mem_zalloc(l->replicas, sizeof(*l->owners));
	return l->owners != NULL;
}

static void
fini(struct locate *l)
{
	for (size_t i = 0; l->labels != NULL && i < l->table->npools; i++) {
		size_t n = l->table->pools[i].conf->nservers;

		for (size_t j = 0; l->labels[i] != NULL && j < n; j++)
			mem_free(l->labels[i][j].text);
		mem_free(l->labels[i]);
	}
	mem_free(l->labels);
	mem_free(l->owners);
}

static int
run(const struct table *table, const struct wanted *wanted)
{
	struct locate l = {.table = table};
	int status;

	l.entrance = wanted->listen == NULL ? &table->entrances[0] :
	    table_entrance(table, wanted->listen);
	if (l.entrance == NULL) {
		fprintf(stderr, "fairlead: %s has no listener \"%s\"\n",
		    table->conf->path, wanted->listen);
		return EX_USAGE;
	}
	if (wanted->pool != NULL) {
		l.pool = table_pool_by_name(table, wanted->pool);
		if (l.pool == NULL) {
			fprintf(stderr, "fairlead: %s has no pool \"%s\"\n",
			    table->conf->path, wanted->pool);
			return EX_USAGE;
		}
	}
	status = fill(&l, wanted) ? locate_all(&l, wanted) :
	    session_no_memory();
	fini(&l);
	return status;
}

/* EX_OK: go on. Otherwise the command is over; `status_r` is how. */
static bool
read_options(int argc, char **argv, struct wanted *wanted, int *status_r)
{
	int c;

	*status_r = EX_USAGE;
	while ((c = getopt_long(argc, argv, "+c:l:p:n:h", long_options,
	    NULL)) != -1) {
		switch (c) {
		case 'c':
			wanted->path = optarg;
			break;
		case 'l':
			wanted->listen = optarg;
			break;
		case 'p':
			wanted->pool = optarg;
			break;
		case 'n':
			if (num_parse_u64(span_str(optarg),
			    &wanted->replicas) && wanted->replicas > 0)
				break;
			fprintf(stderr, "fairlead: -n takes a number from 1, "
			    "not \"%s\"\n", optarg);
			return false;
		default:
			*status_r = session_other_option(c, usage);
			return false;
		}
	}
	wanted->nkeys = argc - optind;
	wanted->keys = argv + optind;
	if (wanted->path != NULL && wanted->nkeys > 0 &&
	    (wanted->listen == NULL || wanted->pool == NULL))
		return true;
	fputs(usage, stderr);
	return false;
}

int
cli_locate(int argc, char **argv)
{
	struct wanted wanted = {.replicas = 1};
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
