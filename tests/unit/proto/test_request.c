/* Commands that are taken, and what is read from them. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "proto/request.h"

/* A line and what must be read from it; what is not said is zero. */
struct taken {
	const char	*line;		/* without its end */
	enum verb	 verb;
	const char	*key;
	uint32_t	 nkeys;
	const char	*keys;
	bool		 has_body;
	uint64_t	 body_len;
	bool		 is_noreply;
	bool		 is_quiet;
	bool		 is_base64;
	uint32_t	 client_flags;
	int64_t		 exptime;
	uint64_t	 cas_unique;
	uint64_t	 delta;
	const char	*meta_flags;
};

static const struct taken taken[] = {
	{"get a", VERB_GET, .key = "a", .nkeys = 1, .keys = "a"},
	{"gets a", VERB_GETS, .key = "a", .nkeys = 1, .keys = "a"},
	{"get a b a", VERB_GET, .key = "a", .nkeys = 3, .keys = "a b a"},
	{"get   a    b  ", VERB_GET, .key = "a", .nkeys = 2,
	    .keys = "a    b  "},
	{"get noreply", VERB_GET, .key = "noreply", .nkeys = 1,
	    .keys = "noreply"},
	{"get a noreply", VERB_GET, .key = "a", .nkeys = 2,
	    .keys = "a noreply"},
	{"get \t\x7f\xff\x80", VERB_GET, .key = "\t\x7f\xff\x80", .nkeys = 1,
	    .keys = "\t\x7f\xff\x80"},
	{"gat 0 a", VERB_GAT, .key = "a", .nkeys = 1, .keys = "a"},
	{"gat -1 a b", VERB_GAT, .key = "a", .nkeys = 2, .keys = "a b",
	    .exptime = -1},
	{"gats 2147483647 a", VERB_GATS, .key = "a", .nkeys = 1, .keys = "a",
	    .exptime = 2147483647},
	{"gats -2147483648 a", VERB_GATS, .key = "a", .nkeys = 1,
	    .keys = "a", .exptime = -2147483647 - 1},
	{"gat 0 a noreply", VERB_GAT, .key = "a", .nkeys = 2,
	    .keys = "a noreply"},

	{"set a 0 0 0", VERB_SET, .key = "a", .has_body = true},
	{"set a 1 2 3", VERB_SET, .key = "a", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3},
	{"add a 1 2 3", VERB_ADD, .key = "a", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3},
	{"replace a 1 2 3", VERB_REPLACE, .key = "a", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3},
	{"append a 1 2 3", VERB_APPEND, .key = "a", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3},
	{"prepend a 1 2 3", VERB_PREPEND, .key = "a", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3},
	{"set a 1 2 3 noreply", VERB_SET, .key = "a", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3,
	    .is_noreply = true},
	/* Words that nobody knows are ignored; the very last one counts. */
	{"set a 1 2 3 foo", VERB_SET, .key = "a", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3},
	{"set a 1 2 3 foo bar noreply  ", VERB_SET, .key = "a",
	    .has_body = true, .client_flags = 1, .exptime = 2, .body_len = 3,
	    .is_noreply = true},
	{"set a 1 2 3 noreply foo", VERB_SET, .key = "a", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3},
	{"set noreply 1 2 3", VERB_SET, .key = "noreply", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3},
	{"set a 4294967295 0 0", VERB_SET, .key = "a", .has_body = true,
	    .client_flags = 4294967295u},
	/* memcached keeps the lower 32 bits. */
	{"set a 4294967297 0 0", VERB_SET, .key = "a", .has_body = true,
	    .client_flags = 1},
	{"set a 18446744073709551615 0 0", VERB_SET, .key = "a",
	    .has_body = true, .client_flags = 4294967295u},
	{"set a 0 -2147483648 0", VERB_SET, .key = "a", .has_body = true,
	    .exptime = -2147483647 - 1},
	{"set a 0 2147483647 0", VERB_SET, .key = "a", .has_body = true,
	    .exptime = 2147483647},
	{"set a 0 0 2147483645", VERB_SET, .key = "a", .has_body = true,
	    .body_len = 2147483645},
	{"set a 00 00 0002", VERB_SET, .key = "a", .has_body = true,
	    .body_len = 2},
	{"cas a 1 2 3 4", VERB_CAS, .key = "a", .has_body = true,
	    .client_flags = 1, .exptime = 2, .body_len = 3, .cas_unique = 4},
	{"cas a 0 0 0 18446744073709551615 noreply", VERB_CAS, .key = "a",
	    .has_body = true, .cas_unique = UINT64_MAX, .is_noreply = true},

	{"delete a", VERB_DELETE, .key = "a"},
	{"delete a 0", VERB_DELETE, .key = "a"},
	{"delete a noreply", VERB_DELETE, .key = "a", .is_noreply = true},
	{"delete a 0 noreply", VERB_DELETE, .key = "a", .is_noreply = true},
	{"delete noreply", VERB_DELETE, .key = "noreply", .is_noreply = true},
	{"incr a 1", VERB_INCR, .key = "a", .delta = 1},
	{"decr a 18446744073709551615 noreply", VERB_DECR, .key = "a",
	    .delta = UINT64_MAX, .is_noreply = true},
	{"incr a 1 foo", VERB_INCR, .key = "a", .delta = 1},
	{"touch a 5", VERB_TOUCH, .key = "a", .exptime = 5},
	{"touch a -1 noreply", VERB_TOUCH, .key = "a", .exptime = -1,
	    .is_noreply = true},

	{"mg a", VERB_MG, .key = "a", .meta_flags = ""},
	{"mg a v t f", VERB_MG, .key = "a", .meta_flags = " v t f"},
	{"mg a v q", VERB_MG, .key = "a", .is_quiet = true,
	    .meta_flags = " v q"},
	{"mg Zm9v b k", VERB_MG, .key = "Zm9v", .is_base64 = true,
	    .meta_flags = " b k"},
	{"mg a O1234567890123456789012345678901", VERB_MG, .key = "a",
	    .meta_flags = " O1234567890123456789012345678901"},
	{"mg a O", VERB_MG, .key = "a", .meta_flags = " O"},
	/* noreply is no word of meta commands, but a flag that begins so. */
	{"mg a noreply", VERB_MG, .key = "a", .meta_flags = " noreply"},
	{"ms a 2", VERB_MS, .key = "a", .has_body = true, .body_len = 2,
	    .meta_flags = ""},
	{"ms a 2 T0 q I", VERB_MS, .key = "a", .has_body = true,
	    .body_len = 2, .is_quiet = true, .meta_flags = " T0 q I"},
	{"md a q x", VERB_MD, .key = "a", .is_quiet = true,
	    .meta_flags = " q x"},
	{"ma a N0 J1 D2 MD", VERB_MA, .key = "a",
	    .meta_flags = " N0 J1 D2 MD"},
	{"me a", VERB_ME, .key = "a", .meta_flags = ""},
	{"mn", VERB_MN, .key = NULL},
	{"mn all the rest", VERB_MN, .key = NULL},

	{"version", VERB_VERSION, .key = NULL},
	{"version foo noreply", VERB_VERSION, .is_noreply = true},
	{"verbosity 1", VERB_VERBOSITY, .key = NULL},
	{"quit", VERB_QUIT, .key = NULL},
	{"stats", VERB_STATS, .key = NULL},
	{"stats items", VERB_STATS, .key = NULL},
	{"flush_all", VERB_FLUSH_ALL, .key = NULL},
	{"flush_all 10 noreply", VERB_FLUSH_ALL, .is_noreply = true},
	{"shutdown graceful", VERB_SHUTDOWN, .key = NULL},
	{"cache_memlimit 1", VERB_CACHE_MEMLIMIT, .key = NULL},
	{"slabs reassign 1 2", VERB_SLABS, .key = NULL},
	{"lru tune", VERB_LRU, .key = NULL},
	{"lru_crawler metadump all", VERB_LRU_CRAWLER, .key = NULL},
	{"extstore x", VERB_EXTSTORE, .key = NULL},
	{"watch fetchers", VERB_WATCH, .key = NULL},
	{"refresh_certs", VERB_REFRESH_CERTS, .key = NULL},
};

