/* How many servers of a pool may be down, by the workers' verdict. */
#include <pthread.h>

#include "case.h"
#include "route/verdict.h"

#define SERVERS 10

static struct server servers[SERVERS];
static struct server *members[SERVERS];
static struct pool pool;

static const struct health_policy policy = {.failures = 2, .retry_ms = 1000,
	.retry_max_ms = 1000};

/* A pool of the first `n`, of which `max_down` may be down. */
static void
set_pool(size_t n, uint64_t max_down)
{
	for (size_t i = 0; i < SERVERS; i++) {
		health_init(&servers[i].health, &policy);
		members[i] = &servers[i];
	}
	pool = (struct pool){.nservers = n, .servers = members,
	    .policy.max_down = max_down};
}

static enum verdict
fault(size_t i)
{
	return verdict_failed(&servers[i], &pool, 0, 0);
}

static enum health_state
state_of(size_t i)
{
	return health_state(&servers[i].health);
}

START_TEST(below_the_cap_enough_failures_bring_a_server_down)
{
	set_pool(3, 2);
	ck_assert_int_eq(fault(0), VERDICT_NONE);
	ck_assert_int_eq(fault(0), VERDICT_DOWN);
	ck_assert_int_eq(fault(0), VERDICT_NONE);
	ck_assert_int_eq(state_of(0), HEALTH_DOWN);
	ck_assert_int_eq(fault(1), VERDICT_NONE);
	ck_assert_int_eq(fault(1), VERDICT_DOWN);
}
END_TEST

START_TEST(at_the_cap_a_server_is_spared_and_told_of_once)
{
	set_pool(2, 1);
	(void)fault(0);
	(void)fault(0);
	ck_assert_int_eq(fault(1), VERDICT_NONE);
	ck_assert_int_eq(fault(1), VERDICT_SPARED);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(fault(1), VERDICT_NONE);
	ck_assert_int_eq(state_of(1), HEALTH_SUSPECT);
	ck_assert_uint_eq(health_count(&servers[1].health, HEALTH_SPARED), 1);
	ck_assert_uint_eq(health_count(&servers[1].health, HEALTH_OPENINGS),
	    0);
}
END_TEST

START_TEST(one_that_was_spared_goes_down_when_another_is_back)
{
	set_pool(2, 1);
	(void)fault(0);
	(void)fault(0);
	(void)fault(1);
	(void)fault(1);
	health_probe_succeeded(&servers[0].health);
	ck_assert_int_eq(fault(1), VERDICT_DOWN);
	/* And the one on trial can now not be spared. */
	ck_assert_int_eq(fault(0), VERDICT_SPARED);
	ck_assert_int_eq(state_of(0), HEALTH_SUSPECT);
}
END_TEST

START_TEST(a_server_without_a_pool_has_no_cap)
{
	set_pool(1, 0);
	ck_assert_int_eq(verdict_failed(&servers[0], NULL, 0, 0),
	    VERDICT_NONE);
	ck_assert_int_eq(verdict_failed(&servers[0], NULL, 0, 0),
	    VERDICT_DOWN);
}
END_TEST

/* A worker that finds half of the servers failing. */
static void *
fault_half(void *arg)
{
	size_t first = *(size_t *)arg;

	for (int round = 0; round < 2; round++) {
		for (size_t i = first; i < SERVERS; i += 2)
			(void)fault(i);
	}
	return NULL;
}

START_TEST(workers_that_decide_together_stay_within_the_cap)
{
	size_t firsts[] = {0, 1}, ndown;
	pthread_t threads[2];

	for (int round = 0; round < 200; round++) {
		set_pool(SERVERS, 3);
		for (size_t t = 0; t < 2; t++)
			ck_assert_int_eq(pthread_create(&threads[t], NULL,
			    fault_half, &firsts[t]), 0);
		for (size_t t = 0; t < 2; t++)
			pthread_join(threads[t], NULL);
		ndown = 0;
		for (size_t i = 0; i < SERVERS; i++)
			ndown += state_of(i) == HEALTH_DOWN;
		/* Both may have stood back for the last place. */
		ck_assert_uint_le(ndown, 3);
		ck_assert_uint_ge(ndown, 2);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("verdict");

	tcase_add_test(tc,
	    below_the_cap_enough_failures_bring_a_server_down);
	tcase_add_test(tc, at_the_cap_a_server_is_spared_and_told_of_once);
	tcase_add_test(tc, one_that_was_spared_goes_down_when_another_is_back);
	tcase_add_test(tc, a_server_without_a_pool_has_no_cap);
	tcase_add_test(tc, workers_that_decide_together_stay_within_the_cap);
	return case_run("verdict", tc);
}
