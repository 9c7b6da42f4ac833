/* How much memory to use where nobody says it. */
#include "conf/memory.h"

#define MIB (UINT64_C(1) << 20)

uint64_t
memory_default(uint64_t cgroup_limit, uint64_t physical)
{
	uint64_t share = cgroup_limit / 5 * 4 / MIB * MIB;

	/* A whole machine is for others too. */
	if (cgroup_limit == 0 || cgroup_limit >= physical)
		return 256 * MIB;
	return share < MIB ? MIB : share;
}
