/*
 * Statistics that only a proxy has: its own counters, its pools and servers.
 *
 * `stats NAME` answers them to clients; each function says the whole answer.
 */
#ifndef PROXY_LOCAL_STATS_OWN_H
#define PROXY_LOCAL_STATS_OWN_H

#include "proxy/client.h"

/* stats proxy: every counter and histogram, by its own name. */
void local_stats_proxy(struct client *client);

/* stats servers: each server of each pool. */
void local_stats_servers(struct client *client);

/* stats pools: each pool, its servers together. */
void local_stats_pools(struct client *client);

/* stats hotkeys: each hot key and its share of the requests. */
void local_stats_hotkeys(struct client *client);

#endif
