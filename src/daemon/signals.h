/*
 * Signals, as numbers read from a pipe.
 *
 * The daemon sets its handlers before anything else, since process 1 gets no
 * signal that it has no handler for; what arrives before the loop runs waits
 * in the pipe. Commands have none: a signal ends them.
 */
#ifndef DAEMON_SIGNALS_H
#define DAEMON_SIGNALS_H

#include <stdbool.h>

#include "base/must.h"

/*
 * Catches TERM, INT, QUIT, HUP, USR1, USR2, TTIN, TTOU and CHLD. Once a
 * process. False if there is no pipe.
 */
bool signals_start(void) MUST_CHECK;

/* The end to read from: becomes readable when a signal has come. */
int signals_fd(void);

/* The next signal that came, or 0. Main thread. */
int signals_next(void);

/* Takes leave of children that ended: process 1 inherits all orphans. */
void signals_reap(void);

#endif
