/* Descriptors and memory that the configured limits may need. */
#include "daemon/os_limits.h"

#include <stdint.h>
#include <sys/resource.h>

#include "base/cgroup.h"
#include "base/log.h"

/* Neither clients nor server connections. */
#define SPARE_FDS 64

static uint64_t
fds_needed(const struct table *table, size_t nworkers)
{
	uint64_t n = table->limits.clients + SPARE_FDS;

	for (size_t i = 0; i < table->npools; i++)
		n += table->pools[i].nservers * nworkers *
		    table->pools[i].policy.server_connections;
	return n;
}

static void
raise_fds(const struct table *table, size_t nworkers)
{
	uint64_t need = fds_needed(table, nworkers);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == -1 || limit.rlim_cur >= need)
		return;
	limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) == -1 || limit.rlim_cur < need)
		log_warn("at most %llu descriptors may be open, the limits "
		    "configured can need %llu: raise the limit (ulimit -n, "
		    "LimitNOFILE) or lower limits.clients",
		    (unsigned long long)limit.rlim_cur,
		    (unsigned long long)need);
}

/* Else the kernel ends the process where requests should be refused. */
static void
compare_memory(uint64_t memory)
{
	uint64_t limit = cgroup_memory_limit("");

	if (limit != 0 && memory > limit)
		log_warn("limits.memory is %llu bytes, and the cgroup may have "
		    "%llu in all: lower it, or leave it out for 80 %% of them",
		    (unsigned long long)memory, (unsigned long long)limit);
}

void
os_limits_meet(const struct table *table, size_t nworkers)
{
	raise_fds(table, nworkers);
	compare_memory(table->limits.memory);
}
