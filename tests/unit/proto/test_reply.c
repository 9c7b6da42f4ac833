/* What servers say: every word for every command, and lies refused. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "proto/reply.h"

/* A right line for every word; the key is `k`. */
static const struct {
	enum reply_word	 word;
	const char	*line;
} words[] = {
	{REPLY_END, "END"},
	{REPLY_STORED, "STORED"},
	{REPLY_NOT_STORED, "NOT_STORED"},
	{REPLY_EXISTS, "EXISTS"},
	{REPLY_NOT_FOUND, "NOT_FOUND"},
	{REPLY_DELETED, "DELETED"},
	{REPLY_TOUCHED, "TOUCHED"},
	{REPLY_OK, "OK"},
	{REPLY_HD, "HD t-1"},
	{REPLY_EN, "EN O5"},
	{REPLY_NF, "NF"},
	{REPLY_NS, "NS"},
	{REPLY_EX, "EX"},
	{REPLY_MN, "MN"},
	{REPLY_ME, "ME k exp=-1 la=4 cas=5 fetch=no cls=1 size=64"},
	{REPLY_VERSION, "VERSION 1.6.18"},
	{REPLY_ERROR, "ERROR"},
	{REPLY_CLIENT_ERROR, "CLIENT_ERROR bad data chunk"},
	{REPLY_SERVER_ERROR, "SERVER_ERROR out of memory"},
	{REPLY_VALUE, "VALUE k 5 10"},
	{REPLY_VA, "VA 10 t0"},
	{REPLY_NUMBER, "42"},
};

#define W(word) (1u << REPLY_##word)
#define KNOWN_ERROR (W(CLIENT_ERROR) | W(SERVER_ERROR))
#define ANY_ERROR (W(ERROR) | KNOWN_ERROR)

/* What each command that is sent to servers may be answered. */
static const struct {
	enum verb	verb;
	uint32_t	words;		/* besides errors */
} commands[] = {
	{VERB_GET, W(VALUE) | W(END)},
	{VERB_GETS, W(END)},		/* VALUE needs a cas unique */
	{VERB_GAT, W(VALUE) | W(END)},
	{VERB_GATS, W(END)},
	{VERB_SET, W(STORED) | W(NOT_STORED)},
	{VERB_ADD, W(STORED) | W(NOT_STORED)},
	{VERB_REPLACE, W(STORED) | W(NOT_STORED)},
	{VERB_APPEND, W(STORED) | W(NOT_STORED)},
	{VERB_PREPEND, W(STORED) | W(NOT_STORED)},
	{VERB_CAS, W(STORED) | W(NOT_STORED) | W(EXISTS) | W(NOT_FOUND)},
	{VERB_DELETE, W(DELETED) | W(NOT_FOUND)},
	{VERB_INCR, W(NUMBER) | W(NOT_FOUND)},
	{VERB_DECR, W(NUMBER) | W(NOT_FOUND)},
	{VERB_TOUCH, W(TOUCHED) | W(NOT_FOUND)},
	{VERB_MG, W(HD) | W(VA) | W(EN)},
	{VERB_MS, W(HD) | W(NS) | W(EX) | W(NF)},
	{VERB_MD, W(HD) | W(NF) | W(EX)},
	{VERB_MA, W(HD) | W(VA) | W(NF) | W(NS) | W(EX)},
	{VERB_ME, W(ME) | W(EN)},
	{VERB_VERSION, W(VERSION)},
	{VERB_FLUSH_ALL, W(OK)},
};

/* Parses a copy in memory of just that size. */
static bool
parse(const char *line, enum verb verb, struct reply *reply)
{
	size_t len = strlen(line);
	char *memory = malloc(len + 1);
	bool is_taken;

	ck_assert_ptr_nonnull(memory);
	memcpy(memory, line, len);
	is_taken = reply_parse(span_of(memory, len), verb, reply);
	if (is_taken && reply->key.len > 0)
		ck_assert_mem_eq(reply->key.p, "k", 1);
	free(memory);
	return is_taken;
}

/* Who says ERROR to a command with a value runs the value as commands. */
static unsigned
errors_of(enum verb verb)
{
	enum verb_shape shape = verb_shape(verb);
	bool has_value = shape == VERB_SHAPE_STORE ||
	    shape == VERB_SHAPE_CAS || shape == VERB_SHAPE_META_SET;

	return has_value ? KNOWN_ERROR : ANY_ERROR;
}

