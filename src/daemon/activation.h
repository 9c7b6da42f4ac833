/*
 * The wait for an instant of the wall clock, however that clock is set
 * meanwhile: set forward past the instant it is over, set back it lasts
 * longer. Main thread.
 */
#ifndef DAEMON_ACTIVATION_H
#define DAEMON_ACTIVATION_H

#include <stdint.h>

#include "base/must.h"

struct activation;
struct event_base;

/* It waits for nothing yet. `on_time` is called with `arg`. NULL: failed. */
struct activation *activation_new(struct event_base *base,
    void (*on_time)(void *arg), void *arg) MUST_CHECK;

/* Waits for `unix_ms`, and no longer for any other instant. 0: for none. */
void activation_set(struct activation *activation, uint64_t unix_ms);

/* Frees and nulls; NULL inside is fine. */
void activation_free(struct activation **activation);

#endif
