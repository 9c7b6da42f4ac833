/* Strict decimals. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

struct u64_row {
	const char	*text;
	bool		 is_right;
	uint64_t	 n;
};

static const struct u64_row u64_rows[] = {
	{"0", true, 0},
	{"7", true, 7},
	{"007", true, 7},
	{"18446744073709551615", true, UINT64_MAX},
	{"00000000000000000000018446744073709551615", true, UINT64_MAX},
	{"9999999999999999999", true, UINT64_C(9999999999999999999)},
	{"999999999999999999x", false, 0},
	{"18446744073709551616", false, 0},
	{"18446744073709551620", false, 0},
	{"99999999999999999999", false, 0},
	{"", false, 0},
	{"-1", false, 0},
	{"+1", false, 0},
	{" 1", false, 0},
	{"1 ", false, 0},
	{"0x10", false, 0},
	{"1e3", false, 0},
	{"1.0", false, 0},
	{"/", false, 0},
	{":", false, 0},
	{"\xb2", false, 0},
};

START_TEST(only_whole_digits_that_fit_are_a_u64)
{
	const struct u64_row *row = &u64_rows[_i];
	uint64_t n = 12345;

	ck_assert_msg(num_parse_u64(span_str(row->text), &n) == row->is_right,
	    "\"%s\"", row->text);
	ck_assert_uint_eq(n, row->is_right ? row->n : 12345);
}
END_TEST

START_TEST(a_bound_is_itself_allowed)
{
	uint64_t n = 12345;

	ck_assert(num_parse_u64_max(span_str("65535"), 65535, &n));
	ck_assert_uint_eq(n, 65535);
	ck_assert(!num_parse_u64_max(span_str("65536"), 65535, &n));
	ck_assert(!num_parse_u64_max(span_str("x"), 65535, &n));
	ck_assert_uint_eq(n, 65535);
}
END_TEST

struct i64_row {
	const char	*text;
	bool		 is_right;
	int64_t		 n;
};

static const struct i64_row i64_rows[] = {
	{"0", true, 0},
	{"-0", true, 0},
	{"-1", true, -1},
	{"9223372036854775807", true, INT64_MAX},
	{"-9223372036854775808", true, INT64_MIN},
	{"9223372036854775808", false, 0},
	{"-9223372036854775809", false, 0},
	{"", false, 0},
	{"-", false, 0},
	{"--1", false, 0},
	{"+1", false, 0},
	{"- 1", false, 0},
};

START_TEST(one_minus_may_stand_before_an_i64)
{
	const struct i64_row *row = &i64_rows[_i];
	int64_t n = 12345;

	ck_assert_msg(num_parse_i64(span_str(row->text), &n) == row->is_right,
	    "\"%s\"", row->text);
	ck_assert_int_eq(n, row->is_right ? row->n : 12345);
}
END_TEST

START_TEST(numbers_are_written_as_printf_writes_them)
{
	uint64_t n = 1;

	/* 0, every power of two, and their neighbours. */
	for (int bit = 0; bit < 64; bit++) {
		for (uint64_t step = 0; step < 3; step++) {
			uint64_t value = (UINT64_C(1) << bit) - 1 + step;
			char out[NUM_U64_MAX_LEN + 1], want[32];
			size_t len = num_put_u64(out, value);

			out[len] = '\0';
			snprintf(want, sizeof(want), "%" PRIu64, value);
			ck_assert_str_eq(out, want);
			ck_assert(num_parse_u64(span_of(out, len), &n));
			ck_assert_uint_eq(n, value);
		}
	}
}
END_TEST

START_TEST(the_largest_number_fills_its_room_exactly)
{
	char out[NUM_U64_MAX_LEN];

	ck_assert_uint_eq(num_put_u64(out, UINT64_MAX), NUM_U64_MAX_LEN);
	ck_assert_mem_eq(out, "18446744073709551615", NUM_U64_MAX_LEN);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("num");
	TCase *tc = tcase_create("num");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, only_whole_digits_that_fit_are_a_u64, 0,
	    sizeof(u64_rows) / sizeof(u64_rows[0]));
	tcase_add_test(tc, a_bound_is_itself_allowed);
	tcase_add_loop_test(tc, one_minus_may_stand_before_an_i64, 0,
	    sizeof(i64_rows) / sizeof(i64_rows[0]));
	tcase_add_test(tc, numbers_are_written_as_printf_writes_them);
	tcase_add_test(tc, the_largest_number_fills_its_room_exactly);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
