/* What workers count of one server. */
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "case.h"
#include "stats/server_stats.h"

START_TEST(a_worker_keeps_its_cell)
{
	struct server_stats stats = {.head = NULL};
	struct server_cell *a = server_stats_cell(&stats, 0);
	struct server_cell *b = server_stats_cell(&stats, 3);

	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_nonnull(b);
	ck_assert_ptr_ne(a, b);
	ck_assert_ptr_eq(server_stats_cell(&stats, 0), a);
	ck_assert_ptr_eq(server_stats_cell(&stats, 3), b);
	server_stats_fini(&stats);
}
END_TEST

START_TEST(a_reading_is_over_all_workers)
{
	struct server_stats stats = {.head = NULL};
	struct server_sum sum;

	server_stats_read(&stats, &sum);
	for (int i = 0; i < SERVER_NCOUNTERS; i++)
		ck_assert_uint_eq(sum.counters[i], 0);
	for (size_t worker = 0; worker < 3; worker++) {
		struct server_cell *cell = server_stats_cell(&stats, worker);

		ck_assert_ptr_nonnull(cell);
		server_bump(cell, SERVER_REQUESTS);
		server_add(cell, SERVER_BYTES_READ, 100);
		histogram_add(&cell->time_us, 50 + worker);
	}
	server_stats_read(&stats, &sum);
	ck_assert_uint_eq(sum.counters[SERVER_REQUESTS], 3);
	ck_assert_uint_eq(sum.counters[SERVER_BYTES_READ], 300);
	ck_assert_uint_eq(sum.counters[SERVER_REPLIES], 0);
	ck_assert_uint_eq(server_stats_count(&stats, SERVER_BYTES_READ), 300);
	server_stats_add(&stats, &sum);
	ck_assert_uint_eq(sum.counters[SERVER_REQUESTS], 6);
	server_stats_read(&stats, &sum);
	ck_assert_uint_eq(sum.time_us.n, 3);
	ck_assert_uint_eq(histogram_quantile(&sum.time_us, 1), 52);
	server_stats_fini(&stats);
}
END_TEST

START_TEST(a_gauge_falls_too)
{
	struct server_stats stats = {.head = NULL};
	struct server_cell *cell = server_stats_cell(&stats, 0);
	struct server_sum sum;

	ck_assert_ptr_nonnull(cell);
	server_add(cell, SERVER_IN_FLIGHT, 2);
	server_add(cell, SERVER_IN_FLIGHT, (uint64_t)-1);
	server_stats_read(&stats, &sum);
	ck_assert_uint_eq(sum.counters[SERVER_IN_FLIGHT], 1);
	server_stats_fini(&stats);
}
END_TEST

START_TEST(without_memory_there_is_no_cell)
{
	struct server_stats stats = {.head = NULL};

	mem_fail_after(0);
	ck_assert_ptr_null(server_stats_cell(&stats, 0));
	mem_fail_after(-1);
	ck_assert_ptr_nonnull(server_stats_cell(&stats, 0));
	server_stats_fini(&stats);
}
END_TEST

START_TEST(names_are_distinct)
{
	for (int i = 0; i < SERVER_NCOUNTERS; i++) {
		const char *name = server_counter_name(
		    (enum server_counter)i);

		for (int j = 0; j < i; j++)
			ck_assert_str_ne(name, server_counter_name(
			    (enum server_counter)j));
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("server_stats");

	tcase_add_test(tc, a_worker_keeps_its_cell);
	tcase_add_test(tc, a_reading_is_over_all_workers);
	tcase_add_test(tc, a_gauge_falls_too);
	tcase_add_test(tc, without_memory_there_is_no_cell);
	tcase_add_test(tc, names_are_distinct);
	return case_run("server_stats", tc);
}
