/*
 * Reloads by the real stages, in one thread, from a real file: what fails
 * leaves the last table, wherever and however often it fails.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/instant.h"
#include "base/mem.h"
#include "reloading.h"

START_TEST(each_allocation_may_fail)
{
	char more[256];

	/* With a listener and an admin listener that are to be opened. */
	snprintf(more, sizeof(more), "admin: {listen: \"unix:%.100s/admin\"}\n",
	    reloading.dir);
	reloading_write_pools(more, AFTER);
	reloading_fail_each_allocation(RELOAD_DONE);
	ck_assert_uint_eq(reloader_table(reloading.reloader)->generation, 2);
	ck_assert_ptr_eq(reloader_table(reloading.reloader),
	    reloading.committed);
	/* The first one is out of force, and nobody has it: it can go. */
	reloader_sweep(reloading.reloader);
}
END_TEST

START_TEST(each_allocation_may_fail_when_staging)
{
	char at[64];
	const struct table *staged;

	reloading_write_pools(reloading_far_away(0, at), AFTER);
	reloading_fail_each_allocation(RELOAD_STAGED);
	staged = reloader_staged(reloading.reloader);
	ck_assert_ptr_nonnull(staged);
	ck_assert_uint_eq(reloader_table(reloading.reloader)->generation, 1);
	/* And with one staged already, which stays. */
	reloading_write_pools(reloading_far_away(0, at),
	    BEFORE ", c: {servers: [y:1]}");
	reloading_fail_each_allocation(RELOAD_STAGED);
	ck_assert_ptr_ne(reloader_staged(reloading.reloader), staged);
}
END_TEST

START_TEST(nothing_is_allocated_when_its_time_has_come)
{
	char more[64], at[INSTANT_TEXT_MAX];

	snprintf(more, sizeof(more), "activate_at: %s\n", instant_format(
	    clock_wall_ms() + 50, at));
	reloading_write_pools(more, AFTER);
	ck_assert_int_eq(reloading_run(), RELOAD_STAGED);
	mem_fail_after(0);
	while (reloader_staged(reloading.reloader) != NULL)
		event_base_loop(reloading.base, EVLOOP_ONCE);
	ck_assert(!mem_has_failed());
	mem_fail_after(-1);
	ck_assert_uint_eq(reloader_table(reloading.reloader)->generation, 2);
	ck_assert_ptr_eq(reloader_table(reloading.reloader),
	    reloading.committed);
}
END_TEST

START_TEST(a_file_cut_anywhere_is_refused_or_means_what_it_says)
{
	static const char text[] =
	    "config_version: 1\n"
	    "listeners: [{listen: 127.0.0.1:0}]\n"
	    "pools:\n  a:\n    servers:\n"
	    "      - {name: x, address: 10.0.0.9:11211, weight: 12}\n"
	    "      - {name: y, address: 10.0.0.8:11211}\n"
	    "    timeouts: {request: 1500ms}\n";
	size_t naccepted = 0;

	for (size_t len = 0; len < sizeof(text); len++) {
		struct reloading_state before = reloading_state();
		struct conf_errors *errors;
		struct conf *conf;

		reloading_write(text, len);
		conf = conf_load(reloading.path, &errors);
		ck_assert_int_eq(reload_is_success(reloading_run()),
		    conf != NULL);
		if (conf == NULL)
			reloading_expect(&before);
		else
			naccepted++;
		conf_errors_free(&errors);
		conf_free(&conf);
		reloader_sweep(reloading.reloader);
	}
	ck_assert_uint_lt(naccepted, 8);
}
END_TEST

START_TEST(the_trail_tells_what_happened)
{
	const struct reload_history *history =
	    reloader_history(reloading.reloader);
	const struct reload_record *record;
	int before = reloading.novers;

	reloading_write_pools("", AFTER);
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	ck_assert_int_eq(reloading_run(), RELOAD_UNCHANGED);
	reloading_write("x: 1\n", 5);
	ck_assert_int_eq(reloading_run(), RELOAD_INVALID);
	unlink(reloading.path);
	ck_assert_int_eq(reloading_run(), RELOAD_UNREADABLE);
	ck_assert_int_eq(reloading.novers - before, 4);
	ck_assert_uint_eq(reload_history_count(history), 5);
	record = reload_history_at(history, 4);
	ck_assert_int_eq(record->trigger, RELOAD_BY_START);
	ck_assert_uint_eq(record->generation, 1);
	record = reload_history_at(history, 3);
	ck_assert_int_eq(record->trigger, RELOAD_BY_SIGNAL);
	ck_assert_uint_eq(record->generation, 2);
	ck_assert_uint_eq(record->diff->sum.added, 2);
	ck_assert_uint_eq(record->diff->sum.removed, 1);
	ck_assert_uint_le(record->at_ms, clock_wall_ms());
	ck_assert_uint_gt(record->at_ms, clock_wall_ms() - 60000);
	record = reload_history_at(history, 1);
	ck_assert_uint_gt(conf_errors_count(record->errors), 1);
	ck_assert_uint_eq(record->stage_us[RELOAD_STAGE_BUILD], 0);
	ck_assert(conf_errors_is_unreadable(
	    reload_history_at(history, 0)->errors));
}
END_TEST

START_TEST(a_table_is_freed_once_the_last_reference_is_gone)
{
	struct table *first = table_ref(reloader_table(reloading.reloader));
	struct table *second;

	reloading_write_pools("", AFTER);
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	second = table_ref(reloader_table(reloading.reloader));
	reloading_write_pools("", BEFORE);
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	/* In whatever order they are let go; a leak checker sees the rest. */
	reloader_sweep(reloading.reloader);
	ck_assert(!table_is_last_reference(first));
	table_unref(&second);
	reloader_sweep(reloading.reloader);
	ck_assert(!table_is_last_reference(first));
	ck_assert_uint_eq(first->generation, 1);
	table_unref(&first);
	reloader_sweep(reloading.reloader);
}
END_TEST

static uint32_t
last_id(void)
{
	const struct pool *pool = &reloader_table(reloading.reloader)->pools[0];

	return pool->servers[pool->nservers - 1]->id;
}

START_TEST(tables_do_not_pile_up_behind_a_worker_that_takes_none)
{
	struct table *first = table_ref(reloader_table(reloading.reloader));
	uint32_t id;

	reloading_write_pools("", "a: {servers: [10.0.0.1:1, 10.0.0.4:1]}");
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	id = last_id();
	reloading_write_pools("", BEFORE);
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	/* Nobody has the second one, so its own server is gone by now. */
	reloading_write_pools("", "a: {servers: [10.0.0.1:1, 10.0.0.5:1]}");
	ck_assert_int_eq(reloading_run(), RELOAD_DONE);
	ck_assert_uint_eq(last_id(), id);
	table_unref(&first);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reloader");

	tcase_add_checked_fixture(tc, reloading_set_up, reloading_tear_down);
	tcase_add_test(tc, each_allocation_may_fail);
	tcase_add_test(tc, each_allocation_may_fail_when_staging);
	tcase_add_test(tc, nothing_is_allocated_when_its_time_has_come);
	tcase_add_test(tc,
	    a_file_cut_anywhere_is_refused_or_means_what_it_says);
	tcase_add_test(tc, the_trail_tells_what_happened);
	tcase_add_test(tc,
	    a_table_is_freed_once_the_last_reference_is_gone);
	tcase_add_test(tc,
	    tables_do_not_pile_up_behind_a_worker_that_takes_none);
	return case_run("reloader", tc);
}
