/* Written addresses. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/endpoint.h"

struct right_row {
	const char		*text;
	enum endpoint_kind	 kind;
	const char		*host;
	unsigned		 port;
	const char		*formatted;	/* NULL: as `text` */
};

static const struct right_row right_rows[] = {
	{"10.0.0.1:11211", ENDPOINT_IPV4, "10.0.0.1", 11211, NULL},
	{"0.0.0.0:1", ENDPOINT_IPV4, "0.0.0.0", 1, NULL},
	{"255.255.255.255:65535", ENDPOINT_IPV4, "255.255.255.255", 65535,
	    NULL},
	{"[::1]:11211", ENDPOINT_IPV6, "::1", 11211, NULL},
	{"[::]:80", ENDPOINT_IPV6, "::", 80, NULL},
	{"[2001:db8::7]:080", ENDPOINT_IPV6, "2001:db8::7", 80,
	    "[2001:db8::7]:80"},
	{"localhost:11211", ENDPOINT_NAME, "localhost", 11211, NULL},
	{"cache-1.internal.:11211", ENDPOINT_NAME, "cache-1.internal.", 11211,
	    NULL},
	{"_memcached._tcp.x:1", ENDPOINT_NAME, "_memcached._tcp.x", 1, NULL},
	{"1a:1", ENDPOINT_NAME, "1a", 1, NULL},
	{"unix:/run/a.sock", ENDPOINT_UNIX, "/run/a.sock", 0, NULL},
	{"unix:/run/a:1", ENDPOINT_UNIX, "/run/a:1", 0, NULL},
};

START_TEST(right_addresses_are_taken_apart)
{
	const struct right_row *row = &right_rows[_i];
	struct endpoint ep;
	struct err err;
	char out[ENDPOINT_TEXT_MAX];

	memset(&ep, 0xff, sizeof(ep));
	ck_assert_msg(endpoint_parse(span_str(row->text), &ep, &err),
	    "%s: %s", row->text, err.text);
	ck_assert_int_eq(ep.kind, row->kind);
	ck_assert_str_eq(ep.host, row->host);
	ck_assert_uint_eq(ep.port, row->port);
	ck_assert_str_eq(endpoint_format(&ep, out),
	    row->formatted == NULL ? row->text : row->formatted);
}
END_TEST

struct wrong_row {
	const char	*text;
	const char	*why;
};

static const struct wrong_row wrong_rows[] = {
	{"", "the port is missing, as in :11211"},
	{"host", "the port is missing, as in host:11211"},
	{"10.0.0.1", "the port is missing, as in 10.0.0.1:11211"},
	{"[::1]", "the port is missing, as in [::1]:11211"},
	{"[::1]x:1", "the port is missing, as in [::1]x:1:11211"},
	{"host:", "the port \"\" is not a number from 1 to 65535"},
	{"host:0", "the port \"0\" is not a number from 1 to 65535"},
	{"host:65536", "the port \"65536\" is not a number from 1 to 65535"},
	{"host:abc", "the port \"abc\" is not a number from 1 to 65535"},
	{"host:-1", "the port \"-1\" is not a number from 1 to 65535"},
	{"host:1 ", "the port \"1 \" is not a number from 1 to 65535"},
	{":11211", "the host is missing before the port"},
	{"[]:11211", "the host is missing before the port"},
	{"::1:11211", "an IPv6 address needs brackets, as in [::1]:11211"},
	{"::1", "an IPv6 address needs brackets, as in [::1]:11211"},
	{"[", "the bracket is not closed; write it as in [::1]:11211"},
	{"[::1:11211", "the bracket is not closed; write it as in "
	    "[::1]:11211"},
	{"[::g]:1", "\"::g\" is not an IPv6 address"},
	{"[10.0.0.1]:1", "\"10.0.0.1\" is not an IPv6 address"},
	{"[fe80::1%eth0]:1", "\"fe80::1%eth0\" is not an IPv6 address"},
	{"10.0.0.256:1", "\"10.0.0.256\" is not an IPv4 address"},
	{"10.0.0:1", "\"10.0.0\" is not an IPv4 address"},
	{"10.0.0.01:1", "\"10.0.0.01\" is not an IPv4 address"},
	{"*:1", "\"*\" is not a host name or address; all of a host's are "
	    "0.0.0.0 or [::]"},
	{"/run/a.sock", "a unix socket is written as in unix:/run/a.sock"},
	{"11211", "the host is missing, as in 127.0.0.1:11211"},
	{"tcp://a:1", "\"tcp://a\" is not a host name or address"},
	{"tcp:a:1", "\"tcp:a\" is not a host name or address"},
	{"a:1 b:1", "\"a:1 b\" is not a host name or address"},
	{"fe80::1%2", "an IPv6 address needs brackets, as in [::1]:11211"},
	{"$MC:1", "\"$MC\" is not a host name or address"},
	{"a b:1", "\"a b\" is not a host name or address"},
	{"a..b:1", "\"a..b\" is not a host name or address"},
	{".a:1", "\".a\" is not a host name or address"},
	{"-a:1", "\"-a\" is not a host name or address"},
	{"unix:", "a unix socket needs an absolute path, as in "
	    "unix:/run/fairlead.sock"},
	{"unix:run/a", "a unix socket needs an absolute path, as in "
	    "unix:/run/fairlead.sock"},
};

