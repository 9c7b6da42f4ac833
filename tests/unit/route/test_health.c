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

/* A failure, as of a pool that can spare the server. True if it opened. */
static bool
fault(uint64_t now_ms, uint32_t jitter)
{
	return health_failed(&health) && health_open(&health, now_ms, jitter);
}

static void
open_breaker(uint64_t now_ms)
{
	for (uint64_t i = 1; i < policy.failures; i++)
		ck_assert(!fault(now_ms, 0));
	ck_assert(fault(now_ms, 0));
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
	uint64_t epoch = health_epoch(&health);

	open_breaker(100);
	ck_assert_uint_eq(health_epoch(&health), epoch + 1);
	/* The others of the queue fail too; nobody reports it again. */
	ck_assert(!fault(100, 0));
	ck_assert_uint_eq(health_epoch(&health), epoch + 1);
	ck_assert_uint_eq(health_probe_at_ms(&health), 1100);
}
END_TEST

START_TEST(a_success_in_between_starts_the_row_anew)
{
	for (int i = 0; i < 10; i++) {
		ck_assert(!fault(0, 0));
		ck_assert(!fault(0, 0));
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
			fault(0, jitters[i]);
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
	for (int i = 1; i < HEALTH_PROOF; i++)
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
	ck_assert(fault(7000, 0));
	ck_assert_int_eq(health_state(&health), HEALTH_DOWN);
	ck_assert_uint_eq(health_probe_at_ms(&health), 7000 + 2000);
	/* And its successes are counted anew. */
	health_probe_succeeded(&health);
	for (int i = 1; i < HEALTH_PROOF; i++)
		ck_assert(!health_succeeded(&health));
	ck_assert(health_succeeded(&health));
}
END_TEST

START_TEST(the_wait_is_forgotten_once_it_has_closed)
{
	open_breaker(0);
	health_probe_failed(&health, 1000, 0);
	health_probe_succeeded(&health);
	for (int i = 0; i < HEALTH_PROOF; i++)
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
		ck_assert(!fault(0, 0));
	ck_assert_int_eq(health_state(&health), HEALTH_UP);
}
END_TEST

START_TEST(a_new_policy_holds_at_once)
{
	ck_assert(!fault(0, 0));
	health_set_policy(&health, &(struct health_policy){.failures = 2,
	    .retry_ms = 50, .retry_max_ms = 50});
	ck_assert(fault(100, 0));
	ck_assert_uint_eq(health_probe_at_ms(&health), 150);
	health_probe_failed(&health, 150, 0);
	ck_assert_uint_eq(health_probe_at_ms(&health), 200);
}
END_TEST

START_TEST(a_probe_that_could_not_be_made_makes_no_wait_longer)
{
	open_breaker(100000);
	health_probe_failed(&health, 101000, 0);
	ck_assert_uint_eq(health_probe_at_ms(&health), 103000);
	health_postpone_probe(&health, 103000);
	ck_assert_uint_eq(health_probe_at_ms(&health), 104000);
	health_postpone_probe(&health, 104000);
	ck_assert_uint_eq(health_probe_at_ms(&health), 105000);
	health_probe_failed(&health, 105000, 0);
	ck_assert_uint_eq(health_probe_at_ms(&health), 109000);
}
END_TEST

START_TEST(a_shorter_wait_holds_for_a_probe_that_is_planned)
{
	open_breaker(100000);
	health_probe_failed(&health, 101000, 400);
	ck_assert_uint_eq(health_probe_at_ms(&health), 103400);
	health_set_policy(&health, &(struct health_policy){.failures = 3,
	    .retry_ms = 50, .retry_max_ms = 300});
	health_hasten_probe(&health, 101100);
	ck_assert_uint_eq(health_probe_at_ms(&health), 101400);
	/* It never becomes later. */
	health_hasten_probe(&health, 101200);
	ck_assert_uint_eq(health_probe_at_ms(&health), 101400);
}
END_TEST

START_TEST(a_first_wait_above_the_most_is_cut)
{
	health_set_policy(&health, &(struct health_policy){.failures = 1,
	    .retry_ms = 9000, .retry_max_ms = 100});
	ck_assert(fault(0, 0));
	ck_assert_uint_eq(health_probe_at_ms(&health), 100);
}
END_TEST

START_TEST(a_server_that_cannot_be_spared_is_suspect_and_cleared_by_proof)
{
	for (uint64_t i = 1; i < policy.failures; i++)
		ck_assert(!health_failed(&health));
	ck_assert(health_failed(&health));
	ck_assert(health_spare(&health));
	ck_assert(!health_spare(&health));
	ck_assert_int_eq(health_state(&health), HEALTH_SUSPECT);
	for (int i = 1; i < HEALTH_PROOF; i++)
		ck_assert(!health_succeeded(&health));
	/* Each failure asks again whether it can be spared by now. */
	ck_assert(health_failed(&health));
	for (int i = 1; i < HEALTH_PROOF; i++)
		ck_assert(!health_succeeded(&health));
	ck_assert_int_eq(health_state(&health), HEALTH_SUSPECT);
	ck_assert(health_succeeded(&health));
	ck_assert_int_eq(health_state(&health), HEALTH_UP);
	ck_assert_uint_eq(health_count(&health, HEALTH_SPARED), 1);
	ck_assert_uint_eq(health_count(&health, HEALTH_RECOVERIES), 0);
}
END_TEST

START_TEST(a_suspect_server_goes_down_once_it_can_be_spared)
{
	health_spare(&health);
	ck_assert(fault(50, 0));
	ck_assert_int_eq(health_state(&health), HEALTH_DOWN);
	ck_assert_uint_eq(health_count(&health, HEALTH_RELAPSES), 0);
}
END_TEST

START_TEST(every_change_is_counted)
{
	static const uint64_t wanted[HEALTH_NCOUNTS] = {
		[HEALTH_FAILURES] = 5,
		[HEALTH_OPENINGS] = 2,
		[HEALTH_RELAPSES] = 1,
		[HEALTH_PROBE_FAILURES] = 1,
		[HEALTH_TRIALS] = 2,
		[HEALTH_RECOVERIES] = 1,
	};

	open_breaker(10);
	ck_assert_uint_eq(atomic_load(&health.opened_ms), 10);
	/* Late, and nothing new; it is counted all the same. */
	ck_assert(!fault(20, 0));
	health_probe_failed(&health, 1010, 0);
	health_probe_succeeded(&health);
	ck_assert(fault(3000, 0));
	ck_assert_uint_eq(atomic_load(&health.opened_ms), 3000);
	health_probe_succeeded(&health);
	health_probe_succeeded(&health);
	for (int i = 0; i < 2 * HEALTH_PROOF; i++)
		health_succeeded(&health);
	for (enum health_count i = 0; i < HEALTH_NCOUNTS; i++)
		ck_assert_msg(health_count(&health, i) == wanted[i],
		    "%s is %llu", health_count_name(i),
		    (unsigned long long)health_count(&health, i));
}
END_TEST

START_TEST(states_and_counts_have_names)
{
	ck_assert_str_eq(health_state_name(HEALTH_UP), "up");
	ck_assert_str_eq(health_state_name(HEALTH_DOWN), "down");
	ck_assert_str_eq(health_state_name(HEALTH_TRIAL), "trial");
	ck_assert_str_eq(health_state_name(HEALTH_SUSPECT), "suspect");
	ck_assert_str_eq(health_count_name(HEALTH_FAILURES), "failures");
	ck_assert_str_eq(health_count_name(HEALTH_RECOVERIES), "recoveries");
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
	tcase_add_test(tc, a_shorter_wait_holds_for_a_probe_that_is_planned);
	tcase_add_test(tc, a_first_wait_above_the_most_is_cut);
	tcase_add_test(tc,
	    a_server_that_cannot_be_spared_is_suspect_and_cleared_by_proof);
	tcase_add_test(tc,
	    a_suspect_server_goes_down_once_it_can_be_spared);
	tcase_add_test(tc,
	    a_probe_that_could_not_be_made_makes_no_wait_longer);
	tcase_add_test(tc, every_change_is_counted);
	tcase_add_test(tc, states_and_counts_have_names);
	return case_run("health", tc);
}