static void
expect_span(struct span got, const char *wanted, const char *what)
{
	if (wanted == NULL)
		wanted = "";
	ck_assert_msg(span_eq(got, span_str(wanted)),
	    "%s is \"%.*s\", not \"%s\"", what, (int)got.len, got.p, wanted);
}

static void
expect(const struct request *req, const struct taken *t)
{
	ck_assert_msg(req->verb == t->verb, "\"%s\" is %s", t->line,
	    verb_name(req->verb));
	expect_span(req->key, t->key, "key");
	expect_span(req->keys, t->keys, "keys");
	expect_span(req->meta_flags, t->meta_flags, "flags");
	ck_assert_msg(req->nkeys == t->nkeys && req->has_body == t->has_body &&
	    req->body_len == t->body_len, "keys or body of \"%s\"", t->line);
	ck_assert_msg(req->is_noreply == t->is_noreply &&
	    req->is_quiet == t->is_quiet && req->is_base64 == t->is_base64,
	    "options of \"%s\"", t->line);
	ck_assert_msg(req->client_flags == t->client_flags &&
	    req->exptime == t->exptime && req->cas_unique == t->cas_unique &&
	    req->delta == t->delta, "numbers of \"%s\"", t->line);
	ck_assert_msg(req->skip == 0 && req->error == NULL,
	    "\"%s\" is half refused", t->line);
}

