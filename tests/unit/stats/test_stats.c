/* Counters in cells. */
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "case.h"
#include "stats/stats.h"

START_TEST(a_sum_is_over_all_cells)
{
	struct stats *stats = stats_new(3);

	ck_assert_ptr_nonnull(stats);
	stats_bump(stats_cell(stats, 0), STATS_COMMANDS);
	stats_add(stats_cell(stats, 2), STATS_COMMANDS, 41);
	stats_add(stats_cell(stats, 1), STATS_TURNS, UINT64_C(1) << 40);
	ck_assert_uint_eq(stats_sum(stats, STATS_COMMANDS), 42);
	ck_assert_uint_eq(stats_sum(stats, STATS_TURNS), UINT64_C(1) << 40);
	ck_assert_uint_eq(stats_sum(stats, STATS_GET_HITS), 0);
	stats_free(&stats);
	ck_assert_ptr_null(stats);
	stats_free(&stats);
}
END_TEST

START_TEST(every_counter_starts_at_zero_and_is_its_own)
{
	struct stats *stats = stats_new(2);

	ck_assert_ptr_nonnull(stats);
	for (int i = 0; i < STATS_NCOUNTERS; i++) {
		ck_assert_uint_eq(stats_sum(stats, (enum stats_counter)i), 0);
		stats_add(stats_cell(stats, 1), (enum stats_counter)i,
		    (uint64_t)i + 1);
	}
	for (int i = 0; i < STATS_NCOUNTERS; i++)
		ck_assert_uint_eq(stats_sum(stats, (enum stats_counter)i),
		    (uint64_t)i + 1);
	stats_free(&stats);
}
END_TEST

START_TEST(a_reset_counts_anew_and_leaves_the_cells_alone)
{
	struct stats *stats = stats_new(1);
	struct stats_cell *cell;

	ck_assert_ptr_nonnull(stats);
	cell = stats_cell(stats, 0);
	stats_add(cell, STATS_COMMANDS, 10);
	stats_reset(stats);
	ck_assert_uint_eq(stats_sum(stats, STATS_COMMANDS), 0);
	stats_add(cell, STATS_COMMANDS, 5);
	ck_assert_uint_eq(stats_sum(stats, STATS_COMMANDS), 5);
	ck_assert_uint_eq(atomic_load(&cell->counters[STATS_COMMANDS]), 15);
	stats_reset(stats);
	stats_reset(stats);
	ck_assert_uint_eq(stats_sum(stats, STATS_COMMANDS), 0);
	stats_free(&stats);
}
END_TEST

START_TEST(histograms_are_summed_and_reset_like_counters)
{
	struct stats *stats = stats_new(2);
	struct histogram_sum sum;

	ck_assert_ptr_nonnull(stats);
	stats_note(stats_cell(stats, 0), STATS_REQUEST_GET, 40);
	stats_note(stats_cell(stats, 1), STATS_REQUEST_GET, 50);
	stats_read(stats, STATS_REQUEST_GET, &sum);
	ck_assert_uint_eq(sum.n, 2);
	stats_read(stats, STATS_REQUEST_SET, &sum);
	ck_assert_uint_eq(sum.n, 0);
	stats_reset(stats);
	stats_note(stats_cell(stats, 1), STATS_REQUEST_GET, 60);
	stats_read(stats, STATS_REQUEST_GET, &sum);
	ck_assert_uint_eq(sum.n, 1);
	ck_assert_uint_eq(histogram_quantile(&sum, 0.5), 60);
	stats_free(&stats);
}
END_TEST

START_TEST(no_two_cells_share_a_line_of_the_cache)
{
	struct stats *stats = stats_new(4);

	ck_assert_ptr_nonnull(stats);
	for (size_t i = 0; i < 4; i++) {
		uintptr_t at = (uintptr_t)stats_cell(stats, i);

		ck_assert_uint_eq(at % 64, 0);
		if (i > 0)
			ck_assert_uint_ge(at - (uintptr_t)stats_cell(stats,
			    i - 1), sizeof(struct stats_cell));
	}
	stats_free(&stats);
}
END_TEST

START_TEST(each_allocation_may_fail)
{
	struct stats *stats;
	int64_t n = 0;

	for (;; n++) {
		mem_fail_after(n);
		stats = stats_new(2);
		if (!mem_has_failed())
			break;
		ck_assert_ptr_null(stats);
	}
	mem_fail_after(-1);
	ck_assert_int_ge(n, 1);
	ck_assert_ptr_nonnull(stats);
	stats_free(&stats);
}
END_TEST

START_TEST(names_are_distinct)
{
	for (int i = 0; i < STATS_NCOUNTERS; i++) {
		const char *name = stats_name((enum stats_counter)i);

		ck_assert_uint_gt(strlen(name), 0);
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(name,
			    stats_name((enum stats_counter)j));
	}
	ck_assert_str_eq(stats_name(STATS_GET_HITS), "get_hits");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("stats");

	tcase_add_test(tc, a_sum_is_over_all_cells);
	tcase_add_test(tc, every_counter_starts_at_zero_and_is_its_own);
	tcase_add_test(tc, a_reset_counts_anew_and_leaves_the_cells_alone);
	tcase_add_test(tc, histograms_are_summed_and_reset_like_counters);
	tcase_add_test(tc, no_two_cells_share_a_line_of_the_cache);
	tcase_add_test(tc, each_allocation_may_fail);
	tcase_add_test(tc, names_are_distinct);
	return case_run("stats", tc);
}
