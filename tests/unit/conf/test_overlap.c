/* Whether two written addresses mean the same socket. */
#include "conf/overlap.h"
#include "support.h"

static struct endpoint
endpoint_of(const char *text)
{
	struct endpoint ep;
	struct err err;

	ck_assert_msg(endpoint_parse(span_str(text), &ep, &err), "%s: %s",
	    text, err.text);
	return ep;
}

struct row {
	const char	*a, *b;
	bool		 is_yes;
};

static const struct row listener_rows[] = {
	{"127.0.0.1:1", "127.0.0.1:1", true},
	{"127.0.0.1:1", "127.0.0.1:2", false},
	{"127.0.0.1:1", "127.0.0.2:1", false},
	{"0.0.0.0:1", "127.0.0.1:1", true},
	{"0.0.0.0:1", "127.0.0.1:2", false},
	{"[::1]:1", "[0:0:0:0:0:0:0:1]:1", true},
	{"[::]:1", "[::1]:1", true},
	{"[::]:1", "[::]:1", true},
	{"[::]:1", "0.0.0.0:1", false},
	{"[::1]:1", "127.0.0.1:1", false},
	{"unix:/a", "unix:/a", true},
	{"unix:/a", "unix:/b", false},
	{"unix:/a", "127.0.0.1:1", false},
};

START_TEST(listeners_in_each_other_s_way)
{
	const struct row *row = &listener_rows[_i];
	struct endpoint a = endpoint_of(row->a), b = endpoint_of(row->b);

	ck_assert_int_eq(overlap_listeners(&a, &b), row->is_yes);
	ck_assert_int_eq(overlap_listeners(&b, &a), row->is_yes);
}
END_TEST

/* A server, and a listener. */
static const struct row loop_rows[] = {
	{"127.0.0.1:1", "127.0.0.1:1", true},
	{"10.0.0.1:1", "10.0.0.1:1", true},
	{"10.0.0.1:1", "10.0.0.1:2", false},
	{"127.0.0.1:1", "0.0.0.0:1", true},
	{"127.9.9.9:1", "0.0.0.0:1", true},
	{"10.0.0.1:1", "0.0.0.0:1", false},
	{"127.0.0.1:1", "[::]:1", false},
	{"[::ffff:10.0.0.1]:1", "10.0.0.1:1", true},
	{"[::ffff:10.0.0.1]:1", "10.0.0.2:1", false},
	{"[::ffff:127.9.9.9]:1", "0.0.0.0:1", true},
	{"[::ffff:127.0.0.1]:1", "[::]:1", false},
	{"[::ffff:0.0.0.0]:1", "127.0.0.1:1", true},
	{"[::1]:1", "[::]:1", true},
	{"[::1]:1", "0.0.0.0:1", false},
	{"0.0.0.0:1", "127.0.0.1:1", true},
	{"0.0.0.0:1", "0.0.0.0:1", true},
	{"[::]:1", "[::1]:1", true},
	{"0.0.0.0:1", "10.0.0.1:1", false},
	{"0.0.0.0:1", "[::1]:1", false},
	{"[fd00::1]:1", "[::]:1", false},
	{"localhost:1", "127.0.0.1:1", true},
	{"LocalHost:1", "[::1]:1", true},
	{"localhost:1", "0.0.0.0:1", true},
	{"localhost:1", "10.0.0.1:1", false},
	{"localhost:2", "127.0.0.1:1", false},
	{"cache-1:1", "0.0.0.0:1", false},
	{"unix:/a", "unix:/a", true},
	{"unix:/a", "unix:/b", false},
	{"unix:/a", "0.0.0.0:1", false},
	{"localhost:1", "unix:/a", false},
};

START_TEST(servers_that_are_the_listener)
{
	const struct row *row = &loop_rows[_i];
	struct endpoint a = endpoint_of(row->a), b = endpoint_of(row->b);

	ck_assert_msg(overlap_loops(&a, &b) == row->is_yes, "%s and %s",
	    row->a, row->b);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("overlap");

	tcase_add_loop_test(tc, listeners_in_each_other_s_way, 0,
	    LENGTH(listener_rows));
	tcase_add_loop_test(tc, servers_that_are_the_listener, 0,
	    LENGTH(loop_rows));
	return run_case("overlap", tc);
}
