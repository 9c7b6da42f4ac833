/* Spans of bytes. */
#include <check.h>
#include <stdlib.h>

#include "base/span.h"

static const struct span empty = {NULL, 0};

START_TEST(spans_are_equal_by_bytes_and_length)
{
	static const struct span lit = SPAN_LIT("a\0b");

	ck_assert_uint_eq(lit.len, 3);
	ck_assert(span_eq(lit, span_of("a\0b", 3)));
	ck_assert(!span_eq(lit, span_of("a\0c", 3)));
	ck_assert(!span_eq(lit, span_str("a")));
	ck_assert(span_eq(empty, span_str("")));
	ck_assert(!span_eq(empty, span_str("a")));
}
END_TEST

START_TEST(a_prefix_may_be_all_or_nothing)
{
	struct span s = span_str("session:1");

	ck_assert(span_starts(s, span_str("session:")));
	ck_assert(span_starts(s, s));
	ck_assert(span_starts(s, empty));
	ck_assert(span_starts(empty, empty));
	ck_assert(!span_starts(s, span_str("session:12")));
	ck_assert(!span_starts(s, span_str("Session:")));
	ck_assert(!span_starts(empty, s));
}
END_TEST

START_TEST(order_is_by_unsigned_bytes_then_length)
{
	ck_assert_int_eq(span_cmp(span_str("a"), span_str("b")), -1);
	ck_assert_int_eq(span_cmp(span_str("b"), span_str("a")), 1);
	ck_assert_int_eq(span_cmp(span_str("a"), span_str("ab")), -1);
	ck_assert_int_eq(span_cmp(span_str("ab"), span_str("a")), 1);
	ck_assert_int_eq(span_cmp(span_str("ab"), span_str("ab")), 0);
	ck_assert_int_eq(span_cmp(empty, span_str("")), 0);
	ck_assert_int_eq(span_cmp(empty, span_str("a")), -1);
	ck_assert_int_eq(span_cmp(span_str("\x80"), span_str("\x7f")), 1);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("span");
	TCase *tc = tcase_create("span");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, spans_are_equal_by_bytes_and_length);
	tcase_add_test(tc, a_prefix_may_be_all_or_nothing);
	tcase_add_test(tc, order_is_by_unsigned_bytes_then_length);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
