/* The default of limits.memory. */
#ifndef CONF_MEMORY_H
#define CONF_MEMORY_H

#include <stdint.h>

/*
 * 80 % of what the cgroup may have, as placements and connections come on
 * top; 256 MiB where there is no limit (0), or none below what the machine has
 * (`physical`, bytes). At least 1 MiB, in whole MiB.
 */
uint64_t memory_default(uint64_t cgroup_limit, uint64_t physical);

#endif
