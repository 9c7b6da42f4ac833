/*
 * Slow requests: a line in the log for each that took log.slow_request or
 * longer, as far as the gate lets them pass.
 */
#ifndef PROXY_SLOW_H
#define PROXY_SLOW_H

#include "base/span.h"
#include "proxy/txn.h"
#include "proxy/upstream.h"

/* The threshold of a worker that logs none. */
#define SLOW_NEVER UINT64_MAX

/*
 * Remembers the start of the key of a request whose txn keeps none, if it may
 * be needed for a line. Before it is sent.
 */
void slow_note_key(struct txn *txn, struct span key);

/* Writes the line: the slot has its reply now, or has none in time. */
void slow_log(const struct upstream *up, const struct slot *slot,
    const char *outcome);

/* Whether the request has taken so long already. */
static inline bool
slow_is(struct env *env, const struct slot *slot)
{
	return env_now_us(env) - slot->txn->began_us >= env->slow_us;
}

#endif
