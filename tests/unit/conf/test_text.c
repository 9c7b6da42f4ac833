/* UTF-8, and the bytes that are no text at all. */
#include <string.h>

#include "conf/read.h"
#include "conf/text.h"
#include "support.h"

struct row {
	const char	*text;
	size_t		 len;		/* of the first character, 0: wrong */
};

static const struct row rows[] = {
	{"a", 1}, {"\x7f", 1},
	{"\xc2\x80", 2}, {"\xdf\xbf", 2}, {"\xc3\xa9x", 2},
	{"\xe0\xa0\x80", 3}, {"\xed\x9f\xbf", 3}, {"\xee\x80\x80", 3},
	{"\xef\xbf\xbf", 3},
	{"\xf0\x90\x80\x80", 4}, {"\xf4\x8f\xbf\xbf", 4},
	/* No start, or the start of what cannot be. */
	{"\x80", 0}, {"\xbf", 0}, {"\xc0\x80", 0}, {"\xc1\xbf", 0},
	{"\xf5\x80\x80\x80", 0}, {"\xff", 0}, {"\xfe", 0},
	/* Overlong, a surrogate, above the last character. */
	{"\xe0\x9f\xbf", 0}, {"\xf0\x8f\xbf\xbf", 0},
	{"\xed\xa0\x80", 0}, {"\xf4\x90\x80\x80", 0},
	/* Cut short, by the end or by another byte. */
	{"\xc3", 0}, {"\xe2\x82", 0}, {"\xf0\x9f\x98", 0},
	{"\xc3x", 0}, {"\xe2\x82x", 0}, {"\xe2x\x82", 0},
	{"\xf0\x9f\x98x", 0},
};

START_TEST(only_well_formed_characters_have_a_length)
{
	ck_assert_uint_eq(text_char_len(span_str(rows[_i].text), 0),
	    rows[_i].len);
}
END_TEST

START_TEST(the_offending_byte_is_found)
{
	size_t at = 99;

	ck_assert(text_is_utf8(span_str(""), &at));
	ck_assert(text_is_utf8(span_of("a\0\xc3\xa9", 4), &at));
	ck_assert_uint_eq(at, 99);
	ck_assert(!text_is_utf8(span_str("ab\xc3\xa9\xe9z"), &at));
	ck_assert_uint_eq(at, 4);
}
END_TEST

START_TEST(control_characters_are_known_at_each_of_their_bytes)
{
	static const struct span s = SPAN_LIT("a\n\x7f\xc2\x9b\xc2\xa0\xe2\x80"
	    "\x93\xc3\x9b\x1f ");
	static const bool want[] = {false, true, true, true, true, false,
		false, false, false, false, false, false, true, false};

	ck_assert_uint_eq(s.len, LENGTH(want));
	for (size_t i = 0; i < s.len; i++)
		ck_assert_msg(text_is_control(s, i) == want[i],
		    "byte %zu", i);
}
END_TEST

struct bytes_row {
	const char	*bytes;
	size_t		 len;
	const char	*line;
};

#define BYTES(s) (s), sizeof(s) - 1

static const struct bytes_row bytes_rows[] = {
	{BYTES("a: \0b"), "f:1:4: the file holds a NUL byte: it is not text"},
	{BYTES("a: b\nc: \xe9\n"), "f:2:4: the byte 0xe9 is not UTF-8"},
	{BYTES("\xc3\xa9: \xff"), "f:1:4: the byte 0xff is not UTF-8"},
	{BYTES("\xff\xfe" "a\0"),
	    "f:1:1: the file is UTF-16; save it as UTF-8"},
	{BYTES("\xfe\xff\0a"), "f:1:1: the file is UTF-16; save it as UTF-8"},
};

START_TEST(bytes_that_are_no_text_are_refused_in_their_place)
{
	const struct bytes_row *row = &bytes_rows[_i];
	struct conf_errors *errors;

	ck_assert_ptr_null(conf_parse("f", row->bytes, row->len, &errors));
	ck_assert_uint_eq(conf_errors_count(errors), 1);
	ck_assert_str_eq(conf_errors_line(errors, 0), row->line);
	ck_assert(!conf_errors_is_unreadable(errors));
	conf_errors_free(&errors);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("text");

	tcase_add_loop_test(tc, only_well_formed_characters_have_a_length, 0,
	    LENGTH(rows));
	tcase_add_test(tc, the_offending_byte_is_found);
	tcase_add_test(tc,
	    control_characters_are_known_at_each_of_their_bytes);
	tcase_add_loop_test(tc,
	    bytes_that_are_no_text_are_refused_in_their_place, 0,
	    LENGTH(bytes_rows));
	return run_case("text", tc);
}