/* Parses `line`, then `end`, in memory of just that size. */
static enum request_result
parse(const char *line, const char *end, struct request *req, char **memory_r)
{
	size_t len = strlen(line), size = len + strlen(end);
	char *memory = malloc(size);

	ck_assert_ptr_nonnull(memory);
	memcpy(memory, line, len);
	memcpy(memory + len, end, strlen(end));
	*memory_r = memory;
	return request_parse(span_of(memory, size), req);
}

static void
check(const struct taken *t, const char *end, size_t end_len)
{
	struct request req;
	char *memory;

	ck_assert_msg(parse(t->line, end, &req, &memory) == REQUEST_OK,
	    "\"%s\" is not taken", t->line);
	ck_assert_uint_eq(req.line_len, strlen(t->line) + end_len);
	expect(&req, t);
	free(memory);
}

START_TEST(a_command_is_read)
{
	for (size_t i = 0; i < LENGTH(taken); i++)
		check(&taken[i], "\r\n", 2);
}
END_TEST

START_TEST(a_bare_newline_ends_a_line_too)
{
	/* Save one of 3 bytes: lines are at least 4. */
	for (size_t i = 0; i < LENGTH(taken); i++) {
		if (strlen(taken[i].line) > 2)
			check(&taken[i], "\n", 1);
	}
}
END_TEST

START_TEST(what_follows_a_line_does_not_matter)
{
	for (size_t i = 0; i < LENGTH(taken); i++) {
		check(&taken[i], "\r\nget b\r\n", 2);
		check(&taken[i], "\r\n\n\r \x80", 2);
	}
}
END_TEST

static void
expect_more(const char *line)
{
	struct request req;
	size_t len = strlen(line);
	char *memory = malloc(len + 1);

	ck_assert_ptr_nonnull(memory);
	memcpy(memory, line, len);
	memory[len] = '\r';
	for (size_t n = 0; n <= len + 1; n++)
		ck_assert_msg(request_parse(span_of(memory, n), &req) ==
		    REQUEST_MORE, "%zu bytes of \"%s\"", n, line);
	free(memory);
}

START_TEST(a_line_is_taken_only_when_it_is_whole)
{
	for (size_t i = 0; i < LENGTH(taken); i++)
		expect_more(taken[i].line);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("request");

	tcase_add_test(tc, a_command_is_read);
	tcase_add_test(tc, a_bare_newline_ends_a_line_too);
	tcase_add_test(tc, what_follows_a_line_does_not_matter);
	tcase_add_test(tc, a_line_is_taken_only_when_it_is_whole);
	return case_run("request", tc);
}
