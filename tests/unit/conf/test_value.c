/* The text of single values. */
#include <stdlib.h>
#include <string.h>

#include "conf/value.h"
#include "support.h"

static const struct key integer = {.type = KEY_INTEGER, .min = 1, .max = 64,
	.initial = 1};
static const struct key any_integer = {.type = KEY_INTEGER, .max = UINT64_MAX};
static const struct key fixed = {.type = KEY_INTEGER, .min = 1, .max = 1};
static const struct key duration = {.type = KEY_DURATION, .min = 1,
	.max = 3600000, .initial = 250};
static const struct key any_duration = {.type = KEY_DURATION,
	.max = UINT64_MAX};
static const struct key size = {.type = KEY_SIZE, .min = 1024,
	.max = UINT64_C(1) << 30, .initial = 1 << 20};
static const struct key any_size = {.type = KEY_SIZE, .max = UINT64_MAX};
static const struct key percent = {.type = KEY_PERCENT, .min = 1, .max = 100,
	.initial = 80};
static const struct key mode = {.type = KEY_MODE, .min = 1, .max = 0777};
static const struct key instant = {.type = KEY_TIME};
static const struct key boolean = {.type = KEY_BOOL, .max = 1};
static const struct key weight = {.type = KEY_WEIGHT, .max = 1000000};

struct right_row {
	const struct key	*key;
	const char		*text;
	uint64_t		 n;
	const char		*formatted;
};

static const struct right_row right_rows[] = {
	{&integer, "1", 1, "1"},
	{&integer, "64", 64, "64"},
	{&integer, "007", 7, "7"},
	{&any_integer, "18446744073709551615", UINT64_MAX,
	    "18446744073709551615"},
	{&duration, "1ms", 1, "1ms"},
	{&duration, "250ms", 250, "250ms"},
	{&duration, "1000ms", 1000, "1s"},
	{&duration, "90s", 90000, "90s"},
	{&duration, "2m", 120000, "2m"},
	{&duration, "60m", 3600000, "1h"},
	{&any_duration, "0", 0, "0"},
	{&any_duration, "0s", 0, "0"},
	{&any_duration, "25h", 90000000, "25h"},
	{&any_duration, "18446744073709551615ms", UINT64_MAX,
	    "18446744073709551615ms"},
	{&size, "1024B", 1024, "1KiB"},
	{&size, "1025B", 1025, "1025B"},
	{&size, "1MiB", 1048576, "1MiB"},
	{&size, "1GiB", 1073741824, "1GiB"},
	{&size, "1536KiB", 1572864, "1536KiB"},
	{&any_size, "0", 0, "0"},
	{&percent, "1%", 1, "1%"},
	{&percent, "080%", 80, "80%"},
	{&percent, "100%", 100, "100%"},
	{&mode, "0660", 0660, "0660"},
	{&mode, "660", 0660, "0660"},
	{&mode, "0007", 07, "0007"},
	{&mode, "777", 0777, "0777"},
	{&boolean, "true", 1, "true"},
	{&boolean, "false", 0, "false"},
	{&instant, "2026-11-30 13:00:00.5+01:00", 1796040000500,
	    "2026-11-30T12:00:00.500Z"},
};

START_TEST(right_values_are_taken_and_written_again)
{
	const struct right_row *row = &right_rows[_i];
	char out[VALUE_TEXT_MAX];
	struct err err;
	uint64_t n;

	ck_assert_msg(value_parse(row->key, span_str(row->text), &n, &err),
	    "%s: %s", row->text, err.text);
	ck_assert_uint_eq(n, row->n);
	ck_assert_str_eq(value_format(row->key, n, out), row->formatted);
	ck_assert(value_parse(row->key, span_str(row->formatted), &n, &err));
	ck_assert_uint_eq(n, row->n);
}
END_TEST

struct wrong_row {
	const struct key	*key;
	const char		*text;
	const char		*why;
};

#define INTEGER_RANGE "must be from 1 to 64, not "
#define MEASURE "must be a whole number and a unit, as in 250ms, not "
#define DURATION_UNIT "must be a whole number and a unit (ms, s, m or h), not "
#define SIZE_UNIT "must be a whole number and a unit (B, KiB, MiB or GiB), not "
#define MODE "must be octal permissions, as in \"0660\", not "

