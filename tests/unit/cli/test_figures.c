/* Numbers for a person, where rounding would tell an untruth. */
#include <stdlib.h>

#include "case.h"
#include "cli/figures.h"

static const struct {
	double		 share;
	const char	*text;
} shares[] = {
	{0, "0 %"},
	{-1e-18, "0 %"},
	{1e-19, "<0.01 %"},
	{0.000049, "<0.01 %"},
	{0.00005, "0.01 %"},
	{0.0001, "0.01 %"},
	{0.123456, "12.35 %"},
	{1.0 / 3, "33.33 %"},
	{0.99994, "99.99 %"},
	{0.99995, ">99.99 %"},
	{0.9999999, ">99.99 %"},
	{1, "100 %"},
};

START_TEST(only_nothing_is_nothing_and_only_all_is_all)
{
	char out[FIGURES_MAX];

	ck_assert_str_eq(figures_share(shares[_i].share, out),
	    shares[_i].text);
}
END_TEST

static const struct {
	uint64_t	 n;
	const char	*count;
	const char	*bytes;
} numbers[] = {
	{0, "0", "0 B"},
	{999, "999", "999 B"},
	{1000, "1,000", "1000 B"},
	{1023, "1,023", "1023 B"},
	{1024, "1,024", "1.0 KiB"},
	{123456, "123,456", "120.6 KiB"},
	{1048524, "1,048,524", "1023.9 KiB"},
	/* Not "1024.0 KiB". */
	{1048525, "1,048,525", "1.0 MiB"},
	{16777216, "16,777,216", "16.0 MiB"},
	{UINT64_C(1) << 40, "1,099,511,627,776", "1.0 TiB"},
	{UINT64_MAX, "18,446,744,073,709,551,615", "16777216.0 TiB"},
};

START_TEST(large_numbers_are_read_at_once)
{
	char out[FIGURES_MAX];

	ck_assert_str_eq(figures_count(numbers[_i].n, out), numbers[_i].count);
	ck_assert_str_eq(figures_bytes(numbers[_i].n, out), numbers[_i].bytes);
}
END_TEST

START_TEST(factors_have_three_decimals)
{
	char out[FIGURES_MAX];

	ck_assert_str_eq(figures_ratio(1, out), "1.000");
	ck_assert_str_eq(figures_ratio(1.0567, out), "1.057");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("figures");

	tcase_add_loop_test(tc, only_nothing_is_nothing_and_only_all_is_all,
	    0, sizeof(shares) / sizeof(shares[0]));
	tcase_add_loop_test(tc, large_numbers_are_read_at_once, 0,
	    sizeof(numbers) / sizeof(numbers[0]));
	tcase_add_test(tc, factors_have_three_decimals);
	return case_run("figures", tc);
}
