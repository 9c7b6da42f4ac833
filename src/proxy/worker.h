/*
 * Workers: threads that serve clients, each with a loop, clients and server
 * connections of its own.
 *
 * The main thread talks to a worker through its inbox only, and reads its
 * counters; every function here is the main thread's.
 */
#ifndef PROXY_WORKER_H
#define PROXY_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/must.h"
#include "proxy/env.h"

struct doorway;
struct worker;

/*
 * A worker that will write the stats cell `index`, with one reference to
 * `table`; NULL without memory or descriptors. It does not run yet.
 */
struct worker *worker_new(struct proxy *proxy, size_t index,
    struct table *table) MUST_CHECK;

/* Starts its thread. */
bool worker_start(struct worker *worker) MUST_CHECK;

/*
 * For tests, in place of worker_start(): one turn in the caller's thread, at
 * the time `now_ms` and without waiting. False once the worker has stopped.
 */
bool worker_turn(struct worker *worker, uint64_t now_ms);

/*
 * Hands over an accepted socket, which it takes also on failure, and which
 * came by `doorway`. False without memory.
 */
bool worker_give_client(struct worker *worker, int fd,
    struct doorway *doorway) MUST_CHECK;

/* Clients that were handed over and have not left. */
uint64_t worker_clients(const struct worker *worker);

/* Hands over a newer table: takes one reference. Cannot fail. */
void worker_give_table(struct worker *worker, struct table *table);

/* Makes it turn its loop once more. */
void worker_wake(struct worker *worker);

/* Asks it to answer what is under way, to close its clients, and to end. */
void worker_stop(struct worker *worker);

/* Waits for its thread, or closes what its turns opened, and frees it. */
void worker_free(struct worker **worker);

#endif
