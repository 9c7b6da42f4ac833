/*
 * What is counted of requests on their way: their time by kind of command,
 * and their failures by server.
 */
#ifndef PROXY_TALLY_H
#define PROXY_TALLY_H

#include "proxy/env.h"
#include "proxy/reason.h"
#include "proxy/txn.h"
#include "stats/server_stats.h"

/* Notes how long the client waited for the txn, whose answer leaves now. */
void tally_answered(struct txn *txn);

/* A request for `server` (NULL: there is none) failed. */
void tally_failure(struct env *env, struct server *server, enum reason reason);

#endif
