/* The list of complaints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/errors.h"
#include "support.h"

static struct conf_place
at(uint32_t line, uint32_t column)
{
	return (struct conf_place){line, column};
}

START_TEST(lines_come_in_the_order_of_their_places)
{
	struct conf_errors *errors = errors_new("dir/f.yaml");
	char *text;

	ck_assert(errors_is_empty(errors));
	errors_add(errors, at(3, 1), "third");
	errors_add(errors, at(1, 9), "second %d", 2);
	errors_add(errors, at(1, 2), "first");
	errors_add(errors, at(3, 1), "fourth, same place");
	errors_add(errors, at(0, 0), "the file");
	ck_assert(!errors_is_empty(errors));
	text = join_lines(errors);
	ck_assert_str_eq(text,
	    "dir/f.yaml: the file\n"
	    "dir/f.yaml:1:2: first\n"
	    "dir/f.yaml:1:9: second 2\n"
	    "dir/f.yaml:3:1: third\n"
	    "dir/f.yaml:3:1: fourth, same place\n");
	free(text);
	conf_errors_free(&errors);
	ck_assert_ptr_null(errors);
	conf_errors_free(&errors);
}
END_TEST

START_TEST(a_flood_keeps_the_first_of_the_file_and_counts_the_rest)
{
	struct conf_errors *errors = errors_new("f");

	/* From the last line to the first. */
	for (uint32_t line = ERRORS_MAX + 7; line > 0; line--)
		errors_add(errors, at(line, 1), "x");
	errors_add(errors, at(9999, 1), "x");
	ck_assert_uint_eq(conf_errors_count(errors), ERRORS_MAX + 1);
	ck_assert_str_eq(conf_errors_line(errors, 0), "f:1:1: x");
	ck_assert_str_eq(conf_errors_line(errors, ERRORS_MAX - 1),
	    "f:100:1: x");
	ck_assert_str_eq(conf_errors_line(errors, ERRORS_MAX), "and 8 more");
	conf_errors_free(&errors);
}
END_TEST

START_TEST(a_complaint_is_one_line_whatever_it_quotes)
{
	struct conf_errors *errors = errors_new("f");

	errors_add(errors, at(1, 1), "\"%s\" is odd",
	    "a\nf:2:1: all is well\r\x1b[2J\x7f\xc2\x9b\xc3\xa9");
	ck_assert_str_eq(conf_errors_line(errors, 0),
	    "f:1:1: \"a?f:2:1: all is well??[2J???\xc3\xa9\" is odd");
	conf_errors_free(&errors);
}
END_TEST

START_TEST(a_list_that_could_not_be_had_still_says_why)
{
	ck_assert_uint_eq(conf_errors_count(NULL), 1);
	ck_assert_str_eq(conf_errors_line(NULL, 0), "out of memory");
	ck_assert(!conf_errors_is_unreadable(NULL));
}
END_TEST

START_TEST(a_line_that_could_not_be_kept_turns_the_list_into_that)
{
	struct conf_errors *errors = errors_new("f");

	errors_add(errors, at(1, 1), "one");
	mem_fail_after(0);
	errors_add(errors, at(2, 1), "two");
	ck_assert(mem_has_failed());
	ck_assert_uint_eq(conf_errors_count(errors), 1);
	ck_assert_str_eq(conf_errors_line(errors, 0), "out of memory");
	conf_errors_free(&errors);
}
END_TEST

START_TEST(later_stages_start_a_list_themselves)
{
	struct conf conf = {.path = "f"};
	struct conf_errors *errors = NULL;

	conf_errors_add(&errors, &conf, at(4, 3), "pool %s: %s", "main", "no");
	conf_errors_add(&errors, &conf, at(2, 5), "taken");
	ck_assert_uint_eq(conf_errors_count(errors), 2);
	ck_assert_str_eq(conf_errors_line(errors, 0), "f:2:5: taken");
	ck_assert_str_eq(conf_errors_line(errors, 1), "f:4:3: pool main: no");
	conf_errors_free(&errors);
	mem_fail_after(0);
	conf_errors_add(&errors, &conf, at(1, 1), "x");
	ck_assert_ptr_null(errors);
}
END_TEST

struct quote_row {
	const char	*text;
	const char	*quoted;
};

#define TEN "0123456789"
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

static const struct quote_row quote_rows[] = {
	{"", "\"\""},
	{"main", "\"main\""},
	{"a\nb\x1b[2J\xc2\x9b" "1m", "\"a?b?[2J??1m\""},
	{"caf\xc3\xa9", "\"caf\xc3\xa9\""},
	{SEVENTY "1234567", "\"" SEVENTY "1234567\""},
	{SEVENTY "12345678", "\"" SEVENTY "1234...\""},
	/* A character is dropped whole. */
	{SEVENTY "123\xc3\xa9zzzzz", "\"" SEVENTY "123...\""},
	{SEVENTY "12\xc3\xa9zzzzz", "\"" SEVENTY "12\xc3\xa9...\""},
};

START_TEST(quoted_text_is_clean_and_short)
{
	const struct quote_row *row = &quote_rows[_i];
	char out[ERRORS_QUOTED_MAX];

	ck_assert_str_eq(errors_quote(span_str(row->text), out), row->quoted);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("errors");

	tcase_add_test(tc, lines_come_in_the_order_of_their_places);
	tcase_add_test(tc,
	    a_flood_keeps_the_first_of_the_file_and_counts_the_rest);
	tcase_add_test(tc, a_complaint_is_one_line_whatever_it_quotes);
	tcase_add_test(tc, a_list_that_could_not_be_had_still_says_why);
	tcase_add_test(tc,
	    a_line_that_could_not_be_kept_turns_the_list_into_that);
	tcase_add_test(tc, later_stages_start_a_list_themselves);
	tcase_add_loop_test(tc, quoted_text_is_clean_and_short, 0,
	    LENGTH(quote_rows));
	return run_case("errors", tc);
}
