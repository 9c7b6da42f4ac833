/*
 * The resolver: looks up the servers' host names, never blocking anybody.
 *
 * A look-up that fails keeps the last good address. Main thread.
 */
#ifndef DAEMON_RESOLVER_H
#define DAEMON_RESOLVER_H

#include "base/must.h"
#include "route/table.h"

struct event_base;
struct resolver;

/* NULL without memory. */
struct resolver *resolver_new(struct event_base *base) MUST_CHECK;

/*
 * Looks up the names of `table`, which it takes a reference to, now and as
 * often as its dns_refresh says.
 */
void resolver_set_table(struct resolver *resolver, struct table *table);

/*
 * Some server could not be reached: looks up the names of those that are
 * down, which may mean another address now, or have several.
 */
void resolver_wake(struct resolver *resolver);

/* Turns the loop once more, so that look-ups under way hear of their end. */
void resolver_free(struct resolver **resolver);

#endif
