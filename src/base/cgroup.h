/*
 * Control groups: how much memory the system lets this process have, in a
 * container or as a service.
 */
#ifndef BASE_CGROUP_H
#define BASE_CGROUP_H

#include <stdint.h>

/*
 * The least of the memory limits of the process's cgroup and of those above
 * it, of either version of cgroups, in bytes; 0 where there is none. `root` is
 * what all paths begin with: "", but for tests. Reads some small files.
 */
uint64_t cgroup_memory_limit(const char *root);

#endif
