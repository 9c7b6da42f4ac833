/* The log: what a line looks like, its levels, and the gate against floods. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#define READ_MAX 8192

/* Standard error, caught in a pipe from start_catching() on. */
static int
start_catching(void)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[1]);
	return ends[0];
}

/* All that was written; needs at least one line. */
static size_t
read_caught(int fd, char text[READ_MAX])
{
	ssize_t len = read(fd, text, READ_MAX - 1);

	ck_assert_int_gt(len, 0);
	text[len] = '\0';
	return (size_t)len;
}

START_TEST(a_line_has_a_stamp_a_level_and_the_text)
{
	int fd = start_catching();
	char text[READ_MAX];
	size_t len;

	log_warn("server %s is down failures=%d", "cache-3", 3);
	len = read_caught(fd, text);
	/* 2024-01-02T03:04:05.678Z */
	ck_assert_uint_gt(len, 25);
	ck_assert_int_eq(text[4], '-');
	ck_assert_int_eq(text[10], 'T');
	ck_assert_int_eq(text[19], '.');
	ck_assert_int_eq(text[23], 'Z');
	ck_assert_str_eq(text + 24,
	    " warn server cache-3 is down failures=3\n");
}
END_TEST

START_TEST(what_others_wrote_cannot_forge_a_line)
{
	int fd = start_catching();
	char text[READ_MAX];

	log_error("name %s", "a\nb\r\x1b[2J\x7f");
	read_caught(fd, text);
	ck_assert_str_eq(text + 24, " error name a?b??[2J?\n");
}
END_TEST

START_TEST(a_long_line_is_cut_and_still_a_line)
{
	int fd = start_catching();
	char text[READ_MAX], *end;
	char *name = malloc(5000);
	size_t len;

	ck_assert_ptr_nonnull(name);
	memset(name, 'x', 4999);
	name[4999] = '\0';
	log_error("%s", name);
	len = read_caught(fd, text);
	ck_assert_uint_lt(len, 4999);
	end = strchr(text, '\n');
	ck_assert_ptr_eq(end, text + len - 1);
	ck_assert_int_eq(end[-1], 'x');
	free(name);
}
END_TEST

START_TEST(lines_below_the_level_are_not_written)
{
	int fd = start_catching();
	char text[READ_MAX];

	ck_assert(log_is_on(LOG_LEVEL_INFO));
	ck_assert(!log_is_on(LOG_LEVEL_DEBUG));
	log_set_level(LOG_LEVEL_WARN);
	ck_assert(!log_is_on(LOG_LEVEL_INFO));
	log_debug("one");
	log_info("two");
	log_warn("three");
	log_set_level(LOG_LEVEL_DEBUG);
	log_debug("four");
	read_caught(fd, text);
	ck_assert_ptr_null(strstr(text, "one"));
	ck_assert_ptr_null(strstr(text, "two"));
	ck_assert_ptr_nonnull(strstr(text, " warn three\n"));
	ck_assert_ptr_nonnull(strstr(text, " debug four\n"));
}
END_TEST

START_TEST(a_gate_lets_a_burst_pass_and_counts_the_rest)
{
	struct log_gate gate = {0};
	unsigned dropped = 99;

	for (int i = 0; i < LOG_GATE_BURST; i++) {
		ck_assert(log_gate_pass(&gate, 5000, &dropped));
		ck_assert_uint_eq(dropped, 0);
	}
	dropped = 99;
	for (int i = 0; i < 7; i++)
		ck_assert(!log_gate_pass(&gate, 5999, &dropped));
	ck_assert_uint_eq(dropped, 99);
	/* The next second, which says what was held back, once. */
	ck_assert(log_gate_pass(&gate, 6000, &dropped));
	ck_assert_uint_eq(dropped, 7);
	ck_assert(log_gate_pass(&gate, 6000, &dropped));
	ck_assert_uint_eq(dropped, 0);
}
END_TEST

START_TEST(a_gate_is_open_again_after_any_silence)
{
	struct log_gate gate = {0};
	unsigned dropped, passed = 0;

	for (unsigned i = 0; i < 100; i++)
		passed += (unsigned)log_gate_pass(&gate, 1000, &dropped);
	ck_assert_uint_eq(passed, LOG_GATE_BURST);
	ck_assert(log_gate_pass(&gate, 86400000, &dropped));
	ck_assert_uint_eq(dropped, 100 - LOG_GATE_BURST);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("log");
	TCase *tc = tcase_create("log");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, a_line_has_a_stamp_a_level_and_the_text);
	tcase_add_test(tc, what_others_wrote_cannot_forge_a_line);
	tcase_add_test(tc, a_long_line_is_cut_and_still_a_line);
	tcase_add_test(tc, lines_below_the_level_are_not_written);
	tcase_add_test(tc, a_gate_lets_a_burst_pass_and_counts_the_rest);
	tcase_add_test(tc, a_gate_is_open_again_after_any_silence);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