START_TEST(wrong_addresses_say_what_would_be_right)
{
	const struct wrong_row *row = &wrong_rows[_i];
	struct endpoint ep;
	struct err err;

	memset(&ep, 0x55, sizeof(ep));
	ck_assert_msg(!endpoint_parse(span_str(row->text), &ep, &err),
	    "%s was taken", row->text);
	ck_assert_str_eq(err.text, row->why);
	/* Nothing half-done is left behind. */
	ck_assert_uint_eq(ep.port, 0x5555);
}
END_TEST

START_TEST(a_nul_byte_ends_nothing)
{
	struct endpoint ep;
	struct err err;

	ck_assert(!endpoint_parse(span_of("a\0b:1", 5), &ep, &err));
	ck_assert(!endpoint_parse(span_of("[::1\0]:1", 8), &ep, &err));
	ck_assert(!endpoint_parse(span_of("127.0.0.1\0:1", 12), &ep, &err));
	ck_assert(!endpoint_parse(span_of("unix:/a\0b", 9), &ep, &err));
	ck_assert(!endpoint_parse(span_of("a:1\0", 4), &ep, &err));
}
END_TEST

/* A path of 107 bytes is the longest that the system takes. */
START_TEST(a_path_may_fill_the_system_s_struct)
{
	char text[256] = "unix:/";
	struct endpoint ep;
	struct err err;

	memset(text + 6, 'p', 106);
	ck_assert(endpoint_parse(span_str(text), &ep, &err));
	ck_assert_uint_eq(strlen(ep.host), 107);
	text[6 + 106] = 'p';
	ck_assert(!endpoint_parse(span_str(text), &ep, &err));
	ck_assert_str_eq(err.text, "the unix socket path has 108 bytes, "
	    "at most 107 are possible");
}
END_TEST

START_TEST(a_host_may_have_255_bytes)
{
	char text[ENDPOINT_HOST_MAX + 8];
	struct endpoint ep;
	struct err err;

	memset(text, 'h', sizeof(text));
	memcpy(text + 255, ":1", 3);
	ck_assert(endpoint_parse(span_str(text), &ep, &err));
	ck_assert_uint_eq(strlen(ep.host), 255);
	memcpy(text + 255, "h:1", 4);
	ck_assert(!endpoint_parse(span_str(text), &ep, &err));
	ck_assert_str_eq(err.text, "the host has 256 bytes, at most 255 are "
	    "possible");
}
END_TEST

START_TEST(endpoints_are_equal_by_kind_host_and_port)
{
	static const char *const texts[] = {
		"10.0.0.1:1", "10.0.0.1:2", "10.0.0.2:1", "a:1", "unix:/a",
		"unix:/b", "[::1]:1",
	};
	const size_t n = sizeof(texts) / sizeof(texts[0]);
	struct endpoint a, b;
	struct err err;

	for (size_t i = 0; i < n; i++) {
		ck_assert(endpoint_parse(span_str(texts[i]), &a, &err));
		for (size_t j = 0; j < n; j++) {
			ck_assert(endpoint_parse(span_str(texts[j]), &b,
			    &err));
			ck_assert_int_eq(endpoint_eq(&a, &b), i == j);
		}
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("endpoint");
	TCase *tc = tcase_create("endpoint");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, right_addresses_are_taken_apart, 0,
	    sizeof(right_rows) / sizeof(right_rows[0]));
	tcase_add_loop_test(tc, wrong_addresses_say_what_would_be_right, 0,
	    sizeof(wrong_rows) / sizeof(wrong_rows[0]));
	tcase_add_test(tc, a_nul_byte_ends_nothing);
	tcase_add_test(tc, a_path_may_fill_the_system_s_struct);
	tcase_add_test(tc, a_host_may_have_255_bytes);
	tcase_add_test(tc, endpoints_are_equal_by_kind_host_and_port);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
