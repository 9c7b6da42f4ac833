/* Lines that are refused: the answer, and what is swallowed with them. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "proto/answer.h"
#include "proto/request.h"

/* A literal, which may hold any byte, and its length. */
#define LINE(s) (s), sizeof(s) - 1

struct refused {
	const char	*line;		/* with its end */
	size_t		 len;
	const char	*error;		/* NULL: silence */
	uint64_t	 skip;
};

static const struct refused refused[] = {
	/* No command. */
	{LINE("\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("a\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("mn\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("   \r\n"), ANSWER_ERROR, 0},
	{LINE("foo\r\n"), ANSWER_ERROR, 0},
	{LINE("foo noreply\r\n"), ANSWER_ERROR, 0},
	{LINE("GET a\r\n"), ANSWER_ERROR, 0},
	{LINE("Get a\r\n"), ANSWER_ERROR, 0},
	{LINE("geta\r\n"), ANSWER_ERROR, 0},
	{LINE("get\ta\r\n"), ANSWER_ERROR, 0},
	{LINE("get\0a\r\n"), ANSWER_ERROR, 0},
	{LINE(" get a\r\n"), ANSWER_ERROR, 0},
	{LINE("setx a 0 0 1\r\n"), ANSWER_ERROR, 0},
	{LINE("\0\0\0\0\r\n"), ANSWER_ERROR, 0},

	/* No key. */
	{LINE("get\r\n"), ANSWER_ERROR, 0},
	{LINE("get \r\n"), ANSWER_ERROR, 0},
	{LINE("gets\r\n"), ANSWER_ERROR, 0},
	{LINE("gat\r\n"), ANSWER_ERROR, 0},
	{LINE("gat 0\r\n"), ANSWER_ERROR, 0},
	{LINE("gat abc\r\n"), ANSWER_ERROR, 0},
	{LINE("set\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("delete\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("incr\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("touch\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("mg\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("ms\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("me \r\n"), ANSWER_BAD_FORMAT, 0},

	/* Keys that servers of different age read differently. */
	{LINE("get a\0b\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("get ok a\0b\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("get a\rb\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("get a\r\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("gat 0 a\0b\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a\0b 0 0 1\r\n"), ANSWER_BAD_FORMAT, 3},
	{LINE("set a\rb 0 0 1\r\n"), ANSWER_BAD_FORMAT, 3},
	{LINE("delete a\0b\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("mg a\0b\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("ms a\0b 2\r\n"), ANSWER_BAD_FORMAT, 4},

	/* Storage: without a length nothing can be swallowed. */
	{LINE("set a\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a 0 0\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a 0 0 noreply\r\n"), NULL, 0},
	{LINE("set a noreply\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("touch noreply\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("incr noreply\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a 0 0 -1\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a 0 0 +1\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a 0 0 1x\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a 0 0 1\r\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a 0 0 2147483646\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a 0 0 4294967297\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("set a 0 0 18446744073709551616\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("cas a 0 0 x 1\r\n"), ANSWER_BAD_FORMAT, 0},
	/* With one it is, and never run as commands. */
	{LINE("set a abc 0 9\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("set a -1 0 9\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("set a 1.5 0 9\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("set a 18446744073709551616 0 9\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("set a 0 abc 9\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("set a 0 2147483648 9\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("set a 0 -2147483649 9\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("set a 0 - 9\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("set a abc 0 9 noreply\r\n"), NULL, 11},
	{LINE("cas a 0 0 9\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("cas a 0 0 9 abc\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("cas a 0 0 9 -1\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("cas a 0 0 9 18446744073709551616\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("cas a 0 0 9 noreply\r\n"), NULL, 11},
	{LINE("cas a x 0 0 1\r\n"), ANSWER_BAD_FORMAT, 2},

	/* Numbers of other commands. */
	{LINE("gat abc a\r\n"), ANSWER_BAD_EXPTIME, 0},
	{LINE("gat 2147483648 a\r\n"), ANSWER_BAD_EXPTIME, 0},
	{LINE("gats 1.5 a b\r\n"), ANSWER_BAD_EXPTIME, 0},
	{LINE("gat abc a\0b\r\n"), ANSWER_BAD_EXPTIME, 0},
	{LINE("touch a\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("touch a abc\r\n"), ANSWER_BAD_EXPTIME, 0},
	{LINE("touch a 2147483648\r\n"), ANSWER_BAD_EXPTIME, 0},
	{LINE("touch a abc noreply\r\n"), NULL, 0},
	{LINE("touch a noreply\r\n"), NULL, 0},
	{LINE("incr a\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("incr a abc\r\n"), ANSWER_BAD_DELTA, 0},
	{LINE("incr a -1\r\n"), ANSWER_BAD_DELTA, 0},
	{LINE("incr a 18446744073709551616\r\n"), ANSWER_BAD_DELTA, 0},
	{LINE("decr a x noreply\r\n"), NULL, 0},
	{LINE("decr a noreply\r\n"), NULL, 0},
	{LINE("delete a 5\r\n"), ANSWER_BAD_DELETE, 0},
	{LINE("delete a 0 5\r\n"), ANSWER_BAD_DELETE, 0},
	{LINE("delete a b c d e\r\n"), ANSWER_BAD_DELETE, 0},
	{LINE("delete a 5 noreply\r\n"), NULL, 0},

	/* Meta commands: q does not silence errors. */
	{LINE("mg a v v\r\n"), ANSWER_DUPLICATE_FLAG, 0},
	{LINE("mg a v q v\r\n"), ANSWER_DUPLICATE_FLAG, 0},
	{LINE("md a q q\r\n"), ANSWER_DUPLICATE_FLAG, 0},
	{LINE("mg a O1 O2\r\n"), ANSWER_DUPLICATE_FLAG, 0},
	{LINE("ma a v v\r\n"), ANSWER_BAD_MA_FLAG, 0},
	{LINE("ma a b\r\n"), ANSWER_BAD_MA_FLAG, 0},
	/* Of two wrong things the one that memcached names. */
	{LINE("mg a v Z v\r\n"), ANSWER_BAD_FLAG, 0},
	{LINE("mg a 5 v v\r\n"), ANSWER_BAD_FLAG, 0},
	{LINE("mg a v v Z\r\n"), ANSWER_DUPLICATE_FLAG, 0},
	{LINE("mg a !\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("mg a v\0\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("mg a v\r\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("mg a \x80\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("\x80\x00\x00\n"), ANSWER_ERROR, 0},
	{LINE("\x16\x03\x01\n"), ANSWER_ERROR, 0},
	{LINE("mg a O12345678901234567890123456789012\r\n"),
	    ANSWER_LONG_OPAQUE, 0},
	{LINE("mg a b\r\n"), ANSWER_BAD_KEY_CODE, 0},
	{LINE("mg Zm9 b\r\n"), ANSWER_BAD_KEY_CODE, 0},
	{LINE("ms a\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("ms a b\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("ms a -1\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("ms a 2147483646\r\n"), ANSWER_BAD_FORMAT, 0},
	{LINE("ms a 2 T0 T0\r\n"), ANSWER_DUPLICATE_FLAG, 4},
	{LINE("ms a 9 !\r\n"), ANSWER_BAD_FORMAT, 11},
	{LINE("ms a 9 q b\r\n"), ANSWER_BAD_KEY_CODE, 11},
};

static const struct {
	const char	*bytes;
	size_t		 len;
} foreign[] = {
	{LINE("GET / HTTP/1.1\r\n")},
	{LINE("POST /a/b HTTP/1.0\n")},
};

/* Parses a copy in memory of just that size. */
static enum request_result
parse(const char *bytes, size_t len, struct request *req)
{
	char *memory = malloc(len == 0 ? 1 : len);
	enum request_result result;

	ck_assert_ptr_nonnull(memory);
	memcpy(memory, bytes, len);
	result = request_parse(span_of(memory, len), req);
	free(memory);
	return result;
}

static void
check(const struct refused *r)
{
	struct request req;

	ck_assert_msg(parse(r->line, r->len, &req) == REQUEST_REFUSED,
	    "\"%s\" is not refused", r->line);
	if (r->error == NULL)
		ck_assert_msg(req.error == NULL, "\"%s\" is answered \"%s\"",
		    r->line, req.error);
	else
		ck_assert_msg(req.error != NULL &&
		    strcmp(req.error, r->error) == 0,
		    "\"%s\" is answered \"%s\"", r->line, req.error);
	ck_assert_msg(req.skip == r->skip, "\"%s\" swallows %u", r->line,
	    (unsigned)req.skip);
	ck_assert_uint_eq(req.line_len, r->len);
}

START_TEST(a_bad_line_is_refused_in_its_own_words)
{
	for (size_t i = 0; i < LENGTH(refused); i++)
		check(&refused[i]);
}
END_TEST

START_TEST(nothing_is_refused_before_its_line_is_whole)
{
	struct request req;

	for (size_t i = 0; i < LENGTH(refused); i++) {
		for (size_t n = 0; n < refused[i].len; n++)
			ck_assert_msg(parse(refused[i].line, n, &req) ==
			    REQUEST_MORE, "%zu bytes of \"%s\"", n,
			    refused[i].line);
	}
}
END_TEST

START_TEST(other_protocols_are_hung_up_on)
{
	struct request req;

	ck_assert_ptr_nonnull(request_foreign('\x80'));
	ck_assert_ptr_nonnull(request_foreign('\x16'));
	ck_assert_ptr_null(request_foreign('g'));
	ck_assert_ptr_null(request_foreign('\r'));
	ck_assert_ptr_null(request_foreign('\0'));

	for (size_t i = 0; i < LENGTH(foreign); i++) {
		ck_assert_int_eq(parse(foreign[i].bytes, foreign[i].len,
		    &req), REQUEST_CLOSE);
		ck_assert_ptr_nonnull(req.error);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("request refused");

	tcase_add_test(tc, a_bad_line_is_refused_in_its_own_words);
	tcase_add_test(tc, nothing_is_refused_before_its_line_is_whole);
	tcase_add_test(tc, other_protocols_are_hung_up_on);
	return case_run("request refused", tc);
}
