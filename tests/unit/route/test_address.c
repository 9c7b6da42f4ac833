/* Socket addresses of endpoints. */
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "route/address.h"

static struct endpoint
parse(const char *text)
{
	struct endpoint ep;
	struct err err;

	ck_assert(endpoint_parse(span_str(text), &ep, &err));
	return ep;
}

static const char *const texts[] = {
	"10.1.2.3:11211", "[2001:db8::7]:80", "unix:/run/a.sock",
};

/* Written back as the system has it. */
START_TEST(an_endpoint_has_its_socket_address)
{
	struct endpoint ep = parse(texts[_i]);
	char host[NI_MAXHOST], port[NI_MAXSERV];
	struct sockaddr_storage ss;
	socklen_t len;

	memset(&ss, 0xff, sizeof(ss));
	ck_assert(address_of_endpoint(&ep, &ss, &len));
	ck_assert_int_eq(getnameinfo((struct sockaddr *)&ss, len, host,
	    sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV),
	    0);
	if (ep.kind == ENDPOINT_UNIX) {
		ck_assert_str_eq(port, ep.host);
		return;
	}
	ck_assert_str_eq(host, ep.host);
	ck_assert_uint_eq(strtoul(port, NULL, 10), ep.port);
}
END_TEST

START_TEST(a_host_name_has_none)
{
	struct endpoint ep = parse("cache-1:11211");
	struct sockaddr_storage ss;
	socklen_t len;

	ck_assert(!address_of_endpoint(&ep, &ss, &len));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("address");

	tcase_add_loop_test(tc, an_endpoint_has_its_socket_address, 0,
	    LENGTH(texts));
	tcase_add_test(tc, a_host_name_has_none);
	return case_run("address", tc);
}
