/*
 * The offline commands: they read a configuration, say something, and end.
 * Each gives the exit status, as sysexits.h has them.
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

/* `locate`: where keys go. `argv[0]` is the command's name. */
int cli_locate(int argc, char **argv);

/*
 * For the commands: the table that the daemon would serve by, or NULL after
 * complaining on standard error, with the exit status in `status_r`.
 */
struct table *cli_load(const char *path, struct server_registry *registry,
    int *status_r) MUST_CHECK;

#endif
