/* The heap, and the failure that a test orders. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

START_TEST(zalloc_gives_zeroes_and_refuses_overflow)
{
	unsigned char *p = mem_zalloc(100, 10);

	ck_assert_ptr_nonnull(p);
	for (size_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(p[i], 0);
	mem_free(p);
	ck_assert_ptr_null(mem_zalloc(SIZE_MAX / 2, 3));
}
END_TEST

START_TEST(zalloc_of_no_members_is_not_a_failure)
{
	void *p = mem_zalloc(0, 10);

	ck_assert_ptr_nonnull(p);
	mem_free(p);
}
END_TEST

START_TEST(resize_keeps_what_was_there)
{
	char *p = mem_resize(NULL, 4, 1), *larger;

	ck_assert_ptr_nonnull(p);
	memcpy(p, "abc", 4);
	larger = mem_resize(p, 100000, 1);
	ck_assert_ptr_nonnull(larger);
	ck_assert_str_eq(larger, "abc");
	/* A failure leaves it alone. */
	ck_assert_ptr_null(mem_resize(larger, SIZE_MAX / 2, 3));
	ck_assert_str_eq(larger, "abc");
	mem_fail_after(0);
	ck_assert_ptr_null(mem_resize(larger, 10, 1));
	ck_assert_str_eq(larger, "abc");
	mem_free(larger);
}
END_TEST

START_TEST(strndup_copies_any_bytes_and_terminates)
{
	char *copy = mem_strndup("a\0bc", 3);

	ck_assert_ptr_nonnull(copy);
	ck_assert_mem_eq(copy, "a\0b\0", 4);
	mem_free(copy);
	copy = mem_strndup(NULL, 0);
	ck_assert_ptr_nonnull(copy);
	ck_assert_str_eq(copy, "");
	mem_free(copy);
	ck_assert_ptr_null(mem_strndup("", SIZE_MAX));
}
END_TEST

START_TEST(just_the_ordered_allocation_fails)
{
	void *p;

	mem_fail_after(2);
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(mem_has_failed(), i > 2);
		p = mem_alloc(1);
		ck_assert_msg((p == NULL) == (i == 2), "allocation %d", i);
		mem_free(p);
	}
	ck_assert(mem_has_failed());
	mem_fail_after(-1);
	ck_assert(!mem_has_failed());
}
END_TEST

START_TEST(each_way_to_allocate_counts)
{
	void *p[3];

	mem_fail_after(3);
	p[0] = mem_zalloc(1, 1);
	p[1] = mem_resize(NULL, 1, 1);
	p[2] = mem_strndup("x", 1);
	ck_assert(!mem_has_failed());
	ck_assert_ptr_null(mem_alloc(1));
	ck_assert(mem_has_failed());
	mem_fail_after(0);
	ck_assert_ptr_null(mem_zalloc(1, 1));
	mem_fail_after(0);
	ck_assert_ptr_null(mem_strndup("x", 1));
	for (size_t i = 0; i < 3; i++) {
		ck_assert_ptr_nonnull(p[i]);
		mem_free(p[i]);
	}
	mem_free(NULL);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("mem");
	TCase *tc = tcase_create("mem");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, zalloc_gives_zeroes_and_refuses_overflow);
	tcase_add_test(tc, zalloc_of_no_members_is_not_a_failure);
	tcase_add_test(tc, resize_keeps_what_was_there);
	tcase_add_test(tc, strndup_copies_any_bytes_and_terminates);
	tcase_add_test(tc, just_the_ordered_allocation_fails);
	tcase_add_test(tc, each_way_to_allocate_counts);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
