/*
 * Totals: asks every server `stats` every few seconds, while
 * stats.backend_totals is set, and publishes the sums.
 *
 * A question is a connection of its own, so no client waits behind it. A
 * server that is down, slow or makes no sense is left out of that round. A
 * server that several pools have is asked once. Main thread.
 */
#ifndef DAEMON_TOTALS_H
#define DAEMON_TOTALS_H

#include "base/must.h"
#include "route/table.h"
#include "stats/backend_totals.h"

struct event_base;
struct totals;

/* Publishes in `shown`, lent until totals_free(). NULL without memory. */
struct totals *totals_new(struct event_base *base,
    struct backend_totals *shown) MUST_CHECK;

/*
 * Asks the servers of `table`, which it takes a reference to, from now on, or
 * nobody if its configuration does not want it: then all sums are 0.
 */
void totals_set_table(struct totals *totals, struct table *table);

void totals_free(struct totals **totals);

#endif
