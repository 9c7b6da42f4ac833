/*
 * The log as the configuration has it. Main thread.
 */
#ifndef DAEMON_LOGGING_H
#define DAEMON_LOGGING_H

#include "base/must.h"
#include "conf/conf.h"

/*
 * Whether the log file of `conf` can be opened; it is made if need be. False:
 * a line is added to `errors_r`.
 */
bool logging_check(const struct conf *conf, struct conf_errors **errors_r)
    MUST_CHECK;

/*
 * Logs as `conf` says. The level is set only where the file's own changed
 * since `old` (NULL: the start), so that a reload leaves alone what a signal
 * set.
 */
void logging_apply(const struct conf *old, const struct conf *conf);

/*
 * SIGUSR1 opens the log file again, if there is one: it was renamed. SIGTTIN
 * asks for one level more of lines, SIGTTOU for one less. Others mean nothing.
 */
void logging_on_signal(const struct conf *conf, int number);

#endif
