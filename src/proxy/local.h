/*
 * Commands that the proxy answers itself, in their turn.
 */
#ifndef PROXY_LOCAL_H
#define PROXY_LOCAL_H

#include "proto/request.h"
#include "proxy/client.h"

/*
 * The version that clients see: memcached's, whose grammar we speak, because
 * client libraries read meaning into it; our own name and version follow.
 */
#define LOCAL_MEMCACHED_VERSION "1.6.40"

/* Answers a command of shape META_NOOP or PLAIN. */
void local_answer(struct client *client, const struct request *req);

#endif
