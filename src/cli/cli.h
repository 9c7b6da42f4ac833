/*
 * The commands: they read a configuration, or ask a running daemon, say
 * something, and end. Each gives the exit status, as sysexits.h has them.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/must.h"
#include "conf/conf.h"
#include "route/table.h"

/*
 * `-t`: whether the file would be accepted, placements built and all, with
 * every complaint on standard error. Binds and resolves nothing.
 */
int cli_check(const char *path);

/* `-T`: the effective configuration on standard output. */
int cli_print(const char *path);

/* The commands below get the command line from their own name on. */

/* `locate`: where keys go. */
int cli_locate(int argc, char **argv);

/* `ring`: how evenly each pool spreads its keys. */
int cli_ring(int argc, char **argv);

/* `plan`: what a reload from one file to another would do. */
int cli_plan(int argc, char **argv);

/* `place compare`: how many keys two configurations place alike. */
int cli_place(int argc, char **argv);

/* `convert`: another program's configuration as ours. */
int cli_convert(int argc, char **argv);

/* `schema`: the JSON Schema of a configuration. */
int cli_schema(int argc, char **argv);

/* `probe`, `wait`, `reload`: a running daemon, asked. */
int cli_probe(int argc, char **argv);
int cli_wait(int argc, char **argv);
int cli_reload(int argc, char **argv);

/*
 * For the commands: the table that the daemon would serve by, or NULL after
 * complaining on standard error, with the exit status in `status_r`.
 */
struct table *cli_load(const char *path, struct server_registry *registry,
    int *status_r) MUST_CHECK;

#endif
