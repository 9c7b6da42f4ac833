/* Listeners whose requests come back to them by way of other listeners. */
#include <stdio.h>
#include <string.h>

#include "support.h"

/* The listeners of lines 2 to 4, and servers that are they, or none. */
#define FILE(one, two, three, pools)                                           \
	"listeners:\n"                                                         \
	"  - {listen: 127.0.0.1:1, " one "}\n"                                 \
	"  - {listen: 127.0.0.1:2, " two "}\n"                                 \
	"  - {listen: 127.0.0.1:3, " three "}\n"                               \
	"pools:\n  out: {servers: [cache:1]}\n" pools
#define TO_1 "  to1: {servers: [\"127.0.0.1:1\"]}\n"
#define TO_2 "  to2: {servers: [\"127.0.0.1:2\"]}\n"
#define TO_3 "  to3: {servers: [\"cache:2\", \"127.0.0.1:3\"]}\n"
#define ROUTE(prefix, pool)                                                    \
	"pool: out, routes: [{prefix: " prefix ", pool: " pool "}]"

struct row {
	const char	*text;
	const char	*loops;		/* line, column, server, listener */
};

static const struct row rows[] = {
	/* A chain is none. */
	{FILE("pool: to2", "pool: to3", "pool: out", TO_1 TO_2 TO_3), ""},
	{FILE("pool: to2", "pool: to1", "pool: to1", TO_1 TO_2 TO_3),
	    "7:19 1 2\n8:19 2 3\n"},
	{FILE("pool: to2", "pool: to3", "pool: to1", TO_1 TO_2 TO_3),
	    "7:19 1 2\n8:19 2 3\n9:30 3 4\n"},
	/* Into a loop, and not in it. */
	{FILE("pool: to1", "pool: to1", "pool: to2", TO_1 TO_2 TO_3),
	    "7:19 1 2\n"},
	/* The same keys all around, and others. */
	{FILE(ROUTE("a", "to2"), ROUTE("a", "to1"), "pool: out", TO_1 TO_2),
	    "7:19 1 2\n8:19 2 3\n"},
	{FILE(ROUTE("a", "to2"), ROUTE("b", "to1"), "pool: out", TO_1 TO_2),
	    ""},
	{FILE(ROUTE("a", "to2"), ROUTE("ab", "to1"), "pool: out", TO_1 TO_2),
	    "7:19 1 2\n8:19 2 3\n"},
	{FILE("pool: to2", ROUTE("ab", "to1"), "pool: out", TO_1 TO_2),
	    "7:19 1 2\n8:19 2 3\n"},
	/* All keys, but those which the other one sends back. */
	{FILE("pool: to2, routes: [{prefix: ab, pool: out}]",
	    ROUTE("ab", "to1"), "pool: out", TO_1 TO_2), ""},
	{FILE("pool: to2, routes: [{prefix: abc, pool: out}]",
	    ROUTE("ab", "to1"), "pool: out", TO_1 TO_2),
	    "7:19 1 2\n8:19 2 3\n"},
	/* By a gutter. */
	{FILE("pool: safe", "pool: to1", "pool: out", TO_1 TO_2
	    "  safe: {servers: [cache:9], on_down: gutter, gutter: to2}\n"),
	    "7:19 1 2\n8:19 2 3\n"},
};

START_TEST(loops_are_found)
{
	struct conf_errors *errors = NULL;
	struct conf *conf = conf_parse("f", rows[_i].text,
	    strlen(rows[_i].text), &errors);
	char found[256] = "";
	size_t len = 0, n = errors == NULL ? 0 : conf_errors_count(errors);

	for (size_t i = 0; i < n; i++) {
		unsigned line, column, server, listener;
		const char *text = conf_errors_line(errors, i);

		ck_assert_msg(sscanf(text, "f:%u:%u: the server 127.0.0.1:%u "
		    "of pool %*s is the listener at line %u,", &line, &column,
		    &server, &listener) == 4, "%s", text);
		len += (size_t)snprintf(found + len, sizeof(found) - len,
		    "%u:%u %u %u\n", line, column, server, listener);
	}
	ck_assert_str_eq(found, rows[_i].loops);
	ck_assert_int_eq(conf != NULL, n == 0);
	conf_free(&conf);
	conf_errors_free(&errors);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("loops");

	tcase_add_loop_test(tc, loops_are_found, 0, LENGTH(rows));
	return run_case("loops", tc);
}
