/*
 * The breaker of one server: whether requests may be sent to it.
 *
 *	        failures in a row           a probe succeeds
 *	  UP ----------------------> DOWN -------------------> TRIAL
 *	  ^                            ^                         |
 *	  |                            +------- any failure -----+
 *	  +------------- HEALTH_PROOF real replies --------------+
 *
 * Where its pool can spare no more servers (verdict.h) it becomes SUSPECT in
 * place of DOWN: it is used on, and HEALTH_PROOF real replies clear it.
 *
 * All workers share it: each tells it what came of its requests, and the main
 * thread probes while it is down. The wait before a probe doubles with each
 * relapse and is forgotten only when real replies have come again, so that a
 * server that answers probes but not requests does not flap.
 *
 * Atomics, relaxed but for `state`: each field is a fact of its own, and a
 * worker that sees it a moment late sends a request more or less. `state`
 * decides who reports a change: the thread whose exchange made it.
 */
#ifndef ROUTE_HEALTH_H
#define ROUTE_HEALTH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/must.h"

/* Real replies in a row that end a trial, or a suspicion. */
#define HEALTH_PROOF 3

enum health_state { HEALTH_UP, HEALTH_DOWN, HEALTH_TRIAL, HEALTH_SUSPECT };

/* What happened to a server since it is known: member, name, help. */
#define HEALTH_COUNTS(X)                                                       \
	X(FAILURES, "failures", "failures that speak against the server")      \
	X(OPENINGS, "openings", "times it was found to be down")               \
	X(RELAPSES, "relapses", "of those, times it had been on trial")        \
	X(SPARED, "spared", "times it was kept in use by health.max_down")     \
	X(PROBE_FAILURES, "probe_failures", "probes that failed")              \
	X(TRIALS, "trials", "probes that succeeded, each began a trial")       \
	X(RECOVERIES, "recoveries", "times that real replies ended a trial")

enum health_count {
#define X(member, name, help) HEALTH_##member,
	HEALTH_COUNTS(X)
#undef X
	HEALTH_NCOUNTS
};

/* When it opens and how long it waits. Set again by every reload. */
struct health_policy {
	uint64_t	failures;	/* in a row; 0: it never opens */
	uint64_t	retry_ms;	/* before the first probe */
	uint64_t	retry_max_ms;	/* before any probe */
};

struct health {
	_Atomic int		state;		/* enum health_state */
	_Atomic uint64_t	failures;	/* in a row */
	_Atomic uint64_t	successes;	/* in a row, towards a proof */
	_Atomic uint64_t	wait_ms;	/* before the next probe */
	_Atomic uint64_t	probe_at_ms;
	_Atomic uint64_t	opened_ms;	/* when it last went down */
	/* Connections that were begun in another one are outdated. */
	_Atomic uint64_t	epoch;
	_Atomic uint64_t	max_failures;
	_Atomic uint64_t	retry_ms;
	_Atomic uint64_t	retry_max_ms;
	_Atomic uint64_t	counts[HEALTH_NCOUNTS];
	/* The last failure that spoke against it, as words; or NULL. */
	_Atomic(const char *)	why;
};

void health_init(struct health *health, const struct health_policy *policy);

/* Main thread. */
void health_set_policy(struct health *health,
    const struct health_policy *policy);

/* Any thread, as all that follows where nothing else is said. */
static inline enum health_state
health_state(const struct health *health)
{
	return (enum health_state)atomic_load_explicit(&health->state,
	    memory_order_relaxed);
}

/* "up", "down", "trial" or "suspect". */
const char *health_state_name(enum health_state state);

static inline uint64_t
health_count(const struct health *health, enum health_count count)
{
	return atomic_load_explicit(&health->counts[count],
	    memory_order_relaxed);
}

/* The count's name. */
const char *health_count_name(enum health_count count);

/* A reply came. True if this one made it UP. */
bool health_succeeded(struct health *health);

/*
 * A request failed by the server's fault. True if the server ought to be
 * down: the caller then calls health_open() or health_spare().
 */
bool health_failed(struct health *health) MUST_CHECK;

/*
 * Opens the breaker; `jitter` is any random number. True if this call did,
 * and not another thread's.
 */
bool health_open(struct health *health, uint64_t now_ms, uint32_t jitter);

/* Makes it SUSPECT, from whatever it was. True if this call did. */
bool health_spare(struct health *health);

/* A probe was answered: real requests may try. Main thread. */
void health_probe_succeeded(struct health *health);

/* A probe failed: wait longer. Main thread. */
void health_probe_failed(struct health *health, uint64_t now_ms,
    uint32_t jitter);

/* The probe could not be made, for a want of ours: wait as at first. */
void health_postpone_probe(struct health *health, uint64_t now_ms);

/* What was known of its connections holds no more. Any thread. */
void health_renew(struct health *health);

/*
 * Its epoch: another one after each health_renew(), and each time it goes
 * down. To be asked before its address is. Any thread.
 */
static inline uint64_t
health_epoch(const struct health *health)
{
	/* Acquire: pairs with health_renew(), which an address comes before. */
	return atomic_load_explicit(&health->epoch, memory_order_acquire);
}

/*
 * Brings a probe that is planned within the policy's longest wait from now
 * on: the policy may have become shorter. Main thread.
 */
void health_hasten_probe(struct health *health, uint64_t now_ms);

/* When a server that is down is to be probed next. */
uint64_t health_probe_at_ms(const struct health *health);

#endif
