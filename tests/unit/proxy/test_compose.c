/* Requests as servers are sent them, and what is said in their stead. */
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "proxy/compose.h"

static const struct {
	const char	*said;		/* by a client, without the end */
	const char	*sent;		/* to a server, the same */
} lines[] = {
	{"get a", "get a"},
	{"gets   a  ", "gets a"},
	{"gat -1 a", "gat -1 a"},
	{"gats 0005 a", "gats 5 a"},
	{"gat -2147483648 a", "gat -2147483648 a"},
	{"set a 1 2 3", "set a 1 2 3"},
	{"set a 4294967297 -0 03", "set a 1 0 3"},
	{"set a 0 -2147483648 2147483645", "set a 0 -2147483648 2147483645"},
	/* A reply is always wanted. */
	{"set a 1 2 3 noreply", "set a 1 2 3"},
	{"set a 1 2 3 foo bar noreply", "set a 1 2 3"},
	{"set noreply 1 2 3", "set noreply 1 2 3"},
	{"add a 1 2 3", "add a 1 2 3"},
	{"replace a 1 2 3", "replace a 1 2 3"},
	{"append a 1 2 3", "append a 1 2 3"},
	{"prepend a 1 2 3", "prepend a 1 2 3"},
	{"cas a 1 2 3 18446744073709551615 noreply",
	    "cas a 1 2 3 18446744073709551615"},
	{"delete a", "delete a"},
	{"delete a 0 noreply", "delete a"},
	/* The last word of a line is an option, so the key must not be. */
	{"delete noreply", "delete noreply 0"},
	{"incr a 007", "incr a 7"},
	{"decr a 18446744073709551615 noreply",
	    "decr a 18446744073709551615"},
	{"incr noreply 1", "incr noreply 1"},
	{"touch a -5 noreply", "touch a -5"},
	{"mg a", "mg a"},
	{"mg a  v   t q  k", "mg a v t k"},
	{"mg a q", "mg a"},
	{"mg Zm9v b O1 v", "mg Zm9v b O1 v"},
	{"ms a 03  T0 q I", "ms a 3 T0 I"},
	{"md a q x", "md a x"},
	{"ma a N0 J1 D2 q", "ma a N0 J1 D2"},
	{"me a", "me a"},
	{"me Zm9v b", "me Zm9v b"},
};

static void
parse(const char *line, char *memory, struct request *req)
{
	size_t len = strlen(line);

	memcpy(memory, line, len);
	memcpy(memory + len, "\r\n", 2);
	ck_assert_msg(request_parse(span_of(memory, len + 2), req) ==
	    REQUEST_OK, "\"%s\" is refused", line);
}

static void
expect(const char *out, size_t len, const char *wanted)
{
	ck_assert_msg(span_eq(span_of(out, len), span_str(wanted)),
	    "\"%.*s\", not \"%s\"", (int)len, out, wanted);
}

START_TEST(a_command_is_written_anew_from_its_parts)
{
	char memory[512], out[COMPOSE_LINE_MAX], wanted[512];
	struct request req;

	for (size_t i = 0; i < LENGTH(lines); i++) {
		parse(lines[i].said, memory, &req);
		snprintf(wanted, sizeof(wanted), "%s\r\n", lines[i].sent);
		expect(out, compose_request(&req, out), wanted);
	}
}
END_TEST

START_TEST(the_longest_command_fits)
{
	char memory[COMPOSE_LINE_MAX], out[COMPOSE_LINE_MAX];
	size_t len = 3 + REQUEST_KEY_MAX;
	struct request req;

	memset(memory, 'k', sizeof(memory));
	memcpy(memory, "ms ", 3);
	memcpy(memory + len, " 2147483645 P", 13);
	len += 11 + REQUEST_META_FLAGS_MAX;
	memcpy(memory + len, "\r\n", 2);
	ck_assert_int_eq(request_parse(span_of(memory, len + 2), &req),
	    REQUEST_OK);
	ck_assert_uint_eq(req.meta_flags.len, REQUEST_META_FLAGS_MAX);
	ck_assert_uint_eq(compose_request(&req, out), len + 2);
	ck_assert_mem_eq(out, memory, len + 2);
}
END_TEST

START_TEST(several_keys_begin_with_verb_and_exptime)
{
	char out[COMPOSE_LINE_MAX];

	expect(out, compose_keys_head(VERB_GET, 7, out), "get");
	expect(out, compose_keys_head(VERB_GETS, 7, out), "gets");
	expect(out, compose_keys_head(VERB_GAT, 7, out), "gat 7");
	expect(out, compose_keys_head(VERB_GATS, -7, out), "gats -7");
}
END_TEST

START_TEST(a_key_is_deleted_by_name)
{
	char out[COMPOSE_LINE_MAX];

	expect(out, compose_delete(span_str("a"), out), "delete a\r\n");
	expect(out, compose_delete(span_str("noreply"), out),
	    "delete noreply 0\r\n");
	expect(out, compose_delete_base64(span_str("Zm9v"), out),
	    "md Zm9v b\r\n");
}
END_TEST

static const struct {
	const char	*said;
	const char	*memory;
	const char	*miss;		/* NULL: no command that can miss so */
} memories[] = {
	{"get a", "a", NULL},
	{"gat 5 a", "a", NULL},
	{"mg a", "a", "EN\r\n"},
	{"mg a v t f", "a v t f", "EN\r\n"},
	{"mg a q v k O12 s", "a v k O12 s", "EN ka O12\r\n"},
	{"mg a O k", "a O k", "EN O ka\r\n"},
	{"mg Zm9v k b", "Zm9v k b", "EN kZm9v b\r\n"},
	{"mg Zm9v b k", "Zm9v b k", "EN kZm9v b\r\n"},
	{"mg Zm9v O1 k v b", "Zm9v O1 k v b", "EN O1 kZm9v b\r\n"},
	{"mg Zm9v b", "Zm9v b", "EN\r\n"},
};

START_TEST(a_miss_is_said_from_what_was_remembered)
{
	char line[512], memory[COMPOSE_LINE_MAX], out[COMPOSE_LINE_MAX];
	struct request req;
	size_t len;

	for (size_t i = 0; i < LENGTH(memories); i++) {
		parse(memories[i].said, line, &req);
		len = compose_memory(&req, memory);
		expect(memory, len, memories[i].memory);
		if (memories[i].miss != NULL)
			expect(out, compose_meta_miss(span_of(memory, len),
			    out), memories[i].miss);
	}
}
END_TEST

static const struct {
	enum verb	 verb;
	int64_t		 exptime;
	const char	*line;
} again[] = {
	{VERB_GET, 9, "get some:key\r\n"},
	{VERB_GETS, 9, "gets some:key\r\n"},
};

START_TEST(a_get_is_asked_again_from_what_was_remembered)
{
	char key[] = "some:key", out[COMPOSE_LINE_MAX];

	for (size_t i = 0; i < LENGTH(again); i++) {
		struct txn txn = {.verb = again[i].verb,
		    .exptime = again[i].exptime, .text = key,
		    .text_len = sizeof(key) - 1};

		expect(out, compose_again(&txn, out), again[i].line);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("compose");

	tcase_add_test(tc, a_command_is_written_anew_from_its_parts);
	tcase_add_test(tc, the_longest_command_fits);
	tcase_add_test(tc, several_keys_begin_with_verb_and_exptime);
	tcase_add_test(tc, a_key_is_deleted_by_name);
	tcase_add_test(tc, a_miss_is_said_from_what_was_remembered);
	tcase_add_test(tc, a_get_is_asked_again_from_what_was_remembered);
	return case_run("compose", tc);
}
