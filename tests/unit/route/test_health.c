/* The breaker, with the time passed. */
#include "case.h"
#include "route/health.h"

static const struct health_policy policy = {
	.failures = 3,
	.retry_ms = 1000,
	.retry_max_ms = 5000,
};

static struct health health;

static void
set_up(void)
{
	health_init(&health, &policy);
}

static void
open_breaker(uint64_t now_ms)
{
	for (uint64_t i = 1; i < policy.failures; i++)
		ck_assert(!health_failed(&health, now_ms, 0));
	ck_assert(health_failed(&health, now_ms, 0));
	ck_assert_int_eq(health_state(&health), HEALTH_DOWN);
}

START_TEST(it_starts_closed)
{
	ck_assert_int_eq(health_state(&health), HEALTH_UP);
	ck_assert(!health_succeeded(&health));
	ck_assert_int_eq(health_state(&health), HEALTH_UP);
}
END_TEST

START_TEST(failures_in_a_row_open_it_once)
{
	open_breaker(100);
	/* The others of the queue fail too; nobody reports it again. */
	ck_assert(!health_failed(&health, 100, 0));
	ck_assert_uint_eq(health_probe_at_ms(&health), 1100);
}
END_TEST

START_TEST(a_success_in_between_starts_the_row_anew)
{
	for (int i = 0; i < 10; i++) {
		ck_assert(!health_failed(&health, 0, 0));
		ck_assert(!health_failed(&health, 0, 0));
		ck_assert(!health_succeeded(&health));
	}
	ck_assert_int_eq(health_state(&health), HEALTH_UP);
}
END_TEST

START_TEST(the_wait_doubles_with_each_failed_probe_up_to_its_most)
{
	static const uint64_t waits[] = {2000, 4000, 5000, 5000};
	uint64_t now_ms = 0;

	open_breaker(now_ms);
	for (size_t i = 0; i < LENGTH(waits); i++) {
		now_ms = health_probe_at_ms(&health);
		health_probe_failed(&health, now_ms, 0);
		ck_assert_uint_eq(health_probe_at_ms(&health),
		    now_ms + waits[i]);
		ck_assert_int_eq(health_state(&health), HEALTH_DOWN);
	}
}
END_TEST

START_TEST(jitter_adds_up_to_a_quarter_of_the_wait)
{
	static const uint32_t jitters[] = {0, 1, 249, 250, 251, 12345,
	    UINT32_MAX};

	for (size_t i = 0; i < LENGTH(jitters); i++) {
		health_init(&health, &policy);
		for (int n = 0; n < 3; n++)
			(void)health_failed(&health, 0, jitters[i]);
		ck_assert_uint_eq(health_probe_at_ms(&health),
		    1000 + jitters[i] % 251);
	}
}
END_TEST

START_TEST(a_probe_alone_does_not_close_it)
{
	open_breaker(0);
	health_probe_succeeded(&health);
	ck_assert_int_eq(health_state(&health), HEALTH_TRIAL);
	for (int i = 1; i < HEALTH_TRIAL_SUCCESSES; i++)
		ck_assert(!health_succeeded(&health));
	ck_assert_int_eq(health_state(&health), HEALTH_TRIAL);
	ck_assert(health_succeeded(&health));
	ck_assert_int_eq(health_state(&health), HEALTH_UP);
	ck_assert(!health_succeeded(&health));
}
END_TEST

START_TEST(any_failure_on_trial_opens_it_again_and_for_longer)
{
	open_breaker(0);
	health_probe_succeeded(&health);
	ck_assert(!health_succeeded(&health));
	ck_assert(health_failed(&health, 7000, 0));
	ck_assert_int_eq(health_state(&health), HEALTH_DOWN);
	ck_assert_uint_eq(health_probe_at_ms(&health), 7000 + 2000);
	/* And its successes are counted anew. */
	health_probe_succeeded(&health);
	for (int i = 1; i < HEALTH_TRIAL_SUCCESSES; i++)
		ck_assert(!health_succeeded(&health));
	ck_assert(health_succeeded(&health));
}
END_TEST

START_TEST(the_wait_is_forgotten_once_it_has_closed)
{
	open_breaker(0);
	health_probe_failed(&health, 1000, 0);
	health_probe_succeeded(&health);
	for (int i = 0; i < HEALTH_TRIAL_SUCCESSES; i++)
		(void)health_succeeded(&health);
	open_breaker(9000);
	ck_assert_uint_eq(health_probe_at_ms(&health), 9000 + 1000);
}
END_TEST

START_TEST(replies_that_come_while_it_is_open_do_not_close_it)
{
	open_breaker(0);
	for (int i = 0; i < 10; i++)
		ck_assert(!health_succeeded(&health));
	ck_assert_int_eq(health_state(&health), HEALTH_DOWN);
}
END_TEST

START_TEST(a_probe_of_a_closed_breaker_changes_nothing)
{
	health_probe_succeeded(&health);
	ck_assert_int_eq(health_state(&health), HEALTH_UP);
}
END_TEST

START_TEST(no_number_of_failures_opens_it_where_none_is_set)
{
	health_set_policy(&health, &(struct health_policy){.failures = 0});
	for (int i = 0; i < 1000; i++)
		ck_assert(!health_failed(&health, 0, 0));
	ck_assert_int_eq(health_state(&health), HEALTH_UP);
}
END_TEST

START_TEST(a_new_policy_holds_at_once)
{
	ck_assert(!health_failed(&health, 0, 0));
	health_set_policy(&health, &(struct health_policy){.failures = 2,
	    .retry_ms = 50, .retry_max_ms = 50});
	ck_assert(health_failed(&health, 100, 0));
	ck_assert_uint_eq(health_probe_at_ms(&health), 150);
	health_probe_failed(&health, 150, 0);
	ck_assert_uint_eq(health_probe_at_ms(&health), 200);
}
END_TEST

START_TEST(a_first_wait_above_the_most_is_cut)
{
	health_set_policy(&health, &(struct health_policy){.failures = 1,
	    .retry_ms = 9000, .retry_max_ms = 100});
	ck_assert(health_failed(&health, 0, 0));
	ck_assert_uint_eq(health_probe_at_ms(&health), 100);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("health");

	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, it_starts_closed);
	tcase_add_test(tc, failures_in_a_row_open_it_once);
	tcase_add_test(tc, a_success_in_between_starts_the_row_anew);
	tcase_add_test(tc,
	    the_wait_doubles_with_each_failed_probe_up_to_its_most);
	tcase_add_test(tc, jitter_adds_up_to_a_quarter_of_the_wait);
	tcase_add_test(tc, a_probe_alone_does_not_close_it);
	tcase_add_test(tc, any_failure_on_trial_opens_it_again_and_for_longer);
	tcase_add_test(tc, the_wait_is_forgotten_once_it_has_closed);
	tcase_add_test(tc, replies_that_come_while_it_is_open_do_not_close_it);
	tcase_add_test(tc, a_probe_of_a_closed_breaker_changes_nothing);
	tcase_add_test(tc,
	    no_number_of_failures_opens_it_where_none_is_set);
	tcase_add_test(tc, a_new_policy_holds_at_once);
	tcase_add_test(tc, a_first_wait_above_the_most_is_cut);
	return case_run("health", tc);
}
