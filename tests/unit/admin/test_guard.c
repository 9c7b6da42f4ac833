/* Whom the admin listener serves. */
#include "admin/guard.h"
#include "case.h"

static const struct {
	const char	*host;
	bool		 is_plain;
} hosts[] = {
	{NULL, true},
	{"127.0.0.1", true},
	{"127.0.0.1:9211", true},
	{"10.1.2.3:80", true},
	{"[::1]", true},
	{"[::1]:9211", true},
	{"localhost", true},
	{"LOCALHOST:9211", true},
	{"", false},
	{"rebound.example", false},
	{"rebound.example:9211", false},
	{"localhost.example:9211", false},
	{"127.0.0.1.example", false},
	{"unix:/x", false},
	{"::1", false},
	{"127.0.0.1:99999", false},
	{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaa", false},
};

START_TEST(hosts_are_addresses_or_localhost)
{
	ck_assert_msg(guard_is_host_plain(hosts[_i].host) ==
	    hosts[_i].is_plain, "%s", hosts[_i].host);
}
END_TEST

static const struct {
	struct guard_origin	origin;
	bool			is_same;
} origins[] = {
	/* A program. */
	{{"127.0.0.1:9211", NULL, NULL}, true},
	{{NULL, NULL, NULL}, true},
	/* Our own page, and an address typed in. */
	{{"127.0.0.1:9211", "http://127.0.0.1:9211", "same-origin"}, true},
	{{"LocalHost:9211", "http://localhost:9211", NULL}, true},
	{{"127.0.0.1:9211", NULL, "none"}, true},
	/* Other pages. */
	{{"127.0.0.1:9211", "http://evil.example", NULL}, false},
	{{"127.0.0.1:9211", "http://127.0.0.1:80", NULL}, false},
	{{"127.0.0.1:9211", "https://127.0.0.1:9211", NULL}, false},
	{{"127.0.0.1:9211", "null", NULL}, false},
	{{"127.0.0.1:9211", NULL, "cross-site"}, false},
	{{"127.0.0.1:9211", NULL, "same-site"}, false},
	{{"127.0.0.1:9211", "http://127.0.0.1:9211", "cross-site"}, false},
	{{NULL, "http://127.0.0.1:9211", NULL}, false},
};

START_TEST(pages_of_others_are_told_from_ours)
{
	ck_assert_int_eq(guard_is_same_origin(&origins[_i].origin),
	    origins[_i].is_same);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("guard");

	tcase_add_loop_test(tc, hosts_are_addresses_or_localhost, 0,
	    LENGTH(hosts));
	tcase_add_loop_test(tc, pages_of_others_are_told_from_ours, 0,
	    LENGTH(origins));
	return case_run("guard", tc);
}
