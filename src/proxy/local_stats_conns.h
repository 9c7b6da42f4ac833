/* The clients of one worker, in memcached's form. */
#ifndef PROXY_LOCAL_STATS_CONNS_H
#define PROXY_LOCAL_STATS_CONNS_H

#include "proxy/client.h"

/*
 * stats conns: says the whole answer, of the first clients of the worker that
 * `asking` is at; those of others are not its to look at.
 */
void local_stats_conns(struct client *asking);

#endif