START_TEST(a_command_is_answered_by_its_own_words_and_errors_alone)
{
	enum verb verb = commands[_i].verb;
	struct reply reply;

	for (size_t i = 0; i < LENGTH(words); i++) {
		bool may = (commands[_i].words | errors_of(verb)) >>
		    words[i].word & 1;

		ck_assert_msg(parse(words[i].line, verb, &reply) == may,
		    "%s answers %s: %d", words[i].line, verb_name(verb),
		    !may);
		if (may)
			ck_assert_int_eq(reply.word, words[i].word);
	}
}
END_TEST

START_TEST(a_value_is_read)
{
	struct reply reply;
	struct span line = span_str("VALUE some:key 4294967295 2147483645");

	ck_assert(reply_parse(line, VERB_GET, &reply));
	ck_assert_int_eq(reply.word, REPLY_VALUE);
	ck_assert(span_eq(reply.key, span_str("some:key")));
	ck_assert_uint_eq(reply.body_len, 2147483645);
	line = span_str("VALUE a 0 0 18446744073709551615");
	ck_assert(reply_parse(line, VERB_GATS, &reply));
	ck_assert_uint_eq(reply.body_len, 0);
	line = span_str("VA 17 k b O0");
	ck_assert(reply_parse(line, VERB_MG, &reply));
	ck_assert_uint_eq(reply.body_len, 17);
}
END_TEST

static const struct {
	enum verb	 verb;
	const char	*line;
} lies[] = {
	{VERB_GET, ""},
	{VERB_GET, " "},
	{VERB_GET, " END"},
	{VERB_GET, "END "},
	{VERB_GET, "END x"},
	{VERB_GET, "END\r"},
	{VERB_GET, "end"},
	{VERB_GET, "ENDS"},
	{VERB_GET, "EN"},
	{VERB_GET, "VALUE"},
	{VERB_GET, "VALUE "},
	{VERB_GET, "VALUE k"},
	{VERB_GET, "VALUE k 0"},
	{VERB_GET, "VALUE k 0 -1"},
	{VERB_GET, "VALUE k 0 x"},
	{VERB_GET, "VALUE k 0 1x"},
	{VERB_GET, "VALUE k 0 2147483646"},
	{VERB_GET, "VALUE k 0 18446744073709551617"},
	{VERB_GET, "VALUE k -1 1"},
	{VERB_GET, "VALUE k 4294967296 1"},
	{VERB_GET, "VALUE k x 1"},
	{VERB_GET, "VALUE  0 1"},
	{VERB_GET, "VALUE k 18446744073709551616 1"},
	{VERB_GET, "VALUE k 0 100000000000000000000000000000000000001"},
	{VERB_GET, "VALUE k 0 1 5"},
	{VERB_GAT, "VALUE k 0 1 5"},
	{VERB_GETS, "VALUE k 0 1"},
	{VERB_GETS, "VALUE k 0 1 x"},
	{VERB_GETS, "VALUE k 0 1 -1"},
	{VERB_GETS, "VALUE k 0 1 18446744073709551616"},
	{VERB_GETS, "VALUE k 0 1 5 6"},
	{VERB_SET, "STORED x"},
	{VERB_SET, "STOREDx"},
	{VERB_CAS, "EXISTS x"},
	{VERB_DELETE, "DELETED 5"},
	{VERB_TOUCH, "TOUCHED x"},
	{VERB_FLUSH_ALL, "OK x"},
	{VERB_INCR, "-1"},
	{VERB_INCR, "4x"},
	{VERB_INCR, "4 5"},
	{VERB_DECR, "4 "},
	{VERB_INCR, "18446744073709551616"},
	{VERB_MG, "VA"},
	{VERB_MG, "VA x"},
	{VERB_MG, "VA -1"},
	{VERB_MG, "VA 2147483646"},
	{VERB_MG, "va 5"},
	{VERB_MG, "HDx"},
};

START_TEST(a_line_that_cannot_answer_is_refused)
{
	struct reply reply;

	ck_assert_msg(!parse(lies[_i].line, lies[_i].verb, &reply),
	    "\"%s\" is taken", lies[_i].line);
}
END_TEST

