/*
 * The breaker of one server: whether requests may be sent to it.
 *
 *	        failures in a row           a probe succeeds
 *	  UP ----------------------> DOWN -------------------> TRIAL
 *	  ^                            ^                         |
 *	  |                            +------- any failure -----+
 *	  +------------- HEALTH_TRIAL_SUCCESSES real replies ----+
 *
 * All workers share it: each tells it what came of its requests, and the main
 * thread probes while it is down. The wait before a probe doubles with each
 * relapse and is forgotten only when real replies have come again, so that a
 * server that answers probes but not requests does not flap.
 *
 * Atomics, relaxed throughout: each field is a fact of its own, and a worker
 * that sees it a moment late sends a request more or less. `state` decides
 * who reports a change: the thread whose exchange made it.
 */
#ifndef ROUTE_HEALTH_H
#define ROUTE_HEALTH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/must.h"

#define HEALTH_TRIAL_SUCCESSES 3

enum health_state { HEALTH_UP, HEALTH_DOWN, HEALTH_TRIAL };

/* When it opens and how long it waits. Set again by every reload. */
struct health_policy {
	uint64_t	failures;	/* in a row; 0: it never opens */
	uint64_t	retry_ms;	/* before the first probe */
	uint64_t	retry_max_ms;	/* before any probe */
};

struct health {
	_Atomic int		state;		/* enum health_state */
	_Atomic uint64_t	failures;	/* in a row */
	_Atomic uint64_t	successes;	/* real ones, on trial */
	_Atomic uint64_t	wait_ms;	/* before the next probe */
	_Atomic uint64_t	probe_at_ms;
	_Atomic uint64_t	max_failures;
	_Atomic uint64_t	retry_ms;
	_Atomic uint64_t	retry_max_ms;
};

void health_init(struct health *health, const struct health_policy *policy);

/* Main thread. */
void health_set_policy(struct health *health,
    const struct health_policy *policy);

static inline enum health_state
health_state(const struct health *health)
{
	return (enum health_state)atomic_load_explicit(&health->state,
	    memory_order_relaxed);
}

/* A reply came. True if this one closed the breaker. */
bool health_succeeded(struct health *health);

/*
 * A request failed by the server's fault. True if this one opened the
 * breaker. `jitter` is any random number.
 */
bool health_failed(struct health *health, uint64_t now_ms, uint32_t jitter);

/* A probe was answered: real requests may try. Main thread. */
void health_probe_succeeded(struct health *health);

/* A probe failed: wait longer. Main thread. */
void health_probe_failed(struct health *health, uint64_t now_ms,
    uint32_t jitter);

/* When a server that is down is to be probed next. */
uint64_t health_probe_at_ms(const struct health *health);

#endif