#define PERCENT "must be a whole percentage, as in 80%, not "
#define PERCENT_RANGE "must be from 1% to 100%, not "

#define TIME "must be a time by RFC 3339, as in 2026-11-30T12:00:00Z or " \
	"2026-11-30T13:00:00+01:00, not "

static const struct wrong_row wrong_rows[] = {
	{&instant, "noon", TIME "\"noon\""},
	{&instant, "2026-11-30T12:00:00", TIME "\"2026-11-30T12:00:00\""},
	{&integer, "", "must be a whole number, not \"\""},
	{&integer, "-1", "must be a whole number, not \"-1\""},
	{&integer, "+1", "must be a whole number, not \"+1\""},
	{&integer, "1.0", "must be a whole number, not \"1.0\""},
	{&integer, "1e3", "must be a whole number, not \"1e3\""},
	{&integer, "0x10", "must be a whole number, not \"0x10\""},
	{&integer, "1_000", "must be a whole number, not \"1_000\""},
	{&integer, "two", "must be a whole number, not \"two\""},
	{&integer, "0", INTEGER_RANGE "\"0\""},
	{&integer, "65", INTEGER_RANGE "\"65\""},
	{&integer, "18446744073709551617", INTEGER_RANGE
	    "\"18446744073709551617\""},
	{&fixed, "2", "must be 1, not \"2\""},
	{&percent, "", PERCENT "\"\""},
	{&percent, "80", PERCENT "\"80\""},
	{&percent, "%", PERCENT "\"%\""},
	{&percent, "80 %", PERCENT "\"80 %\""},
	{&percent, "80%%", PERCENT "\"80%%\""},
	{&percent, "0.5%", PERCENT "\"0.5%\""},
	{&percent, "0%", PERCENT_RANGE "\"0%\""},
	{&percent, "101%", PERCENT_RANGE "\"101%\""},
	{&percent, "18446744073709551617%", PERCENT_RANGE
	    "\"18446744073709551617%\""},
	{&duration, "", MEASURE "\"\""},
	{&duration, "-1", MEASURE "\"-1\""},
	{&duration, "s", MEASURE "\"s\""},
	{&duration, "fast", MEASURE "\"fast\""},
	{&duration, "250", "needs a unit: 250ms, 250s, 250m or 250h"},
	{&duration, "0", "must be from 1ms to 1h, not \"0\""},
	{&duration, "0ms", "must be from 1ms to 1h, not \"0ms\""},
	{&duration, "2h", "must be from 1ms to 1h, not \"2h\""},
	{&duration, "99999999999s", "must be from 1ms to 1h, not "
	    "\"99999999999s\""},
	{&duration, "5124095576030432h", "must be from 1ms to 1h, not "
	    "\"5124095576030432h\""},
	{&duration, "18446744073709551616ms", "must be from 1ms to 1h, not "
	    "\"18446744073709551616ms\""},
	{&duration, "1.5s", DURATION_UNIT "\"1.5s\""},
	{&duration, "1 s", DURATION_UNIT "\"1 s\""},
	{&duration, "1S", DURATION_UNIT "\"1S\""},
	{&duration, "1sec", DURATION_UNIT "\"1sec\""},
	{&duration, "1e3", DURATION_UNIT "\"1e3\""},
	{&size, "1024", "needs a unit: 1024B, 1024KiB, 1024MiB or 1024GiB"},
	{&size, "1023B", "must be from 1KiB to 1GiB, not \"1023B\""},
	{&size, "2GiB", "must be from 1KiB to 1GiB, not \"2GiB\""},
	{&size, "17179869184GiB", "must be from 1KiB to 1GiB, not "
	    "\"17179869184GiB\""},
	{&size, "1MB", SIZE_UNIT "\"1MB\""},
	{&size, "1m", SIZE_UNIT "\"1m\""},
	{&mode, "", MODE "\"\""},
	{&mode, "rw", MODE "\"rw\""},
	{&mode, "66", MODE "\"66\""},
	{&mode, "0000", MODE "\"0000\""},
	{&mode, "1777", MODE "\"1777\""},
	{&mode, "00660", MODE "\"00660\""},
	{&mode, "0688", MODE "\"0688\""},
	{&mode, "-660", MODE "\"-660\""},
	{&boolean, "yes", "must be true or false, not \"yes\""},
	{&boolean, "True", "must be true or false, not \"True\""},
	{&boolean, "1", "must be true or false, not \"1\""},
	{&boolean, "", "must be true or false, not \"\""},
};