/* `Zm9v` is base64 of `foo`. */
static const struct {
	enum verb	 verb;
	const char	*asked;		/* key and flags */
	const char	*line;
	bool		 fits;
} meta[] = {
	{VERB_MG, "foo v", "VA 3", true},
	{VERB_MG, "foo", "VA 3", false},
	{VERB_MG, "foo s t", "VA 3 s3 t-1", false},
	{VERB_MG, "foo v", "EN", true},
	{VERB_MG, "foo v C5", "HD", true},
	{VERB_MG, "foo v k O1", "VA 3 kfoo O1", true},
	{VERB_MG, "foo k", "HD kfoo W", true},
	{VERB_MG, "foo k", "HD", true},
	{VERB_MG, "foo k", "HD kfo", false},
	{VERB_MG, "foo k", "HD kfooo", false},
	{VERB_MG, "foo k", "HD k", false},
	{VERB_MG, "foo k", "HD t0 kbar", false},
	{VERB_MG, "foo k", "HD kZm9v b", true},
	{VERB_MG, "foo k", "HD kZm9w b", false},
	{VERB_MG, "Zm9v b k", "HD kZm9v b", true},
	{VERB_MG, "Zm9v b k", "HD kfoo", true},
	{VERB_MG, "Zm9v b k", "HD kbar", false},
	/* Of the last letter some bits do not count. */
	{VERB_MG, "Zm9= b k", "HD kZm8= b", true},
	{VERB_MG, "Zm9= b k", "HD kZm9= b", true},
	{VERB_MG, "Zm9= b k", "HD kZm4= b", false},
	{VERB_MG, "Zm9= k", "HD kZm8= b", false},
	/* "a b": an item may have forgotten that its key was base64. */
	{VERB_MG, "YSBi b k v O1", "VA 1 ka b O1", true},
	{VERB_MG, "YSBi b k O1", "HD ka b O2", false},
	{VERB_MG, "YSBi b k", "HD ka b", true},
	{VERB_MG, "YSBi b k", "HD ka bc", false},
	{VERB_MG, "YSBi b k", "HD ka c", false},
	{VERB_MG, "YSBi b k", "HD ka", false},
	{VERB_MG, "YSBi b k", "HD kYSBi b", true},
	{VERB_ME, "YSBi b", "ME a b exp=-1", true},
	{VERB_ME, "YSBi b", "ME a c exp=-1", false},
	{VERB_ME, "YSBi b", "ME YSBi exp=-1", true},
	/* " \n": all of a key may be blanks. */
	{VERB_MG, "IAo= b k", "HD k \n W", true},
	{VERB_ME, "IAo= b", "ME  \n exp=-1", true},
	/* A flag's letter within the key is none. */
	{VERB_MG, "vfoo", "VA 3", false},
	{VERB_MG, "O1", "EN O1", false},
	{VERB_MG, "bfoo k", "HD kbfoo", true},
	{VERB_MG, "Zm9v b k", "EN kZm9v b", true},
	{VERB_MG, "foo O1", "EN O1", true},
	{VERB_MG, "foo O1", "EN O12", false},
	{VERB_MG, "foo O1", "EN O", false},
	{VERB_MG, "foo O", "EN O", true},
	{VERB_MG, "foo", "EN O1", false},
	{VERB_MS, "foo O1 k", "NS O1 kfoo", true},
	{VERB_MS, "foo O1 k", "HD O2 kfoo", false},
	{VERB_MD, "foo k", "NF kbar", false},
	{VERB_MA, "foo v k", "VA 1 kfoo", true},
	{VERB_MA, "foo v k", "VA 1 kbar", false},
	{VERB_ME, "foo", "ME foo exp=-1 la=0", true},
	{VERB_ME, "foo", "ME bar exp=-1 la=0", false},
	{VERB_ME, "foo", "ME", false},
	{VERB_ME, "Zm9v b", "ME foo exp=-1", true},
	{VERB_ME, "foo", "ME Zm9v exp=-1", true},
};

