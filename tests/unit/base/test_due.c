/* Timers that come late. */
#include <check.h>
#include <stdlib.h>

#include "base/due.h"

START_TEST(a_little_late_is_no_pause)
{
	struct due due = {.at_ms = 1000};

	ck_assert(!due_is_late(&due, 1000));
	ck_assert(!due_is_late(&due, 1000 + DUE_LATE_MS));
}
END_TEST

START_TEST(a_pause_is_told_once)
{
	struct due due = {.at_ms = 1000};

	ck_assert(due_is_late(&due, 1001 + DUE_LATE_MS));
	ck_assert(!due_is_late(&due, 5000));
	ck_assert(due_is_late(&due, 9000));
}
END_TEST

START_TEST(none_that_was_not_set_is_late)
{
	struct due due = {.at_ms = 0};

	ck_assert(!due_is_late(&due, 1 << 30));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("due");
	TCase *tc = tcase_create("due");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, a_little_late_is_no_pause);
	tcase_add_test(tc, a_pause_is_told_once);
	tcase_add_test(tc, none_that_was_not_set_is_late);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