START_TEST(wrong_values_say_what_would_be_right)
{
	const struct wrong_row *row = &wrong_rows[_i];
	struct err err;
	uint64_t n;

	ck_assert_msg(!value_parse(row->key, span_str(row->text), &n, &err),
	    "\"%s\" was taken", row->text);
	ck_assert_str_eq(err.text, row->why);
}
END_TEST

struct weight_row {
	const char	*text;
	double		 weight;	/* 0: refused */
	const char	*formatted;
};

static const struct weight_row weight_rows[] = {
	{"1", 1, "1"},
	{"100", 100, "100"},
	{"1000000", 1000000, "1000000"},
	{"1000000.0", 1000000, "1000000"},
	{"0.5", 0.5, "0.5"},
	{"0.1", 0.1, "0.1"},
	{"0.000001", 0.000001, "0.000001"},
	{"999999.999999", 999999.999999, "999999.999999"},
	{"3.14", 3.14, "3.14"},
	{"1.50", 1.5, "1.5"},
	{"007", 7, "7"},
	{"", 0, NULL},
	{"0", 0, NULL},
	{"0.0", 0, NULL},
	{"0.0000001", 0, NULL},
	{"1000000.000001", 0, NULL},
	{"1000001", 0, NULL},
	{"4294967296", 0, NULL},
	{"99999999999999999999", 0, NULL},
	{"-1", 0, NULL},
	{"+1", 0, NULL},
	{"1.", 0, NULL},
	{".5", 0, NULL},
	{"1,5", 0, NULL},
	{"1.5.5", 0, NULL},
	{"1.-5", 0, NULL},
	{"1e3", 0, NULL},
	{"0x1p3", 0, NULL},
	{"inf", 0, NULL},
	{"nan", 0, NULL},
	{"heavy", 0, NULL},
};

START_TEST(a_weight_is_the_double_nearest_to_its_text)
{
	const struct weight_row *row = &weight_rows[_i];
	char out[VALUE_TEXT_MAX], want[ERR_TEXT_MAX];
	struct err err;
	double got = 0;

	if (value_parse_weight(&weight, span_str(row->text), &got, &err)) {
		ck_assert_msg(got == row->weight, "\"%s\" gave %.17g",
		    row->text, got);
		ck_assert_str_eq(value_format_weight(got, out),
		    row->formatted);
		return;
	}
	ck_assert_msg(row->weight == 0, "\"%s\": %s", row->text, err.text);
	snprintf(want, sizeof(want), "must be a number above 0, at most "
	    "1000000, with at most 6 decimals, not \"%s\"", row->text);
	ck_assert_str_eq(err.text, want);
}
END_TEST

START_TEST(every_weight_of_millionths_survives_writing)
{
	char out[VALUE_TEXT_MAX];
	struct err err;
	double again;

	/* A stride that meets all residues of the last digits. */
	for (uint64_t n = 1; n <= UINT64_C(1000000000000); n += 9999991) {
		double w = (double)n / 1e6;

		ck_assert(value_parse_weight(&weight,
		    span_str(value_format_weight(w, out)), &again, &err));
		ck_assert_msg(again == w, "%s", out);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("value");

	tcase_add_loop_test(tc, right_values_are_taken_and_written_again, 0,
	    LENGTH(right_rows));
	tcase_add_loop_test(tc, wrong_values_say_what_would_be_right, 0,
	    LENGTH(wrong_rows));
	tcase_add_loop_test(tc, a_weight_is_the_double_nearest_to_its_text, 0,
	    LENGTH(weight_rows));
	tcase_add_test(tc, every_weight_of_millionths_survives_writing);
	return run_case("value", tc);
}
