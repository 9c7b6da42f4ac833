/* The breaker. */
#include "route/health.h"

#include <stddef.h>

#define LOAD(field) atomic_load_explicit(&health->field, memory_order_relaxed)
#define STORE(field, value)                                                    \
	atomic_store_explicit(&health->field, (value), memory_order_relaxed)

void
health_set_policy(struct health *health, const struct health_policy *policy)
{
	STORE(max_failures, policy->failures);
	STORE(retry_ms, policy->retry_ms);
	STORE(retry_max_ms, policy->retry_max_ms);
}

void
health_init(struct health *health, const struct health_policy *policy)
{
	STORE(state, HEALTH_UP);
	STORE(failures, 0);
	STORE(successes, 0);
	STORE(wait_ms, 0);
	STORE(probe_at_ms, 0);
	STORE(opened_ms, 0);
	STORE(epoch, 0);
	for (int i = 0; i < HEALTH_NCOUNTS; i++)
		STORE(counts[i], 0);
	STORE(why, NULL);
	health_set_policy(health, policy);
}

const char *
health_state_name(enum health_state state)
{
	switch (state) {
	case HEALTH_UP:
		return "up";
	case HEALTH_DOWN:
		return "down";
	case HEALTH_TRIAL:
		return "trial";
	case HEALTH_SUSPECT:
		return "suspect";
	}
	NEVER();
}

const char *
health_count_name(enum health_count count)
{
	static const char *const names[] = {
#define X(member, name, help) [HEALTH_##member] = name,
		HEALTH_COUNTS(X)
#undef X
	};

	MUST(count < HEALTH_NCOUNTS);
	return names[count];
}

static void
bump(struct health *health, enum health_count count)
{
	atomic_fetch_add_explicit(&health->counts[count], 1,
	    memory_order_relaxed);
}

/*
 * Sequentially consistent: of two threads that each open a breaker and then
 * count those that are open, at least one sees both (verdict.c).
 */
static bool
change_state(struct health *health, enum health_state from,
    enum health_state to)
{
	int expected = (int)from;

	return atomic_compare_exchange_strong(&health->state, &expected,
	    (int)to);
}

bool
health_succeeded(struct health *health)
{
	enum health_state state = health_state(health);

	/* Written only when it changes: the line stays shared by all cores. */
	if (LOAD(failures) != 0)
		STORE(failures, 0);
	if (state != HEALTH_TRIAL && state != HEALTH_SUSPECT)
		return false;
	if (atomic_fetch_add_explicit(&health->successes, 1,
	    memory_order_relaxed) + 1 < HEALTH_PROOF)
		return false;
	if (!change_state(health, state, HEALTH_UP))
		return false;
	if (state == HEALTH_TRIAL)
		bump(health, HEALTH_RECOVERIES);
	STORE(wait_ms, 0);
	return true;
}

/* Doubles the wait, within the policy, and adds up to a quarter of it. */
static void
plan_probe(struct health *health, uint64_t now_ms, uint32_t jitter)
{
	uint64_t wait = LOAD(wait_ms), max = LOAD(retry_max_ms);

	wait = wait == 0 ? LOAD(retry_ms) : wait * 2;
	if (wait > max)
		wait = max;
	STORE(wait_ms, wait);
	STORE(probe_at_ms, now_ms + wait + jitter % (wait / 4 + 1));
}

bool
health_failed(struct health *health)
{
	uint64_t max = LOAD(max_failures), failures;

	bump(health, HEALTH_FAILURES);
	STORE(successes, 0);
	failures = atomic_fetch_add_explicit(&health->failures, 1,
	    memory_order_relaxed) + 1;
	if (max == 0)
		return false;
	switch (health_state(health)) {
	case HEALTH_UP:
		return failures >= max;
	case HEALTH_DOWN:
		return false;
	case HEALTH_TRIAL:
	case HEALTH_SUSPECT:
		return true;
	}
	NEVER();
}

void
health_renew(struct health *health)
{
	atomic_fetch_add_explicit(&health->epoch, 1, memory_order_release);
}

bool
health_open(struct health *health, uint64_t now_ms, uint32_t jitter)
{
	enum health_state state = health_state(health);

	if (state == HEALTH_DOWN || !change_state(health, state, HEALTH_DOWN))
		return false;
	bump(health, HEALTH_OPENINGS);
	health_renew(health);
	if (state == HEALTH_TRIAL)
		bump(health, HEALTH_RELAPSES);
	STORE(opened_ms, now_ms);
	plan_probe(health, now_ms, jitter);
	return true;
}

bool
health_spare(struct health *health)
{
	enum health_state state = health_state(health);

	if (state == HEALTH_SUSPECT ||
	    !change_state(health, state, HEALTH_SUSPECT))
		return false;
	bump(health, HEALTH_SPARED);
	return true;
}

void
health_probe_succeeded(struct health *health)
{
	STORE(failures, 0);
	STORE(successes, 0);
	if (change_state(health, HEALTH_DOWN, HEALTH_TRIAL))
		bump(health, HEALTH_TRIALS);
}

void
health_probe_failed(struct health *health, uint64_t now_ms, uint32_t jitter)
{
	bump(health, HEALTH_PROBE_FAILURES);
	plan_probe(health, now_ms, jitter);
}

void
health_postpone_probe(struct health *health, uint64_t now_ms)
{
	STORE(probe_at_ms, now_ms + LOAD(retry_ms));
}

void
health_hasten_probe(struct health *health, uint64_t now_ms)
{
	uint64_t latest_ms = now_ms + LOAD(retry_max_ms);

	if (LOAD(probe_at_ms) > latest_ms)
		STORE(probe_at_ms, latest_ms);
}

uint64_t
health_probe_at_ms(const struct health *health)
{
	return LOAD(probe_at_ms);
}
