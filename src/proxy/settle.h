/*
 * The route step: what happens when a slot has an outcome. The one place
 * where that is decided: deliver, ask again, wait for a sibling, or answer
 * in the server's stead by the pool's down-policy.
 */
#ifndef PROXY_SETTLE_H
#define PROXY_SETTLE_H

#include "proto/reply.h"
#include "proxy/reason.h"
#include "proxy/txn.h"
#include "proxy/upstream.h"

/* The slot's whole reply has been read; its last line began with `word`. */
void settle_reply(struct slot *slot, enum reply_word word);

/*
 * There will be no reply from `server`, whose pool has that policy. A slot
 * still lent stays so; it was abandoned before.
 */
void settle_failure(struct slot *slot, struct server *server,
    enum on_down on_down, enum reason reason);

/* More bytes of a reply have come: some may go to the client already. */
void settle_progress(struct slot *slot);

#endif
