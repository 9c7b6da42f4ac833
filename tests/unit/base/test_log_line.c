/* Lines of the log: three formats, and bytes that try to break them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log_line.h"

static char line[LOG_LINE_MAX + 1];

static const char *
write_bytes(enum log_format format, const char *bytes, size_t len)
{
	struct log_entry entry = {
		.format = format,
		.level = LOG_LEVEL_WARN,
		.at = {.tv_sec = 1767323045, .tv_nsec = 678000000},
		.message = span_of(bytes, len),
	};

	line[log_line_write(&entry, line)] = '\0';
	return line;
}

static const char *
write_text(enum log_format format, const char *text)
{
	return write_bytes(format, text, strlen(text));
}

#define STAMP "2026-01-02T03:04:05.678Z"
#define TEXT(s) STAMP " warn " s "\n"
#define LOGFMT(s) "ts=" STAMP " level=warn msg=" s "\n"
#define JSON(s) "{\"time\":\"" STAMP "\",\"level\":\"warn\",\"msg\":" s "}\n"

static const struct {
	const char	*message;
	const char	*text, *logfmt, *json;
} lines[] = {
	{"server a is down: cannot connect pool=main pending=3",
	    TEXT("server a is down: cannot connect pool=main pending=3"),
	    LOGFMT("\"server a is down: cannot connect\" pool=main pending=3"),
	    JSON("\"server a is down: cannot connect\",\"pool\":\"main\","
	    "\"pending\":\"3\"")},
	{"no fields", TEXT("no fields"), LOGFMT("\"no fields\""),
	    JSON("\"no fields\"")},
	{"", TEXT(""), LOGFMT("\"\""), JSON("\"\"")},
	{"a=b", TEXT("a=b"), LOGFMT("\"a=b\""), JSON("\"a=b\"")},
	/* Neither a second one of a name, nor ours. */
	{"x a=1 a=2", TEXT("x a=1 a=2"), LOGFMT("\"x a=1\" a=2"),
	    JSON("\"x a=1\",\"a\":\"2\"")},
	{"x level=none", TEXT("x level=none"), LOGFMT("\"x level=none\""),
	    JSON("\"x level=none\"")},
	{"x A=1 2=3 =4", TEXT("x A=1 2=3 =4"), LOGFMT("\"x A=1 2=3 =4\""),
	    JSON("\"x A=1 2=3 =4\"")},
	{"x a= b=c=d", TEXT("x a= b=c=d"), LOGFMT("\"x\" a=\"\" b=\"c=d\""),
	    JSON("\"x\",\"a\":\"\",\"b\":\"c=d\"")},
	{"say \"hi\\\" k=\"", TEXT("say \"hi\\\" k=\""),
	    LOGFMT("\"say \\\"hi\\\\\\\"\" k=\"\\\"\""),
	    JSON("\"say \\\"hi\\\\\\\"\",\"k\":\"\\\"\"")},
	{"a\nb\r\x1b[2J\x7f k=\n", TEXT("a?b??[2J? k=?"),
	    LOGFMT("\"a?b??[2J?\" k=\"?\""),
	    JSON("\"a?b??[2J?\",\"k\":\"?\"")},
};

START_TEST(each_format_says_the_same)
{
	ck_assert_str_eq(write_text(LOG_FORMAT_TEXT, lines[_i].message),
	    lines[_i].text);
	ck_assert_str_eq(write_text(LOG_FORMAT_LOGFMT, lines[_i].message),
	    lines[_i].logfmt);
	ck_assert_str_eq(write_text(LOG_FORMAT_JSON, lines[_i].message),
	    lines[_i].json);
}
END_TEST

#define BAD "\xef\xbf\xbd"

static const struct {
	const char	*bytes;
	const char	*shown;
} characters[] = {
	{"\xc3\xa9", "\xc3\xa9"},
	{"\xe2\x82\xac", "\xe2\x82\xac"},
	{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
	{"\xff", BAD},
	{"\x80", BAD},
	{"\xc3", BAD},
	{"\xc3x", BAD "x"},
	{"\xc0\x80", BAD BAD},
	{"\xe0\x80\x80", BAD BAD BAD},
	{"\xed\xa0\x80", BAD BAD BAD},
	{"\xf0\x80\x80\x80", BAD BAD BAD BAD},
	{"\xf4\x90\x80\x80", BAD BAD BAD BAD},
	{"\xf8\x88\x80\x80\x80", BAD BAD BAD BAD BAD},
};

START_TEST(json_is_valid_utf8)
{
	char wanted[200];

	snprintf(wanted, sizeof(wanted), JSON("\"%s\""),
	    characters[_i].shown);
	ck_assert_str_eq(write_text(LOG_FORMAT_JSON, characters[_i].bytes),
	    wanted);
}
END_TEST

START_TEST(the_longest_message_fits_whatever_it_is_made_of)
{
	static const char kinds[] = {'x', '"', '\\', '\xff', '\n', '\0'};
	char message[LOG_MESSAGE_MAX];

	for (size_t i = 0; i < sizeof(kinds); i++) {
		memset(message, kinds[i], sizeof(message));
		for (int format = LOG_FORMAT_TEXT; format <= LOG_FORMAT_JSON;
		    format++) {
			write_bytes((enum log_format)format, message,
			    sizeof(message));
			ck_assert_ptr_eq(strchr(line, '\n'),
			    line + strlen(line) - 1);
			ck_assert_uint_gt(strlen(line), sizeof(message));
		}
	}
}
END_TEST

START_TEST(more_fields_than_fit_stay_in_the_message)
{
	char message[LOG_MESSAGE_MAX] = "x", field[16];

	for (int i = 0; i < 30; i++) {
		snprintf(field, sizeof(field), " f%d=%d", i, i);
		strncat(message, field, sizeof(message) - strlen(message) - 1);
	}
	write_text(LOG_FORMAT_JSON, message);
	ck_assert_ptr_nonnull(strstr(line,
	    "\"msg\":\"x f0=0 f1=1 f2=2 f3=3 f4=4 f5=5\",\"f6\":\"6\""));
}
END_TEST

START_TEST(the_journal_reads_a_priority_and_no_time)
{
	struct log_entry entry = {.is_for_journal = true,
	    .level = LOG_LEVEL_ERROR, .message = SPAN_LIT("it broke a=b")};

	line[log_line_write(&entry, line)] = '\0';
	ck_assert_str_eq(line, "<3>it broke a=b\n");
	entry.level = LOG_LEVEL_DEBUG;
	entry.format = LOG_FORMAT_LOGFMT;
	line[log_line_write(&entry, line)] = '\0';
	ck_assert_str_eq(line, "<7>ts=1970-01-01T00:00:00.000Z level=debug "
	    "msg=\"it broke\" a=b\n");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("log_line");
	TCase *tc = tcase_create("log_line");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, each_format_says_the_same, 0,
	    sizeof(lines) / sizeof(*lines));
	tcase_add_loop_test(tc, json_is_valid_utf8, 0,
	    sizeof(characters) / sizeof(*characters));
	tcase_add_test(tc,
	    the_longest_message_fits_whatever_it_is_made_of);
	tcase_add_test(tc, more_fields_than_fit_stay_in_the_message);
	tcase_add_test(tc, the_journal_reads_a_priority_and_no_time);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
