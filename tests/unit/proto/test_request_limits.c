/* Limits of lines, keys, tokens and flags. */
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "proto/answer.h"
#include "proto/request.h"

#define ROOM 8192

static char line[ROOM];

/* A line with a key of `len` letters between `before` and `after`. */
static struct span
with_key(const char *before, size_t len, const char *after)
{
	int n = snprintf(line, ROOM, "%s", before);

	memset(line + n, 'k', len);
	n += (int)len;
	n += snprintf(line + n, ROOM - (size_t)n, "%s\r\n", after);
	return span_of(line, (size_t)n);
}

static const struct {
	const char	*before;
	const char	*after;
	uint64_t	 skip;		/* with a key that is too long */
} commands[] = {
	{"get ", "", 0},
	{"get a ", " b", 0},
	{"gats 0 ", "", 0},
	{"set ", " 0 0 5", 7},
	{"cas ", " 0 0 5 1", 7},
	{"delete ", "", 0},
	{"incr ", " 1", 0},
	{"touch ", " 0", 0},
	{"mg ", " v", 0},
	{"ms ", " 5 T0", 7},
	{"md ", "", 0},
	{"ma ", "", 0},
	{"me ", "", 0},
};

START_TEST(a_key_has_at_most_250_bytes)
{
	struct request req;

	ck_assert_int_eq(request_parse(with_key(commands[_i].before, 250,
	    commands[_i].after), &req), REQUEST_OK);
	ck_assert_int_eq(request_parse(with_key(commands[_i].before, 251,
	    commands[_i].after), &req), REQUEST_REFUSED);
	ck_assert_str_eq(req.error, ANSWER_BAD_FORMAT);
	ck_assert_uint_eq(req.skip, commands[_i].skip);
}
END_TEST

START_TEST(an_error_about_a_long_key_is_silent_with_noreply)
{
	struct request req;

	ck_assert_int_eq(request_parse(with_key("set ", 251,
	    " 0 0 5 noreply"), &req), REQUEST_REFUSED);
	ck_assert_ptr_null(req.error);
	ck_assert_uint_eq(req.skip, 7);
	ck_assert_int_eq(request_parse(with_key("delete ", 251, " noreply"),
	    &req), REQUEST_REFUSED);
	ck_assert_ptr_null(req.error);
}
END_TEST

/* A meta command with `n` flags, which all differ. */
static struct span
with_flags(const char *head, unsigned n)
{
	static const char letters[] = "ABCDEFGHIJKLMNPQRSTUVWXYZ";
	size_t len = (size_t)snprintf(line, ROOM, "%s", head);

	for (unsigned i = 0; i < n; i++) {
		line[len++] = ' ';
		line[len++] = letters[i];
	}
	memcpy(line + len, "\r\n", 2);
	return span_of(line, len + 2);
}

START_TEST(a_meta_command_has_at_most_20_words)
{
	struct request req;

	ck_assert_int_eq(request_parse(with_flags("mg k", 18), &req),
	    REQUEST_OK);
	ck_assert_int_eq(request_parse(with_flags("mg k", 19), &req),
	    REQUEST_REFUSED);
	ck_assert_str_eq(req.error, ANSWER_MANY_FLAGS);
	ck_assert_int_eq(request_parse(with_flags("ma k", 19), &req),
	    REQUEST_REFUSED);
	ck_assert_str_eq(req.error, ANSWER_BAD_MA_FLAG);
}
END_TEST

START_TEST(an_ms_has_at_most_18_words)
{
	struct request req;

	ck_assert_int_eq(request_parse(with_flags("ms k 5", 15), &req),
	    REQUEST_OK);
	ck_assert_int_eq(request_parse(with_flags("ms k 5", 16), &req),
	    REQUEST_REFUSED);
	ck_assert_str_eq(req.error, ANSWER_MANY_FLAGS);
	ck_assert_uint_eq(req.skip, 7);
}
END_TEST

START_TEST(words_are_counted_before_flags_are_judged)
{
	struct request req;
	int n = snprintf(line, ROOM, "mg k");

	for (int i = 0; i < 25; i++)
		n += snprintf(line + n, ROOM - (size_t)n, " v");
	n += snprintf(line + n, ROOM - (size_t)n, "\r\n");
	ck_assert_int_eq(request_parse(span_of(line, (size_t)n), &req),
	    REQUEST_REFUSED);
	ck_assert_str_eq(req.error, ANSWER_MANY_FLAGS);
}
END_TEST

