/* Waiting for an instant. */
#include <event2/event.h>

#include "base/clock.h"
#include "case.h"
#include "daemon/activation.h"

static struct event_base *base;
static struct activation *activation;
static int ncalls;

static void
on_time(void *arg)
{
	ck_assert_ptr_eq(arg, &ncalls);
	ncalls++;
}

static void
set_up(void)
{
	ncalls = 0;
	base = event_base_new();
	activation = activation_new(base, on_time, &ncalls);
	ck_assert_ptr_nonnull(activation);
}

static void
tear_down(void)
{
	activation_free(&activation);
	ck_assert_ptr_null(activation);
	event_base_free(base);
}

/* Turns until it has called once more; Check's time-out ends a wait. */
static void
turn_until(int n)
{
	while (ncalls < n)
		event_base_loop(base, EVLOOP_ONCE);
	event_base_loop(base, EVLOOP_NONBLOCK);
	ck_assert_int_eq(ncalls, n);
}

START_TEST(it_calls_once_and_not_early)
{
	uint64_t at_ms = clock_wall_ms() + 30;

	activation_set(activation, at_ms);
	turn_until(1);
	ck_assert_uint_ge(clock_wall_ms(), at_ms);
	/* A time that has passed is one that comes at once. */
	activation_set(activation, at_ms);
	turn_until(2);
}
END_TEST

START_TEST(another_instant_replaces_it_and_none_ends_it)
{
	uint64_t now_ms = clock_wall_ms();

	activation_set(activation, now_ms + 3600000);
	activation_set(activation, now_ms + 1);
	turn_until(1);
	/* It has expired, but nobody has looked when it is taken back. */
	activation_set(activation, now_ms + 1);
	activation_set(activation, 0);
	event_base_loop(base, EVLOOP_NONBLOCK);
	ck_assert_int_eq(ncalls, 1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("activation");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, it_calls_once_and_not_early);
	tcase_add_test(tc, another_instant_replaces_it_and_none_ends_it);
	return case_run("activation", tc);
}
