/* Descriptors that the configured limits may need. */
#include "daemon/fd_limit.h"

#include <stdint.h>
#include <sys/resource.h>

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

void
fd_limit_raise(const struct table *table, size_t nworkers)
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
