/*
 * The prober: asks servers that are down whether they answer again, so that
 * no client's request has to find out.
 *
 * A probe is a connection of its own and the command `version`. Main thread.
 */
#ifndef DAEMON_PROBER_H
#define DAEMON_PROBER_H

#include "base/must.h"
#include "route/table.h"

struct event_base;
struct prober;

/*
 * `on_failure` is called with `arg` after each probe that failed. NULL
 * without memory.
 */
struct prober *prober_new(struct event_base *base,
    void (*on_failure)(void *arg), void *arg) MUST_CHECK;

/* Probes the servers of `table`, which it takes a reference to. */
void prober_set_table(struct prober *prober, struct table *table);

/* Some server went down: looks which, and plans its probes. */
void prober_wake(struct prober *prober);

void prober_free(struct prober **prober);

#endif
