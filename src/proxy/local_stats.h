/*
 * The stats command.
 */
#ifndef PROXY_LOCAL_STATS_H
#define PROXY_LOCAL_STATS_H

#include "proto/request.h"
#include "proxy/client.h"

/*
 * Answers stats with what the proxy itself has seen; what only servers know
 * is summed over them, or 0 without stats.backend_totals. Unknown arguments
 * answer END, as monitors expect of any memcached.
 */
void local_stats(struct client *client, const struct request *req);

#endif
