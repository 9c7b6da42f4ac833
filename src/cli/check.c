/* Loading a configuration for the offline commands, and checking it. */
#include <stdio.h>
#include <sysexits.h>

#include "cli/cli.h"
#include "cli/session.h"
#include "ring/ketama_caveat.h"

struct table *
cli_load(const char *path, struct server_registry *registry, int *status_r)
{
	struct conf_errors *errors;
	struct conf *conf = conf_load(path, &errors);
	struct table *table;

	if (conf == NULL) {
		*status_r = conf_errors_is_unreadable(errors) ? EX_NOINPUT :
		    EX_CONFIG;
		session_complain(&errors);
		return NULL;
	}
	table = table_build(conf, NULL, registry, &errors);
	if (table == NULL) {
		session_complain(&errors);
		conf_free(&conf);
		*status_r = EX_CONFIG;
	}
	return table;
}

/* What to do with a table that could be built. */
static int
with_table(const char *path, void (*use)(const struct table *))
{
	struct session session;
	int status = session_open(&session, path);

	if (status == EX_OK)
		use(session.table);
	session_close(&session);
	return status;
}

/* Pools that do as they were asked, but perhaps not as was expected. */
static void
warn_of_caveats(const struct table *table)
{
	struct err words;

	for (size_t i = 0; i < table->npools; i++) {
		const struct conf_pool *pool = table->pools[i].conf;

		if (ketama_caveat(table->pools[i].placement, &words))
			fprintf(stderr, "%s:%u:%u: warning: pool \"%s\": %s\n",
			    table->conf->path, pool->place.line,
			    pool->place.column, pool->name, words.text);
	}
}

static void
say_good(const struct table *table)
{
	warn_of_caveats(table);
	fprintf(stderr, "%s: the configuration is good: %zu pools, %zu "
	    "servers, %zu listeners, membership %016llx\n",
	    table->conf->path, table->npools, table->nservers,
	    table->conf->nlisteners, (unsigned long long)table->membership);
}

static void
print(const struct table *table)
{
	conf_print(table->conf, stdout);
}

int
cli_check(const char *path)
{
	return with_table(path, say_good);
}

int
cli_print(const char *path)
{
	return session_flush(with_table(path, print));
}
