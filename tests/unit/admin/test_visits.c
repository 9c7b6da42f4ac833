/* Connections of the admin listener, counted and timed; the time is passed. */
#include <event2/bufferevent.h>
#include <event2/event.h>

#include "admin/visits.h"
#include "base/clock.h"
#include "case.h"

/* What a connection's owner hears. */
struct owner {
	struct bufferevent	*bev;
	short			 heard;
};

static struct event_base *base;
static struct visits *visits;
static struct owner owners[VISITS_MAX + 2];

static void
on_event(struct bufferevent *bev, short what, void *arg)
{
	struct owner *owner = arg;

	(void)bev;
	owner->heard |= what;
}

static void
begin(size_t i)
{
	owners[i] = (struct owner){.bev = visits_begin(visits)};
	ck_assert_ptr_nonnull(owners[i].bev);
	bufferevent_setcb(owners[i].bev, NULL, NULL, on_event, &owners[i]);
}

static void
set_up(void)
{
	base = event_base_new();
	visits = visits_new(base);
	ck_assert_ptr_nonnull(visits);
}

static void
end(size_t i)
{
	bufferevent_free(owners[i].bev);
	owners[i].bev = NULL;
}

static void
tear_down(void)
{
	for (size_t i = 0; i < LENGTH(owners); i++) {
		if (owners[i].bev != NULL)
			end(i);
	}
	visits_free(&visits);
	event_base_free(base);
}

static void
turn(void)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
}

START_TEST(one_that_its_owner_freed_is_over)
{
	begin(0);
	begin(1);
	ck_assert_uint_eq(visits_count(visits), 2);
	end(0);
	visits_expire(visits, clock_now_ms());
	ck_assert_uint_eq(visits_count(visits), 1);
	end(1);
	visits_expire(visits, clock_now_ms());
	ck_assert_uint_eq(visits_count(visits), 0);
}
END_TEST

START_TEST(one_that_takes_too_long_is_told_so)
{
	uint64_t now_ms;

	begin(0);
	now_ms = clock_now_ms();
	visits_expire(visits, now_ms + VISITS_LIMIT_MS - 1000);
	turn();
	ck_assert_int_eq(owners[0].heard, 0);
	visits_expire(visits, now_ms + VISITS_LIMIT_MS);
	turn();
	ck_assert_int_eq(owners[0].heard,
	    BEV_EVENT_TIMEOUT | BEV_EVENT_READING);
}
END_TEST

START_TEST(the_oldest_makes_room)
{
	for (size_t i = 0; i < VISITS_MAX; i++)
		begin(i);
	/* The first has asked something since, so the second is the oldest. */
	visits_note_request(visits, owners[0].bev);
	turn();
	for (size_t i = 0; i < VISITS_MAX; i++)
		ck_assert_int_eq(owners[i].heard, 0);
	/* Two at once, before any owner could act. */
	begin(VISITS_MAX);
	begin(VISITS_MAX + 1);
	turn();
	ck_assert_int_eq(owners[0].heard, 0);
	ck_assert_int_ne(owners[1].heard, 0);
	ck_assert_int_ne(owners[2].heard, 0);
	for (size_t i = 3; i < VISITS_MAX + 2; i++)
		ck_assert_int_eq(owners[i].heard, 0);
}
END_TEST

START_TEST(a_request_of_a_stranger_is_no_visit)
{
	struct bufferevent *other = bufferevent_socket_new(base, -1, 0);

	begin(0);
	visits_note_request(visits, other);
	ck_assert_uint_eq(visits_count(visits), 1);
	bufferevent_free(other);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("visits");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, one_that_its_owner_freed_is_over);
	tcase_add_test(tc, one_that_takes_too_long_is_told_so);
	tcase_add_test(tc, the_oldest_makes_room);
	tcase_add_test(tc, a_request_of_a_stranger_is_no_visit);
	return case_run("visits", tc);
}
