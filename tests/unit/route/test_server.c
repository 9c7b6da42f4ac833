/* The registry of servers: identity, ids, references, addresses. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/un.h>

#include "base/mem.h"
#include "case.h"
#include "route/server.h"

static const struct health_policy policy = {.failures = 5, .retry_ms = 1,
    .retry_max_ms = 2};

static struct server_registry *registry;

static void
set_up(void)
{
	registry = server_registry_new();
	ck_assert_ptr_nonnull(registry);
}

static void
tear_down(void)
{
	server_registry_free(&registry);
	ck_assert_ptr_null(registry);
}

static struct server *
get(const char *pool, const char *name, const char *address)
{
	struct endpoint ep;
	struct err err;
	struct server_identity identity = {pool, name, &ep};

	ck_assert(endpoint_parse(span_str(address), &ep, &err));
	return server_get(registry, &identity, &policy);
}

START_TEST(the_same_identity_is_the_same_server)
{
	char pool[] = "p", name[] = "a";
	struct server *a = get(pool, name, "10.0.0.1:11211"), *again;

	ck_assert_ptr_nonnull(a);
	ck_assert_str_eq(a->pool, "p");
	ck_assert_str_eq(a->name, "a");
	/* Its strings are its own. */
	pool[0] = name[0] = 'x';
	ck_assert_str_eq(a->pool, "p");
	again = get("p", "a", "10.0.0.1:11211");
	ck_assert_ptr_eq(a, again);
	ck_assert_uint_eq(atomic_load(&a->refs), 2);
	server_unref(&again);
	ck_assert_ptr_null(again);
	server_unref(&a);
}
END_TEST

static const char *const others[][3] = {
	{"q", "a", "10.0.0.1:11211"},
	{"p", "b", "10.0.0.1:11211"},
	{"p", "a", "10.0.0.2:11211"},
	{"p", "a", "10.0.0.1:11212"},
	{"p", "a", "unix:/10.0.0.1:11211"},
	{"p", "a", "a:11211"},
	{"", "a", "10.0.0.1:11211"},
};

START_TEST(another_identity_is_another_server)
{
	struct server *a = get("p", "a", "10.0.0.1:11211");
	struct server *b = get(others[_i][0], others[_i][1], others[_i][2]);

	ck_assert_ptr_ne(a, b);
	ck_assert_uint_ne(a->id, b->id);
	server_unref(&a);
	server_unref(&b);
}
END_TEST

START_TEST(an_id_is_used_again_once_its_server_is_gone)
{
	struct server *a = get("p", "a", "10.0.0.1:1");
	struct server *b = get("p", "b", "10.0.0.1:1");
	struct server *c = get("p", "c", "10.0.0.1:1"), *kept, *d;
	uint32_t id = b->id;

	kept = server_ref(b);
	server_unref(&b);
	/* A reference keeps both the server and its id. */
	d = get("p", "d", "10.0.0.1:1");
	ck_assert_uint_ne(d->id, id);
	server_unref(&d);
	server_unref(&kept);
	d = get("p", "d", "10.0.0.1:1");
	ck_assert_uint_eq(d->id, id);
	server_unref(&a);
	server_unref(&c);
	server_unref(&d);
}
END_TEST

START_TEST(a_new_server_is_up_whatever_the_last_of_its_id_was)
{
	struct server *a = get("p", "a", "10.0.0.1:1");

	health_open(&a->health, 0, 0);
	ck_assert_int_eq(health_state(&a->health), HEALTH_DOWN);
	server_unref(&a);
	a = get("p", "a", "10.0.0.1:1");
	ck_assert_int_eq(health_state(&a->health), HEALTH_UP);
	server_unref(&a);
}
END_TEST

/* The i-th of many; they differ in the first bytes that are compared. */
static struct server *
get_nth(uint32_t i)
{
	char pool[4] = {(char)(33 + i % 90), (char)(33 + i / 90 % 90),
	    (char)(33 + i / 8100)};
	struct endpoint ep = {.kind = ENDPOINT_IPV4, .host = "10.0.0.1"};
	struct server_identity identity = {pool, "a", &ep};

	return server_get(registry, &identity, &policy);
}

START_TEST(no_more_than_so_many_servers)
{
	static struct server *servers[SERVER_IDS_MAX];
	struct server *known;

	for (uint32_t i = 0; i < SERVER_IDS_MAX; i++) {
		servers[i] = get_nth(i);
		ck_assert_ptr_nonnull(servers[i]);
		ck_assert_uint_eq(servers[i]->id, i);
	}
	ck_assert_ptr_null(get_nth(SERVER_IDS_MAX));
	/* One that is known is still given, and a place that is free. */
	known = get_nth(6);
	ck_assert_ptr_eq(known, servers[6]);
	server_unref(&known);
	server_unref(&servers[7]);
	servers[7] = get_nth(SERVER_IDS_MAX);
	ck_assert_ptr_nonnull(servers[7]);
	ck_assert_uint_eq(servers[7]->id, 7);
	for (uint32_t i = 0; i < SERVER_IDS_MAX; i++)
		server_unref(&servers[i]);
}
END_TEST

