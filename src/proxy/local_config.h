/*
 * The config command, which clients of ElastiCache ask for the node list.
 */
#ifndef PROXY_LOCAL_CONFIG_H
#define PROXY_LOCAL_CONFIG_H

#include "proto/request.h"
#include "proxy/client.h"

/*
 * Answers `config get cluster` with this proxy as the only node, by the
 * address that the client reached it at; its version is the table's
 * generation. Anything else is an ERROR, as from any other memcached.
 */
void local_config(struct client *client, const struct request *req);

#endif
