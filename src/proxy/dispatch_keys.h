/*
 * Dispatch of commands that name several keys: one request a server, the
 * values merged in the order asked.
 */
#ifndef PROXY_DISPATCH_KEYS_H
#define PROXY_DISPATCH_KEYS_H

#include "base/must.h"
#include "proto/request.h"
#include "proxy/client.h"
#include "proxy/txn.h"

/* get, gets, gat or gats with more than one key. */
void dispatch_keys(struct client *client, const struct request *req);

/* Asks again for the keys of `slot` that are not answered. */
bool dispatch_keys_again(struct slot *slot) MUST_CHECK;

/* One request to every server of the client's pool: flush_all. */
void dispatch_everywhere(struct client *client, const struct request *req,
    struct span line);

#endif