START_TEST(a_meta_reply_repeats_what_was_asked)
{
	struct span line = span_str(meta[_i].line);
	struct reply reply;

	ck_assert(reply_parse(line, meta[_i].verb, &reply));
	ck_assert(reply_is_meta(reply.word));
	ck_assert_msg(reply_fits_meta(line, reply.word,
	    span_str(meta[_i].asked)) == meta[_i].fits, "%s to %s %s: %d",
	    meta[_i].line, verb_name(meta[_i].verb), meta[_i].asked,
	    !meta[_i].fits);
}
END_TEST

/* "YQ0KRU4=" is "a", CR, LF, "EN"; "Cg==" is LF alone. */
static const struct {
	const char	*asked;
	const char	*bytes;
	int		 end;		/* -1: not there yet */
} ends[] = {
	{"YQ0KRU4= b k", "HD\r\nEN\r\n", 3},
	{"YQ0KRU4= b k", "EN kYQ0KRU4= b\r\nMN\r\n", 15},
	{"YQ0KRU4= b k", "HD ka\r\nEN\r\nMN\r\n", 10},
	{"YQ0KRU4= b k v", "VA 1 s1 ka\r\nEN O2 W\r\n0\r\n", 20},
	{"YQ0KRU4= b k", "HD ka\r\nEX\r\n", 6},
	{"YQ0KRU4= b k", "HD", -1},
	{"YQ0KRU4= b k", "HD ka\r\n", -1},
	{"YQ0KRU4= b k", "HD ka\r\nE", -1},
	{"YQ0KRU4= b k", "HD ka\r\nEN", -1},
	{"YQ0KRU4= b k", "HD ka\r\nEN\r", -1},
	{"YQ0KRU4= b", "ME a\r\nEN exp=-1\r\n", 16},
	{"YQ0KRU4= b", "ME a\r\nEX exp=-1\r\n", 5},
	{"YQ0KRU4= b", "ME YQ0KRU4= exp=-1\r\n", 19},
	{"YQ0KRU4= b", "SERVER_ERROR kept\r\n", 18},
	{"YQ0KRU4= b", "\r\n", 1},
	{"Cg== b k", "HD k\n\r\n", 6},
	{"Cg== b", "ME \n exp=-1\r\n", 12},
	{"Zm9v b k", "HD kfoo\r\nEN\r\n", 8},
	{"YQ0KRU4= k", "HD ka\r\nEN\r\n", 6},
};

START_TEST(a_line_ends_after_a_key_that_has_line_ends)
{
	struct span bytes = span_str(ends[_i].bytes);
	const char *end = reply_line_end(bytes, span_str(ends[_i].asked));

	ck_assert_int_eq(end == NULL ? -1 : end - bytes.p, ends[_i].end);
}
END_TEST

START_TEST(a_value_of_a_key_that_is_too_long_is_refused)
{
	char line[300] = "VALUE ";
	struct reply reply;

	memset(line + 6, 'k', 251);
	memcpy(line + 6 + 250, " 0 1", 4);
	ck_assert(reply_parse(span_of(line, 6 + 254), VERB_GET, &reply));
	memset(line + 6, 'k', 251);
	memcpy(line + 6 + 251, " 0 1", 4);
	ck_assert(!reply_parse(span_of(line, 6 + 255), VERB_GET, &reply));
}
END_TEST

START_TEST(errors_and_bodies_are_told_by_their_word)
{
	for (size_t i = 0; i < LENGTH(words); i++) {
		enum reply_word word = words[i].word;

		ck_assert_int_eq(reply_is_error(word),
		    (ANY_ERROR >> word & 1) != 0);
		ck_assert_int_eq(reply_has_body(word),
		    word == REPLY_VALUE || word == REPLY_VA);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reply");

	tcase_add_loop_test(tc,
	    a_command_is_answered_by_its_own_words_and_errors_alone, 0,
	    LENGTH(commands));
	tcase_add_test(tc, a_value_is_read);
	tcase_add_loop_test(tc, a_line_that_cannot_answer_is_refused, 0,
	    LENGTH(lies));
	tcase_add_loop_test(tc, a_meta_reply_repeats_what_was_asked, 0,
	    LENGTH(meta));
	tcase_add_loop_test(tc, a_line_ends_after_a_key_that_has_line_ends, 0,
	    LENGTH(ends));
	tcase_add_test(tc, a_value_of_a_key_that_is_too_long_is_refused);
	tcase_add_test(tc, errors_and_bodies_are_told_by_their_word);
	return case_run("reply", tc);
}
