/*
 * The daemon: everything wired together, from the first table to the end.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

/*
 * Serves by the configuration file at `path` until a signal ends it. The
 * exit status, as sysexits.h has them: 0; 66, 69, 71 or 78 if it could not
 * start. signals_start() comes first.
 */
int daemon_run(const char *path);

#endif
