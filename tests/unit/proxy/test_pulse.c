/* Whether a worker turns, seen from outside; the times are passed. */
#include <event2/event.h>

#include "base/clock.h"
#include "proxy/pulse.h"
#include "scene.h"

static struct worker *workers[1];
static struct event_base *base;
static struct pulse *pulse;

static void
set_up(void)
{
	scene = stage_new(2, SCENE_CONF("", ""));
	stage_begin(scene);
	workers[0] = scene->worker;
	base = event_base_new();
	pulse = pulse_new(base, scene->proxy.stats, workers, 1);
	ck_assert_ptr_nonnull(pulse);
}

static void
tear_down(void)
{
	pulse_free(&pulse);
	event_base_free(base);
	stage_end(scene);
	stage_free(&scene);
}

START_TEST(a_worker_that_turns_owes_nothing)
{
	uint64_t later_ms = clock_now_ms() + 2 * PULSE_LIMIT_MS;

	stage_turn(scene);
	ck_assert_uint_eq(pulse_silent_ms(pulse, 0, later_ms), 0);
	ck_assert(pulse_is_good(pulse, later_ms));
}
END_TEST

START_TEST(one_that_does_not_is_stuck_in_time)
{
	uint64_t now_ms = clock_now_ms();

	stage_turn(scene);
	pulse_take(pulse, now_ms);
	ck_assert_uint_eq(pulse_silent_ms(pulse, 0, now_ms + 10), 10);
	ck_assert(pulse_is_good(pulse, now_ms + PULSE_LIMIT_MS - 1));
	ck_assert(!pulse_is_good(pulse, now_ms + PULSE_LIMIT_MS));
}
END_TEST

START_TEST(being_asked_again_does_not_pay_the_debt)
{
	uint64_t now_ms = clock_now_ms();

	stage_turn(scene);
	pulse_take(pulse, now_ms);
	pulse_take(pulse, now_ms + 1000);
	ck_assert_uint_eq(pulse_silent_ms(pulse, 0, now_ms + 3000), 3000);
	stage_turn(scene);
	ck_assert_uint_eq(pulse_silent_ms(pulse, 0, now_ms + 3000), 0);
	pulse_take(pulse, now_ms + 4000);
	ck_assert_uint_eq(pulse_silent_ms(pulse, 0, now_ms + 4500), 500);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("pulse");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, a_worker_that_turns_owes_nothing);
	tcase_add_test(tc, one_that_does_not_is_stuck_in_time);
	tcase_add_test(tc, being_asked_again_does_not_pay_the_debt);
	return case_run("pulse", tc);
}
