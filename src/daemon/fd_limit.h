/* How many descriptors may be open. */
#ifndef DAEMON_FD_LIMIT_H
#define DAEMON_FD_LIMIT_H

#include <stddef.h>

#include "route/table.h"

/*
 * Asks for the descriptors that the limits of `table` may need with that many
 * workers; logs a warning if fewer are to be had. Main thread.
 */
void fd_limit_raise(const struct table *table, size_t nworkers);

#endif