START_TEST(each_allocation_may_fail)
{
	struct server_registry *other;
	struct server *a;

	mem_fail_after(0);
	other = server_registry_new();
	mem_fail_after(-1);
	ck_assert_ptr_null(other);
	server_registry_free(&other);
	mem_fail_after(0);
	a = get("p", "a", "10.0.0.1:1");
	mem_fail_after(-1);
	ck_assert_ptr_null(a);
	server_unref(&a);
	a = get("p", "a", "10.0.0.1:1");
	ck_assert_uint_eq(a->id, 0);
	server_unref(&a);
}
END_TEST

START_TEST(a_written_address_needs_no_resolving)
{
	struct server *v4 = get("p", "a", "10.1.2.3:11211");
	struct server *v6 = get("p", "b", "[2001:db8::1]:2");
	struct server *un = get("p", "c", "unix:/run/memcached.sock");
	struct server_address address;
	const struct sockaddr_in *sin = (const void *)&address.ss;
	const struct sockaddr_in6 *sin6 = (const void *)&address.ss;
	const struct sockaddr_un *sun = (const void *)&address.ss;
	char text[INET6_ADDRSTRLEN];

	ck_assert(server_address(v4, &address));
	ck_assert_uint_eq(address.len, sizeof(*sin));
	ck_assert_int_eq(sin->sin_family, AF_INET);
	ck_assert_uint_eq(ntohs(sin->sin_port), 11211);
	ck_assert_uint_eq(ntohl(sin->sin_addr.s_addr), 0x0a010203);
	ck_assert(server_address(v6, &address));
	ck_assert_uint_eq(address.len, sizeof(*sin6));
	ck_assert_int_eq(sin6->sin6_family, AF_INET6);
	ck_assert_uint_eq(ntohs(sin6->sin6_port), 2);
	ck_assert_str_eq(inet_ntop(AF_INET6, &sin6->sin6_addr, text,
	    sizeof(text)), "2001:db8::1");
	ck_assert(server_address(un, &address));
	ck_assert_int_eq(sun->sun_family, AF_UNIX);
	ck_assert_str_eq(sun->sun_path, "/run/memcached.sock");
	server_unref(&v4);
	server_unref(&v6);
	server_unref(&un);
}
END_TEST

static struct server_address
address_of(const char *host)
{
	struct server_address address = {.len = 0};
	struct sockaddr_in *sin = (void *)&address.ss;
	struct sockaddr_in6 *sin6 = (void *)&address.ss;

	if (inet_pton(AF_INET, host, &sin->sin_addr) == 1) {
		sin->sin_family = AF_INET;
		address.len = sizeof(*sin);
	} else {
		ck_assert_int_eq(inet_pton(AF_INET6, host, &sin6->sin6_addr),
		    1);
		sin6->sin6_family = AF_INET6;
		address.len = sizeof(*sin6);
	}
	return address;
}

START_TEST(a_name_has_an_address_once_it_is_resolved)
{
	struct server *server = get("p", "a", "cache.example:11211");
	struct server_address one = address_of("10.0.0.1"), got;
	struct server_address two = address_of("10.0.0.2");
	struct server_address six = address_of("2001:db8::7");
	uint64_t epoch = health_epoch(&server->health);

	ck_assert(!server_address(server, &got));
	ck_assert(server_set_address(server, &one));
	ck_assert(!server_set_address(server, &one));
	ck_assert_uint_eq(health_epoch(&server->health), epoch);
	ck_assert(server_address(server, &got));
	ck_assert(server_has_host(&got, &one));
	ck_assert_uint_eq(ntohs(((struct sockaddr_in *)&got.ss)->sin_port),
	    11211);
	/* What is known has no port, so the same answer is nothing new. */
	ck_assert(!server_set_address(server, &one));
	ck_assert(server_set_address(server, &two));
	/* Connections to the one before are outdated. */
	ck_assert_uint_ne(health_epoch(&server->health), epoch);
	ck_assert(server_set_address(server, &six));
	ck_assert(server_address(server, &got));
	ck_assert(server_has_host(&got, &six));
	ck_assert_uint_eq(ntohs(((struct sockaddr_in6 *)&got.ss)->sin6_port),
	    11211);
	server_unref(&server);
	/* The next one with this id knows nothing of it. */
	server = get("p", "a", "other.example:1");
	ck_assert_uint_eq(server->id, 0);
	ck_assert(!server_address(server, &got));
	server_unref(&server);
}
END_TEST

