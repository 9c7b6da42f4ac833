/*
 * Sockets of tables that wait, move or are dropped: each is opened once, and
 * none is left behind.
 */
#include <stdio.h>

#include "reloading.h"

/* A file with a second listener, and an admin listener of that name. */
static void
write_doors(const char *more, const char *door)
{
	char text[2048];
	int len = snprintf(text, sizeof(text),
	    "config_version: 1\n%s"
	    "listeners: [{listen: \"unix:%s/in\", pool: a}, "
	    "{listen: \"unix:%s/more\", pool: a}]\n"
	    "admin: {listen: \"unix:%s/%s\"}\n"
	    "pools: {a: {servers: [10.0.0.1:1, 10.0.0.2:1]}}\n", more,
	    reloading.dir, reloading.dir, reloading.dir, door);

	reloading_write(text, (size_t)len);
}

/* That there are so many more sockets than then, with their files. */
static void
expect_opened(const struct reloading_state *then, size_t n)
{
	struct reloading_state now = reloading_state();

	ck_assert_uint_eq(now.nfds, then->nfds + n);
	ck_assert_uint_eq(now.nfiles, then->nfiles + n);
}

START_TEST(each_allocation_may_fail_when_sockets_wait)
{
	char at[64];

	write_doors(reloading_far_away(0, at), "admin");
	reloading_fail_each_allocation(RELOAD_STAGED);
}
END_TEST

/* What is in the file, after sockets were opened for a table that waits. */
static void
write_without_doors(int which)
{
	char at[64];

	if (which == 0)
		reloading_write_pools("", BEFORE);
	else if (which == 1)
		reloading_write_pools(reloading_far_away(0, at), AFTER);
	else
		reloading_write_pools("", AFTER);
}

START_TEST(sockets_of_a_table_that_is_dropped_are_closed)
{
	static const enum reload_result results[] = {RELOAD_UNCHANGED,
	    RELOAD_STAGED, RELOAD_DONE};
	struct reloading_state before = reloading_state();
	char at[64];

	write_doors(reloading_far_away(0, at), "admin");
	ck_assert_int_eq(reloading_run(), RELOAD_STAGED);
	expect_opened(&before, 2);
	write_without_doors(_i);
	ck_assert_int_eq(reloading_run(), results[_i]);
	expect_opened(&before, 0);
	if (_i == 0)
		reloading_expect(&before);
}
END_TEST

START_TEST(sockets_of_a_table_that_waits_are_opened_once)
{
	struct reloading_state before = reloading_state();
	uint64_t first_ms;
	char at[64];

	write_doors(reloading_far_away(0, at), "admin");
	ck_assert_int_eq(reloading_run(), RELOAD_STAGED);
	first_ms = reloader_staged(reloading.reloader)->conf->activate_at_ms;
	write_doors(reloading_far_away(5000, at), "admin");
	ck_assert_int_eq(reloading_run(), RELOAD_STAGED);
	ck_assert_uint_ge(reloader_staged(reloading.reloader)
	    ->conf->activate_at_ms, first_ms + 5000);
	expect_opened(&before, 2);
	/* Now at once, with those that are there. */
	write_doors("", "admin");
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	expect_opened(&before, 2);
	/* The doors are open: each has an event, and admin's a tick. */
	ck_assert_int_eq(reloading_state().nevents, before.nevents + 3);
}
END_TEST

START_TEST(an_admin_listener_that_moves_or_goes_leaves_nothing)
{
	struct reloading_state before = reloading_state();

	write_doors("", "admin");
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	expect_opened(&before, 2);
	write_doors("", "other");
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	expect_opened(&before, 2);
	reloading_write_pools("", BEFORE);
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	expect_opened(&before, 0);
}
END_TEST

START_TEST(a_listener_that_cannot_be_bound_leaves_all_closed)
{
	struct reloading_state before = reloading_state();
	const struct reload_record *record;
	char text[512];
	int len = snprintf(text, sizeof(text), "config_version: 1\n"
	    "listeners:\n"
	    "  - {listen: \"unix:%s/new\", pool: a}\n"
	    "  - {listen: \"unix:%s/none/in\", pool: a}\n"
	    "  - {listen: \"unix:%s/f.yaml/in\", pool: a}\n"
	    "admin: {listen: \"unix:%s/admin\"}\n"
	    "pools: {" BEFORE "}\n", reloading.dir, reloading.dir,
	    reloading.dir, reloading.dir);

	reloading_write(text, (size_t)len);
	ck_assert_int_eq(reloading_run(), RELOAD_UNBINDABLE);
	record = reload_history_at(reloader_history(reloading.reloader), 0);
	ck_assert_uint_eq(conf_errors_count(record->errors), 2);
	ck_assert_ptr_null(record->diff);
	reloading_expect(&before);
}
END_TEST

START_TEST(an_admin_listener_that_cannot_be_bound_leaves_all_closed)
{
	struct reloading_state before = reloading_state();

	write_doors("", "none/admin");
	ck_assert_int_eq(reloading_run(), RELOAD_UNBINDABLE);
	reloading_expect(&before);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("sockets");

	tcase_add_checked_fixture(tc, reloading_set_up, reloading_tear_down);
	tcase_add_test(tc, each_allocation_may_fail_when_sockets_wait);
	tcase_add_loop_test(tc,
	    sockets_of_a_table_that_is_dropped_are_closed, 0, 3);
	tcase_add_test(tc, sockets_of_a_table_that_waits_are_opened_once);
	tcase_add_test(tc,
	    an_admin_listener_that_moves_or_goes_leaves_nothing);
	tcase_add_test(tc, a_listener_that_cannot_be_bound_leaves_all_closed);
	tcase_add_test(tc,
	    an_admin_listener_that_cannot_be_bound_leaves_all_closed);
	return case_run("reloader_sockets", tc);
}
