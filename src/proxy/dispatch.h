/*
 * Dispatch: a command that was parsed -> txn, servers, requests on the way.
 */
#ifndef PROXY_DISPATCH_H
#define PROXY_DISPATCH_H

#include "base/block.h"
#include "base/span.h"
#include "proto/request.h"
#include "proxy/client.h"
#include "proxy/txn.h"

/* A command without a body. */
void dispatch_command(struct client *client, const struct request *req);

/* A storage command whose body, CR LF included, is `body` in `block`. */
void dispatch_store(struct client *client, const struct request *req,
    struct block *block, struct span body);

/*
 * A storage command whose body comes later: a txn in state TXN_FILLING that
 * holds the place, or NULL without memory.
 */
struct txn *dispatch_begin(struct client *client, const struct request *req)
    MUST_CHECK;

/* Its body has been appended to `txn->body` and is whole. */
void dispatch_filled(struct client *client, struct txn *txn);

/*
 * A value above the limit: answers so, and deletes what the command would
 * have replaced. The caller skips the body.
 */
void dispatch_too_large(struct client *client, const struct request *req);

/* Asks again for what `slot`, a get's, was to bring. False: it cannot. */
bool dispatch_again(struct slot *slot) MUST_CHECK;

#endif