static const struct {
	const char	*a;
	const char	*b;
	bool		 is_same;
} hosts[] = {
	{"10.0.0.1", "10.0.0.1", true},
	{"10.0.0.1", "10.0.0.2", false},
	{"::1", "::1", true},
	{"::1", "::2", false},
	{"10.0.0.1", "::ffff:10.0.0.1", false},
};

START_TEST(hosts_are_compared_without_their_ports)
{
	struct server_address a = address_of(hosts[_i].a);
	struct server_address b = address_of(hosts[_i].b);

	ck_assert_int_eq(server_has_host(&a, &b), hosts[_i].is_same);
	if (a.ss.ss_family == AF_INET)
		((struct sockaddr_in *)&a.ss)->sin_port = 5;
	else
		((struct sockaddr_in6 *)&a.ss)->sin6_port = 5;
	ck_assert_int_eq(server_has_host(&a, &b), hosts[_i].is_same);
	ck_assert_int_eq(server_has_host(&b, &a), hosts[_i].is_same);
}
END_TEST

/* Threads that count of one server at the same time. */
#define NTHREADS 4

struct hand {
	struct server_stats	*stats;
	size_t			 worker;
};

static void *
count(void *arg)
{
	struct hand *hand = arg;

	for (int i = 0; i < 1000; i++) {
		struct server_cell *cell = server_stats_cell(hand->stats,
		    hand->worker);

		ck_assert_ptr_nonnull(cell);
		server_bump(cell, SERVER_REQUESTS);
	}
	return NULL;
}

START_TEST(workers_make_their_cells_at_the_same_time)
{
	struct server *server = get("main", "a", "127.0.0.1:1");
	pthread_t threads[NTHREADS];
	struct hand hands[NTHREADS];
	struct server_sum sum;

	for (size_t i = 0; i < NTHREADS; i++) {
		hands[i] = (struct hand){&server->stats, i};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, count,
		    &hands[i]), 0);
	}
	for (size_t i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	server_stats_read(&server->stats, &sum);
	ck_assert_uint_eq(sum.counters[SERVER_REQUESTS], NTHREADS * 1000);
	server_unref(&server);
}
END_TEST

/* What was counted, and whether it is an answer. */
static const struct {
	enum server_counter	counter;
	bool			is_answer;
} counted[] = {
	{SERVER_REQUESTS, false},
	{SERVER_CONNECTS, false},
	{SERVER_FAILED_TIMEOUT, false},
	{SERVER_FAILED_NONSENSE, false},
	{SERVER_REPLIES, true},
	{SERVER_LATE_REPLIES, true},
};

START_TEST(a_server_has_answered_once_a_reply_came)
{
	struct server *server = get("main", "a", "127.0.0.1:1");
	struct server_cell *cell = server_stats_cell(&server->stats, 3);

	ck_assert_ptr_nonnull(cell);
	ck_assert(!server_has_answered(server));
	server_bump(cell, counted[_i].counter);
	ck_assert_int_eq(server_has_answered(server), counted[_i].is_answer);
	server_unref(&server);
}
END_TEST

START_TEST(a_probe_that_is_answered_is_an_answer)
{
	struct server *server = get("main", "a", "127.0.0.1:1");

	ck_assert(health_open(&server->health, 1, 0));
	ck_assert(!server_has_answered(server));
	health_probe_succeeded(&server->health);
	ck_assert(server_has_answered(server));
	server_unref(&server);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("server");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, the_same_identity_is_the_same_server);
	tcase_add_loop_test(tc, another_identity_is_another_server, 0,
	    LENGTH(others));
	tcase_add_test(tc, an_id_is_used_again_once_its_server_is_gone);
	tcase_add_test(tc,
	    a_new_server_is_up_whatever_the_last_of_its_id_was);
	tcase_add_test(tc, no_more_than_so_many_servers);
	tcase_add_test(tc, each_allocation_may_fail);
	tcase_add_test(tc, workers_make_their_cells_at_the_same_time);
	tcase_add_test(tc, a_written_address_needs_no_resolving);
	tcase_add_test(tc, a_name_has_an_address_once_it_is_resolved);
	tcase_add_loop_test(tc, hosts_are_compared_without_their_ports, 0,
	    LENGTH(hosts));
	tcase_add_loop_test(tc, a_server_has_answered_once_a_reply_came, 0,
	    LENGTH(counted));
	tcase_add_test(tc, a_probe_that_is_answered_is_an_answer);
	return case_run("server", tc);
}
