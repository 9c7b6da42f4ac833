/* Instants of the wall clock as text. */
#include <check.h>
#include <stdlib.h>

#include "base/instant.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char	*text;
	uint64_t	 ms;
	const char	*again;
} good[] = {
	{"1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"},
	{"1970-01-01T00:00:00.001Z", 1, "1970-01-01T00:00:00.001Z"},
	{"2000-02-29T12:34:56z", 951827696000, "2000-02-29T12:34:56Z"},
	{"2026-11-30T12:00:00Z", 1796040000000, "2026-11-30T12:00:00Z"},
	{"2026-11-30 13:00:00+01:00", 1796040000000, "2026-11-30T12:00:00Z"},
	{"2026-11-30t06:30:00.25-05:30", 1796040000250,
	    "2026-11-30T12:00:00.250Z"},
	{"2026-11-30T12:00:00.1239Z", 1796040000123,
	    "2026-11-30T12:00:00.123Z"},
	{"2016-12-31T23:59:60Z", 1483228800000, "2017-01-01T00:00:00Z"},
	{"2100-03-01T00:00:00Z", 4107542400000, "2100-03-01T00:00:00Z"},
	{"2100-02-28T23:59:59Z", 4107542399000, "2100-02-28T23:59:59Z"},
	{"9999-12-31T23:59:59.999Z", INSTANT_MAX_MS,
	    "9999-12-31T23:59:59.999Z"},
};

START_TEST(an_instant_is_read_and_written)
{
	char out[INSTANT_TEXT_MAX];
	uint64_t ms = 0;

	ck_assert(instant_parse(span_str(good[_i].text), &ms));
	ck_assert_uint_eq(ms, good[_i].ms);
	ck_assert_str_eq(instant_format(ms, out), good[_i].again);
}
END_TEST

static const char *const bad[] = {
	"", "2026", "2026-11-30", "2026-11-30T12:00:00", "2026-11-30T12:00Z",
	"2026-11-30T12:00:00ZZ", "2026-11-30T12:00:00 Z",
	"2026-11-30T12:00:00.Z", "2026-11-30T24:00:00Z",
	"2026-11-30T12:60:00Z", "2026-11-30T12:00:61Z",
	"2026-13-01T12:00:00Z", "2026-00-01T12:00:00Z",
	"2026-11-31T12:00:00Z", "2026-11-00T12:00:00Z",
	"2026-02-29T12:00:00Z", "2100-02-29T12:00:00Z",
	"1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01",
	"9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z",
	"2026-11-30T12:00:00+1:00", "2026-11-30T12:00:00+01",
	"2026-11-30T12:00:00+0100", "2026-11-30T12:00:00+24:00",
	"2026-11-30T12:00:00+00:60", "x026-11-30T12:00:00Z",
	"2026/11/30T12:00:00Z", "2026-11-30_12:00:00Z", "noon",
	"-026-11-30T12:00:00Z", " 2026-11-30T12:00:00Z",
};

START_TEST(anything_else_is_none)
{
	uint64_t ms;

	ck_assert_msg(!instant_parse(span_str(bad[_i]), &ms), "%s", bad[_i]);
}
END_TEST

START_TEST(days_of_all_years_come_back)
{
	char out[INSTANT_TEXT_MAX];
	uint64_t ms, again;

	for (ms = 43200000; ms <= INSTANT_MAX_MS; ms += 13 * 86400000) {
		/* An assertion each would take a second in all. */
		if (!instant_parse(span_str(instant_format(ms, out)),
		    &again) || again != ms)
			ck_abort_msg("%s", out);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("instant");
	TCase *tc = tcase_create("instant");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, an_instant_is_read_and_written, 0,
	    LENGTH(good));
	tcase_add_loop_test(tc, anything_else_is_none, 0, LENGTH(bad));
	tcase_add_test(tc, days_of_all_years_come_back);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