START_TEST(flags_have_room_for_what_a_server_takes)
{
	struct request req;
	int n = snprintf(line, ROOM, "mg k P");

	/* " P" and letters, REQUEST_META_FLAGS_MAX bytes in all. */
	memset(line + n, 'p', REQUEST_META_FLAGS_MAX - 2);
	memcpy(line + n + REQUEST_META_FLAGS_MAX - 2, "\r\n", 2);
	ck_assert_int_eq(request_parse(span_of(line,
	    (size_t)n + REQUEST_META_FLAGS_MAX), &req), REQUEST_OK);
	memcpy(line + n + REQUEST_META_FLAGS_MAX - 2, "p\r\n", 3);
	ck_assert_int_eq(request_parse(span_of(line,
	    (size_t)n + REQUEST_META_FLAGS_MAX + 1), &req), REQUEST_REFUSED);
	ck_assert_str_eq(req.error, ANSWER_MANY_FLAGS);
}
END_TEST

START_TEST(an_opaque_has_at_most_31_bytes)
{
	struct request req;

	ck_assert_int_eq(request_parse(span_str(
	    "mg k O1234567890123456789012345678901\r\n"), &req), REQUEST_OK);
	ck_assert_int_eq(request_parse(span_str(
	    "mg k O12345678901234567890123456789012\r\n"), &req),
	    REQUEST_REFUSED);
	ck_assert_str_eq(req.error, ANSWER_LONG_OPAQUE);
}
END_TEST

static const struct {
	const char	*start;
	bool		 may_be_long;
} lines[] = {
	{"get ", true}, {"gets ", true}, {"gat ", true}, {"gats ", true},
	{"set ", false}, {"mg ", false}, {"geta", false}, {"get", false},
	{"GET ", false}, {" get ", false}, {"x", false},
};

START_TEST(only_lines_of_many_keys_may_grow)
{
	size_t max = 6000;

	memset(line, 'x', ROOM);
	memcpy(line, lines[_i].start, strlen(lines[_i].start));
	ck_assert(request_may_grow(span_of(line, 0), max));
	ck_assert(request_may_grow(span_of(line, REQUEST_LINE_MAX), max));
	ck_assert_int_eq(request_may_grow(span_of(line, REQUEST_LINE_MAX + 1),
	    max), lines[_i].may_be_long);
	ck_assert_int_eq(request_may_grow(span_of(line, max), max),
	    lines[_i].may_be_long);
	ck_assert(!request_may_grow(span_of(line, max + 1), max));
}
END_TEST

START_TEST(a_get_counts_any_number_of_keys)
{
	struct request req;
	size_t n = 0;

	memcpy(line, "get", 3);
	for (n = 3; n + 4 < ROOM; n += 2)
		memcpy(line + n, " k", 2);
	memcpy(line + n, "\r\n", 2);
	ck_assert_int_eq(request_parse(span_of(line, n + 2), &req),
	    REQUEST_OK);
	ck_assert_uint_eq(req.nkeys, (n - 3) / 2);
}
END_TEST

START_TEST(words_are_cut_at_blanks_alone)
{
	struct span rest = span_of("  a\tb  \0c ", 10), word;

	ck_assert(request_next_word(&rest, &word));
	ck_assert(span_eq(word, span_str("a\tb")));
	ck_assert(request_next_word(&rest, &word));
	ck_assert(span_eq(word, span_of("\0c", 2)));
	ck_assert(!request_next_word(&rest, &word));
	rest = span_of("", 0);
	ck_assert(!request_next_word(&rest, &word));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("request limits");

	tcase_add_loop_test(tc, a_key_has_at_most_250_bytes, 0,
	    LENGTH(commands));
	tcase_add_test(tc, an_error_about_a_long_key_is_silent_with_noreply);
	tcase_add_test(tc, a_meta_command_has_at_most_20_words);
	tcase_add_test(tc, an_ms_has_at_most_18_words);
	tcase_add_test(tc, words_are_counted_before_flags_are_judged);
	tcase_add_test(tc, flags_have_room_for_what_a_server_takes);
	tcase_add_test(tc, an_opaque_has_at_most_31_bytes);
	tcase_add_loop_test(tc, only_lines_of_many_keys_may_grow, 0,
	    LENGTH(lines));
	tcase_add_test(tc, a_get_counts_any_number_of_keys);
	tcase_add_test(tc, words_are_cut_at_blanks_alone);
	return case_run("request limits", tc);
}
