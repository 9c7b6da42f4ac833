/* "host:port:weight name", read from its end. */
#include "convert/nutcracker_server.h"

#include "case.h"

struct sample {
	const char	*text;
	const char	*host, *port, *weight, *name;
	bool		 is_unix;
};

static const struct sample samples[] = {
	{"10.0.0.1:11211:1", "10.0.0.1", "11211", "1", "", false},
	{"a:1:2 name", "a", "1", "2", "name", false},
	{"a:1:2 \"name\"", "a", "1", "2", "\"name\"", false},
	{"a:1:2 host:3:4", "a", "1", "2", "host:3:4", false},
	{"::1:11211:1", "::1", "11211", "1", "", false},
	{"/tmp/a.sock:1", "/tmp/a.sock", "", "1", "", true},
	{"/tmp/a:b.sock:7 n", "/tmp/a:b.sock", "", "7", "n", true},
	/* The last blank counts; what is before it is no number then. */
	{"a:1:2 x y", "a", "1", "2 x", "y", false},
};

static void
expect_span(struct span got, const char *wanted)
{
	ck_assert_msg(span_eq(got, span_str(wanted)), "%.*s, not %s",
	    (int)got.len, got.p, wanted);
}

START_TEST(parts_are_found_from_the_end)
{
	const struct sample *sample = &samples[_i];
	struct nutcracker_server server;

	ck_assert(nutcracker_server_parse(span_str(sample->text), &server));
	expect_span(server.host, sample->host);
	expect_span(server.port, sample->port);
	expect_span(server.weight, sample->weight);
	expect_span(server.name, sample->name);
	ck_assert(server.is_unix == sample->is_unix);
}
END_TEST

static const char *const wrong[] = {"", "a", "a:1", ":1:2", "a:1:", "/a",
	"a:1:2 ", "/a:", "name"};

START_TEST(missing_parts_are_seen)
{
	struct nutcracker_server server;

	ck_assert(!nutcracker_server_parse(span_str(wrong[_i]), &server));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("nutcracker_server");

	tcase_add_loop_test(tc, parts_are_found_from_the_end, 0,
	    LENGTH(samples));
	tcase_add_loop_test(tc, missing_parts_are_seen, 0,
	    LENGTH(wrong));
	return case_run("nutcracker_server", tc);
}
