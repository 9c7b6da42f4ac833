/* What the system lets this process have, against what is configured. */
#ifndef DAEMON_OS_LIMITS_H
#define DAEMON_OS_LIMITS_H

#include <stddef.h>

#include "route/table.h"

/*
 * Asks for the descriptors that the limits of `table` may need with that many
 * workers. Logs a warning if fewer are to be had, and if the cgroup may not
 * have the memory that the buffers may. Main thread.
 */
void os_limits_meet(const struct table *table, size_t nworkers);

#endif
