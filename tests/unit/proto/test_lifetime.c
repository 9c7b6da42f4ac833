/* Lifetimes that are made shorter. */
#include "case.h"
#include "proto/lifetime.h"

#define MONTH LIFETIME_RELATIVE_MAX
#define NOW   INT64_C(1900000000)

static const struct {
	int64_t	exptime, max_s, capped;
} rows[] = {
	/* Never is as long as it may be. */
	{0, 60, 60},
	{0, MONTH, MONTH},
	/* Seconds from now on. */
	{1, 60, 1},
	{59, 60, 59},
	{60, 60, 60},
	{61, 60, 60},
	{MONTH, 60, 60},
	{MONTH, MONTH, MONTH},
	{5, 1, 1},
	/* At once. */
	{-1, 60, -1},
	{INT32_MIN, 60, INT32_MIN},
	/* Since 1970. */
	{NOW + 59, 60, NOW + 59},
	{NOW + 60, 60, NOW + 60},
	{NOW + 61, 60, 60},
	{INT32_MAX, 60, 60},
	/* And long past: gone at once, and it stays so. */
	{NOW, 60, NOW},
	{MONTH + 1, 60, MONTH + 1},
};

START_TEST(a_lifetime_is_cut_to_the_longest_and_never_longer)
{
	ck_assert_int_eq(lifetime_cap(rows[_i].exptime, rows[_i].max_s, NOW),
	    rows[_i].capped);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("lifetime");

	tcase_add_loop_test(tc,
	    a_lifetime_is_cut_to_the_longest_and_never_longer, 0,
	    LENGTH(rows));
	return case_run("lifetime", tc);
}
