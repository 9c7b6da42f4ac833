/* Histograms: buckets, their error, and what is read from them. */
#include <stdint.h>
#include <string.h>

#include "case.h"
#include "stats/histogram.h"

/* The value that is read back for one that was counted. */
static uint64_t
read_back(uint64_t value)
{
	struct histogram histogram = {0};
	struct histogram_sum sum = {.n = 0};

	histogram_add(&histogram, value);
	histogram_read(&histogram, &sum);
	ck_assert_uint_eq(sum.n, 1);
	return histogram_quantile(&sum, 0.5);
}

START_TEST(small_values_are_exact)
{
	for (uint64_t value = 0; value < 64; value++)
		ck_assert_uint_eq(read_back(value), value);
}
END_TEST

START_TEST(no_value_is_off_by_two_percent)
{
	for (uint64_t value = 64; value <= HISTOGRAM_MAX;
	    value += 1 + value / 37) {
		uint64_t got = read_back(value);
		uint64_t off = got > value ? got - value : value - got;

		ck_assert_msg(off * 50 < value, "%llu was read as %llu",
		    (unsigned long long)value, (unsigned long long)got);
	}
}
END_TEST

START_TEST(buckets_follow_each_other_without_a_gap)
{
	size_t last = histogram_bucket(0);

	ck_assert_uint_eq(last, 0);
	for (uint64_t value = 1; value < 1 << 14; value++) {
		size_t bucket = histogram_bucket(value);

		ck_assert(bucket == last || bucket == last + 1);
		last = bucket;
	}
	ck_assert_uint_eq(histogram_bucket(HISTOGRAM_MAX),
	    HISTOGRAM_BUCKETS - 1);
}
END_TEST

START_TEST(values_above_the_largest_count_as_that)
{
	ck_assert_uint_eq(histogram_bucket(HISTOGRAM_MAX + 1),
	    HISTOGRAM_BUCKETS - 1);
	ck_assert_uint_eq(histogram_bucket(UINT64_MAX),
	    HISTOGRAM_BUCKETS - 1);
}
END_TEST

START_TEST(a_value_may_be_counted_several_times_at_once)
{
	struct histogram histogram = {0};
	struct histogram_sum sum = {.n = 0};

	histogram_add_n(&histogram, 7, 3);
	histogram_add_n(&histogram, 9, 0);
	histogram_add(&histogram, 11);
	histogram_read(&histogram, &sum);
	ck_assert_uint_eq(sum.n, 4);
	ck_assert_uint_eq(histogram_count_to(&sum, 7), 3);
	ck_assert_uint_eq(histogram_count_to(&sum, 10), 3);
	ck_assert_uint_eq(histogram_quantile(&sum, 1), 11);
}
END_TEST

/* 1 to 1000, each once. */
static void
count_thousand(struct histogram_sum *sum)
{
	struct histogram histogram = {0};

	memset(sum, 0, sizeof(*sum));
	for (uint64_t value = 1; value <= 1000; value++)
		histogram_add(&histogram, value);
	histogram_read(&histogram, sum);
}

START_TEST(quantiles_are_of_the_values_counted)
{
	struct histogram_sum sum;

	count_thousand(&sum);
	ck_assert_uint_eq(sum.n, 1000);
	ck_assert_uint_eq(histogram_quantile(&sum, 0), 1);
	ck_assert_uint_eq(histogram_quantile(&sum, 0.05), 50);
	ck_assert_uint_ge(histogram_quantile(&sum, 0.5), 490);
	ck_assert_uint_le(histogram_quantile(&sum, 0.5), 510);
	ck_assert_uint_ge(histogram_quantile(&sum, 0.99), 971);
	ck_assert_uint_le(histogram_quantile(&sum, 0.99), 1009);
	ck_assert_uint_ge(histogram_quantile(&sum, 1), 981);
	ck_assert_uint_le(histogram_quantile(&sum, 1), 1019);
}
END_TEST

START_TEST(an_empty_one_answers_nought)
{
	struct histogram_sum sum = {.n = 0};

	ck_assert_uint_eq(histogram_quantile(&sum, 0.99), 0);
	ck_assert_uint_eq(histogram_count_to(&sum, UINT64_MAX), 0);
	ck_assert(histogram_total(&sum) == 0);
}
END_TEST

START_TEST(counts_up_to_a_bound_include_it)
{
	struct histogram_sum sum;

	count_thousand(&sum);
	ck_assert_uint_eq(histogram_count_to(&sum, 0), 0);
	ck_assert_uint_eq(histogram_count_to(&sum, 50), 50);
	ck_assert_uint_ge(histogram_count_to(&sum, 500), 500);
	ck_assert_uint_le(histogram_count_to(&sum, 500), 510);
	ck_assert_uint_eq(histogram_count_to(&sum, 5000), 1000);
	ck_assert_uint_eq(histogram_count_to(&sum, UINT64_MAX), 1000);
}
END_TEST

START_TEST(the_total_is_off_by_less_than_two_percent)
{
	struct histogram_sum sum;

	count_thousand(&sum);
	ck_assert(histogram_total(&sum) > 500500 * 0.98);
	ck_assert(histogram_total(&sum) < 500500 * 1.02);
}
END_TEST

START_TEST(several_are_read_into_one_and_an_earlier_reading_taken_away)
{
	struct histogram a = {0}, b = {0};
	struct histogram_sum before = {.n = 0}, after = {.n = 0};

	histogram_add(&a, 5);
	histogram_read(&a, &before);
	histogram_add(&a, 7);
	histogram_add(&b, 7);
	histogram_read(&a, &after);
	histogram_read(&b, &after);
	ck_assert_uint_eq(after.n, 3);
	histogram_subtract(&after, &before);
	ck_assert_uint_eq(after.n, 2);
	ck_assert_uint_eq(histogram_quantile(&after, 0), 7);
	/* A reading that is not earlier leaves nothing, not less. */
	histogram_subtract(&before, &after);
	histogram_subtract(&before, &before);
	ck_assert_uint_eq(before.n, 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("histogram");

	tcase_add_test(tc, small_values_are_exact);
	tcase_add_test(tc, no_value_is_off_by_two_percent);
	tcase_add_test(tc, buckets_follow_each_other_without_a_gap);
	tcase_add_test(tc, values_above_the_largest_count_as_that);
	tcase_add_test(tc, a_value_may_be_counted_several_times_at_once);
	tcase_add_test(tc, quantiles_are_of_the_values_counted);
	tcase_add_test(tc, an_empty_one_answers_nought);
	tcase_add_test(tc, counts_up_to_a_bound_include_it);
	tcase_add_test(tc, the_total_is_off_by_less_than_two_percent);
	tcase_add_test(tc,
	    several_are_read_into_one_and_an_earlier_reading_taken_away);
	return case_run("histogram", tc);
}
