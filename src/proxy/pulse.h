/*
 * The pulse: whether the workers' loops turn.
 *
 * Once a second each worker is woken, and one that is alive counts a turn.
 * Requests pay nothing for it. Main thread.
 */
#ifndef PROXY_PULSE_H
#define PROXY_PULSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "proxy/worker.h"

struct event_base;
struct pulse;

/* A worker that has not turned for so long is stuck. */
#define PULSE_LIMIT_MS 5000

/*
 * The pulse of `n` workers, which it lends with their statistics; the i-th
 * writes the i-th cell. NULL without memory.
 */
struct pulse *pulse_new(struct event_base *base, struct stats *stats,
    struct worker *const *workers, size_t n) MUST_CHECK;

/*
 * Wakes each worker that owes no turn. The pulse does so by itself, each
 * second; this is for tests.
 */
void pulse_take(struct pulse *pulse, uint64_t now_ms);

/* Since when the worker `i` owes a turn, in milliseconds; 0: it owes none. */
uint64_t pulse_silent_ms(const struct pulse *pulse, size_t i,
    uint64_t now_ms);

/* Whether no worker is stuck. */
bool pulse_is_good(const struct pulse *pulse, uint64_t now_ms);

void pulse_free(struct pulse **pulse);

#endif
