/*
 * The drain: after SIGTERM, clients are served until the last one has left or
 * a time is over. Main thread.
 */
#ifndef DAEMON_DRAIN_H
#define DAEMON_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/must.h"
#include "proxy/env.h"

struct drain;
struct event_base;

/* Not begun. `on_over` is called with `arg`, once. NULL without memory. */
struct drain *drain_new(struct event_base *base, const struct proxy *proxy,
    void (*on_over)(void *arg), void *arg) MUST_CHECK;

/* Begins; it lasts for `timeout_ms` at most. */
void drain_start(struct drain *drain, uint64_t timeout_ms);

bool drain_is_on(const struct drain *drain);

/* Frees and nulls; NULL inside is fine. */
void drain_free(struct drain **drain);

#endif
