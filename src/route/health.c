/* The breaker. */
#include "route/health.h"

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
	health_set_policy(health, policy);
}

static bool
change_state(struct health *health, enum health_state from,
    enum health_state to)
{
	int expected = (int)from;

	return atomic_compare_exchange_strong_explicit(&health->state,
	    &expected, (int)to, memory_order_relaxed, memory_order_relaxed);
}

bool
health_succeeded(struct health *health)
{
	/* Written only when it changes: the line stays shared by all cores. */
	if (LOAD(failures) != 0)
		STORE(failures, 0);
	if (health_state(health) != HEALTH_TRIAL)
		return false;
	if (atomic_fetch_add_explicit(&health->successes, 1,
	    memory_order_relaxed) + 1 < HEALTH_TRIAL_SUCCESSES)
		return false;
	if (!change_state(health, HEALTH_TRIAL, HEALTH_UP))
		return false;
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
health_failed(struct health *health, uint64_t now_ms, uint32_t jitter)
{
	enum health_state state = health_state(health);
	uint64_t max = LOAD(max_failures), failures;

	if (state == HEALTH_DOWN)
		return false;
	failures = atomic_fetch_add_explicit(&health->failures, 1,
	    memory_order_relaxed) + 1;
	if (max == 0 || (state == HEALTH_UP && failures < max))
		return false;
	if (!change_state(health, state, HEALTH_DOWN))
		return false;
	plan_probe(health, now_ms, jitter);
	return true;
}

void
health_probe_succeeded(struct health *health)
{
	STORE(failures, 0);
	STORE(successes, 0);
	change_state(health, HEALTH_DOWN, HEALTH_TRIAL);
}

void
health_probe_failed(struct health *health, uint64_t now_ms, uint32_t jitter)
{
	plan_probe(health, now_ms, jitter);
}

uint64_t
health_probe_at_ms(const struct health *health)
{
	return LOAD(probe_at_ms);
}
