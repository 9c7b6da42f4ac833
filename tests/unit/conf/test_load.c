/* Files that are right: what their keys come to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define MIB (UINT64_C(1) << 20)

static const char whole[] =
    "config_version: 1\n"
    "workers: 4\n"
    "shutdown_timeout: 30s\n"
    "limits:\n"
    "  clients: 100\n"
    "  value_size: 2MiB\n"
    "  client_buffer: 8MiB\n"
    "  memory: 1GiB\n"
    "  request_line: 64KiB\n"
    "  client_idle: 5m\n"
    "listeners:\n"
    "  - listen: 127.0.0.1:11211\n"
    "    pool: main\n"
    "    routes:\n"
    "      - {prefix: \"s:\", pool: sessions}\n"
    "      - {prefix: \"session:\", pool: sessions}\n"
    "      - {prefix: \"a\", pool: main}\n"
    "      - {prefix: \"b\", pool: main}\n"
    "  - {listen: \"[::1]:11211\", pool: sessions}\n"
    "  - {listen: unix:/run/fairlead/main.sock, mode: \"0600\", "
    "pool: main}\n"
    "  - {listen: unix:/run/fairlead/other.sock, pool: main}\n"
    "pools:\n"
    "  main:\n"
    "    servers:\n"
    "      - 10.0.0.1:11211\n"
    "      - {name: cache-b, address: cache-b.internal:11212, weight: 3}\n"
    "      - {address: unix:/run/memcached.sock, weight: 0.25}\n"
    "      - {name: same, address: 10.0.0.1:11211}\n"
    "    placement: ring\n"
    "    hash: xxh3\n"
    "    points_per_weight: 64\n"
    "    max_points: 5000\n"
    "    hash_tag: \"{}\"\n"
    "    timeouts: {connect: 50ms, request: 2s}\n"
    "    on_down: next\n"
    "    health: {failures: 5, retry: 2s, retry_max: 2m, max_down: 50%}\n"
    "    server_connections: 2\n"
    "    server_queue: 1000\n"
    "    server_queue_bytes: 3MiB\n"
    "    join_gets: false\n"
    "    flush_all: true\n"
    "  sessions: {servers: [\"[fd00::1]:11211\"]}\n";

START_TEST(every_key_arrives)
{
	struct conf *conf = parse_right(whole);
	const struct conf_pool *pool = &conf->pools[0];

	ck_assert_str_eq(conf->path, "f");
	ck_assert_uint_eq(conf->config_version, 1);
	ck_assert_uint_eq(conf->workers, 4);
	ck_assert_uint_eq(conf->workers_place.line, 2);
	ck_assert_uint_eq(conf->workers_place.column, 10);
	ck_assert_uint_eq(conf->shutdown_timeout_ms, 30000);
	ck_assert_uint_eq(conf->limits.clients, 100);
	ck_assert_uint_eq(conf->limits.value_size, 2 * MIB);
	ck_assert_uint_eq(conf->limits.client_buffer, 8 * MIB);
	ck_assert_uint_eq(conf->limits.memory, 1024 * MIB);
	ck_assert_uint_eq(conf->limits.request_line, 65536);
	ck_assert_uint_eq(conf->limits.client_idle_ms, 300000);
	ck_assert_uint_eq(conf->npools, 2);
	ck_assert_str_eq(pool->name, "main");
	ck_assert_uint_eq(pool->place.line, 23);
	ck_assert_uint_eq(pool->place.column, 3);
	ck_assert_uint_eq(pool->placement.kind, PLACEMENT_RING);
	ck_assert_uint_eq(pool->placement.hash, HASH_XXH3);
	ck_assert_uint_eq(pool->placement.points_per_weight, 64);
	ck_assert_uint_eq(pool->placement.max_points, 5000);
	ck_assert_mem_eq(pool->placement.hash_tag, "{}", 2);
	ck_assert_uint_eq(pool->connect_timeout_ms, 50);
	ck_assert_uint_eq(pool->request_timeout_ms, 2000);
	ck_assert_int_eq(pool->on_down, CONF_ON_DOWN_NEXT);
	ck_assert_uint_eq(pool->health_failures, 5);
	ck_assert_uint_eq(pool->health_retry_ms, 2000);
	ck_assert_uint_eq(pool->health_retry_max_ms, 120000);
	ck_assert_uint_eq(pool->health_max_down, 50);
	ck_assert_uint_eq(pool->server_connections, 2);
	ck_assert_uint_eq(pool->server_queue, 1000);
	ck_assert_uint_eq(pool->server_queue_bytes, 3 * MIB);
	ck_assert(!pool->join_gets);
	ck_assert(pool->flush_all);
	conf_free(&conf);
	ck_assert_ptr_null(conf);
	conf_free(&conf);
}
END_TEST

START_TEST(servers_have_names_addresses_and_weights)
{
	struct conf *conf = parse_right(whole);
	const struct conf_server *s = conf->pools[0].servers;

	ck_assert_uint_eq(conf->pools[0].nservers, 4);
	ck_assert_str_eq(s[0].name, "10.0.0.1:11211");
	ck_assert(!s[0].is_named);
	ck_assert_str_eq(s[0].address, "10.0.0.1:11211");
	ck_assert_int_eq(s[0].endpoint.kind, ENDPOINT_IPV4);
	ck_assert_str_eq(s[0].endpoint.host, "10.0.0.1");
	ck_assert_uint_eq(s[0].endpoint.port, 11211);
	ck_assert_double_eq(s[0].weight, 1);
	ck_assert_uint_eq(s[0].place.line, 25);
	ck_assert_uint_eq(s[0].place.column, 9);
	ck_assert_str_eq(s[1].name, "cache-b");
	ck_assert(s[1].is_named);
	ck_assert_int_eq(s[1].endpoint.kind, ENDPOINT_NAME);
	ck_assert_uint_eq(s[1].endpoint.port, 11212);
	ck_assert_double_eq(s[1].weight, 3);
	ck_assert_str_eq(s[2].name, "unix:/run/memcached.sock");
	ck_assert_int_eq(s[2].endpoint.kind, ENDPOINT_UNIX);
	ck_assert_double_eq(s[2].weight, 0.25);
	/* One address may have two names: two members at one server. */
	ck_assert_str_eq(s[3].name, "same");
	ck_assert(endpoint_eq(&s[3].endpoint, &s[0].endpoint));
	conf_free(&conf);
}
END_TEST

START_TEST(listeners_know_their_pools_and_the_longest_prefix_is_first)
{
	struct conf *conf = parse_right(whole);
	const struct conf_listener *l = conf->listeners;
	static const char *const prefixes[] = {"session:", "s:", "a", "b"};

	ck_assert_uint_eq(conf->nlisteners, 4);
	ck_assert_str_eq(l[0].listen, "127.0.0.1:11211");
	ck_assert_uint_eq(l[0].place.line, 12);
	ck_assert_uint_eq(l[0].place.column, 5);
	ck_assert_uint_eq(l[0].mode, 0);
	ck_assert_uint_eq(l[0].pool, 0);
	ck_assert_uint_eq(l[0].nroutes, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_str_eq(l[0].routes[i].prefix, prefixes[i]);
		ck_assert_uint_eq(l[0].routes[i].prefix_len,
		    strlen(prefixes[i]));
		ck_assert_uint_eq(l[0].routes[i].pool, i < 2 ? 1 : 0);
	}
	ck_assert_int_eq(l[1].endpoint.kind, ENDPOINT_IPV6);
	ck_assert_str_eq(l[1].pool_name, "sessions");
	ck_assert_uint_eq(l[1].pool, 1);
	ck_assert_uint_eq(l[1].nroutes, 0);
	ck_assert_uint_eq(l[2].mode, 0600);
	ck_assert_uint_eq(l[3].mode, 0660);
	conf_free(&conf);
}
END_TEST

START_TEST(what_is_not_said_has_its_default)
{
	struct conf *conf = parse_right("listeners: [{listen: 127.0.0.1:1}]\n"
	    "pools: {only: {servers: [a:1]}}\n");
	const struct conf_pool *pool = &conf->pools[0];
	const struct placement_spec none = {.kind = PLACEMENT_RING};

	ck_assert_uint_eq(conf->config_version, 1);
	ck_assert_uint_eq(conf->workers, 1);
	ck_assert_uint_eq(conf->workers_place.line, 0);
	ck_assert_uint_eq(conf->shutdown_timeout_ms, 8000);
	ck_assert_uint_eq(conf->limits.clients, 16384);
	ck_assert_uint_eq(conf->limits.value_size, MIB);
	ck_assert_uint_eq(conf->limits.client_buffer, 4 * MIB);
	ck_assert_uint_eq(conf->limits.memory, 256 * MIB);
	ck_assert_uint_eq(conf->limits.request_line, MIB);
	ck_assert_uint_eq(conf->limits.client_idle_ms, 0);
	ck_assert_str_eq(conf->listeners[0].pool_name, "only");
	ck_assert_uint_eq(conf->listeners[0].pool, 0);
	ck_assert(placement_spec_eq(&pool->placement, &none));
	ck_assert_uint_eq(pool->connect_timeout_ms, 250);
	ck_assert_uint_eq(pool->request_timeout_ms, 1000);
	ck_assert_int_eq(pool->on_down, CONF_ON_DOWN_MISS);
	ck_assert_uint_eq(pool->health_failures, 3);
	ck_assert_uint_eq(pool->health_retry_ms, 1000);
	ck_assert_uint_eq(pool->health_retry_max_ms, 60000);
	ck_assert_uint_eq(pool->health_max_down, 80);
	ck_assert_uint_eq(pool->server_connections, 1);
	ck_assert_uint_eq(pool->server_queue, 65536);
	ck_assert_uint_eq(pool->server_queue_bytes, 32 * MIB);
	ck_assert(pool->join_gets);
	ck_assert(!pool->flush_all);
	conf_free(&conf);
}
END_TEST

/* The same in other dress. */
static const char *const forms[] = {
	/* The whole document indented. */
	"        listeners:\n        - listen: 127.0.0.1:1\n"
	"        pools:\n          m:\n            servers:\n"
	"            - a:1\n            on_down: next\n",
	/* Windows' line ends, and a byte order mark. */
	"\xef\xbb\xbflisteners:\r\n- listen: 127.0.0.1:1\r\npools:\r\n"
	"  m:\r\n    servers: [a:1]\r\n    on_down: next\r\n",
	/* JSON. */
	"{\"listeners\": [{\"listen\": \"127.0.0.1:1\"}], \"pools\": "
	"{\"m\": {\"servers\": [\"a:1\"], \"on_down\": \"next\", "
	"\"flush_all\": \"false\"}}}",
	/* Every style of a scalar. */
	"\"listeners\":\n - 'listen': \"127.0.0.1:1\"\npools:\n m:\n"
	"  servers:\n  - >-\n    a:1\n  on_down: |-\n    next\n"
	"  server_queue: '65536'\n",
	/* Anchors, aliases and variables. */
	"listeners: [{listen: \"${HOST}:${PORT:-1}\", pool: &p m}]\n"
	"pools:\n  m: {servers: [\"a:1\"], on_down: \"${DOWN:-next}\"}\n",
	"listeners: [{listen: 127.0.0.1:1, pool: &p m, "
	"routes: []}]\npools:\n  m: {servers: &s [a:1], on_down: next}\n",
};

START_TEST(yaml_in_any_dress_means_the_same)
{
	struct conf *plain, *dressed;

	setenv("HOST", "127.0.0.1", 1);
	unsetenv("PORT");
	unsetenv("DOWN");
	plain = parse_right("listeners: [{listen: 127.0.0.1:1}]\n"
	    "pools: {m: {servers: [a:1], on_down: next}}\n");
	dressed = parse_right(forms[_i]);
	expect_same(plain, dressed);
	conf_free(&plain);
	conf_free(&dressed);
}
END_TEST

START_TEST(an_alias_brings_its_value_everywhere)
{
	struct conf *conf = parse_right(
	    "listeners: [{listen: 127.0.0.1:1, pool: a}]\n"
	    "pools:\n"
	    "  a: {servers: &s [x:1, y:1], timeouts: &t {request: 3s}}\n"
	    "  b: {servers: *s, timeouts: *t}\n");

	ck_assert_uint_eq(conf->pools[1].nservers, 2);
	ck_assert_str_eq(conf->pools[1].servers[1].name, "y:1");
	ck_assert_uint_eq(conf->pools[1].request_timeout_ms, 3000);
	conf_free(&conf);
}
END_TEST

START_TEST(names_of_placements_and_hashes_are_the_rings_own)
{
	char text[512];

	for (int i = 0; i < PLACEMENT_KIND_COUNT; i++) {
		struct conf *conf;

		snprintf(text, sizeof(text), "listeners: [{listen: "
		    "127.0.0.1:1}]\npools: {m: {servers: [a:1], placement: "
		    "%s}}\n", placement_kind_name((enum placement_kind)i));
		conf = parse_right(text);
		ck_assert_int_eq(conf->pools[0].placement.kind, i);
		conf_free(&conf);
	}
	for (int i = 1; i < HASH_KIND_COUNT; i++) {
		struct conf *conf;

		snprintf(text, sizeof(text), "listeners: [{listen: "
		    "127.0.0.1:1}]\npools: {m: {servers: [a:1], hash: %s%s}}\n",
		    hash_kind_name((enum hash_kind)i), i == HASH_SIPHASH ?
		    ", hash_key: 0123456789abcdef0123456789ABCDEF" : "");
		conf = parse_right(text);
		ck_assert_int_eq(conf->pools[0].placement.hash, i);
		conf_free(&conf);
	}
}
END_TEST

START_TEST(a_pool_may_be_called_by_any_plain_name)
{
	static const char *const names[] = {
		"a", "_", "0", "az-AZ_09.", "true", "null", "4096",
		("01234567890123456789012345678901"
		"23456789012345678901234567890123"),
	};

	for (size_t i = 0; i < LENGTH(names); i++) {
		struct conf *conf;
		char text[512];

		snprintf(text, sizeof(text), "listeners: [{listen: "
		    "127.0.0.1:1, pool: \"%s\"}]\npools: {%s: {servers: "
		    "[a:1]}}\n", names[i], names[i]);
		conf = parse_right(text);
		ck_assert_str_eq(conf->pools[0].name, names[i]);
		conf_free(&conf);
	}
}
END_TEST

/* One of each, over the same listener and server. */
static const char options[] =
    "listeners: [{listen: 127.0.0.1:1, pool: sip}]\n"
    "pools:\n"
    "  sip: {servers: [a:1], hash: siphash, "
    "hash_key: 000102030405060708090a0b0c0d0EFF}\n"
    "  mcp: {servers: [a:1], placement: memcached-ring, "
    "hash_seed: \"se\\\"ed\", hash_stop: \"|#|\"}\n"
    "  rou: {servers: [a:1], placement: mcrouter-ch3, hash_seed: salt}\n"
    "  hap: {servers: [a:1], placement: haproxy-consistent, "
    "hash_avalanche: true}\n"
    "  lib: {servers: [a:1], placement: libmemcached-ketama, "
    "unsigned_chars: true}\n"
    "  env: {servers: [a:1], placement: envoy-ring, ring_size_min: 10, "
    "ring_size_max: 20}\n";

START_TEST(options_of_placements_arrive)
{
	struct conf *conf = parse_right(options);
	const struct conf_pool *p = conf->pools;

	ck_assert_uint_eq(conf->npools, 6);
	ck_assert_mem_eq(p[0].placement.hash_key, "\x00\x01\x02\x03\x04\x05"
	    "\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\xff", 16);
	ck_assert_str_eq(p[1].placement.hash_seed, "se\"ed");
	ck_assert_str_eq(p[1].placement.hash_stop, "|#|");
	ck_assert_str_eq(p[2].placement.hash_seed, "salt");
	ck_assert(p[3].placement.hash_avalanche);
	ck_assert(p[4].placement.is_char_unsigned);
	ck_assert_uint_eq(p[5].placement.ring_size_min, 10);
	ck_assert_uint_eq(p[5].placement.ring_size_max, 20);
	conf_free(&conf);
}
END_TEST

START_TEST(a_gutter_is_a_pool_and_a_lifetime)
{
	struct conf *conf = parse_right("listeners: [{listen: 127.0.0.1:1, "
	    "pool: a}]\npools:\n"
	    "  a: {servers: [a:1], on_down: gutter, gutter: c}\n"
	    "  b: {servers: [a:1], on_down: gutter, gutter: c, "
	    "gutter_ttl: 90s}\n"
	    "  c: {servers: [a:1], on_down: next}\n");

	ck_assert_int_eq(conf->pools[0].on_down, CONF_ON_DOWN_GUTTER);
	ck_assert_str_eq(conf->pools[0].gutter_name, "c");
	ck_assert_uint_eq(conf->pools[0].gutter, 2);
	ck_assert_uint_eq(conf->pools[0].gutter_ttl_ms, 60000);
	ck_assert_uint_eq(conf->pools[1].gutter_ttl_ms, 90000);
	ck_assert_ptr_null(conf->pools[2].gutter_name);
	ck_assert_uint_eq(conf->pools[2].gutter_ttl_ms, 0);
	conf_free(&conf);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("load");

	tcase_add_test(tc, every_key_arrives);
	tcase_add_test(tc, servers_have_names_addresses_and_weights);
	tcase_add_test(tc,
	    listeners_know_their_pools_and_the_longest_prefix_is_first);
	tcase_add_test(tc, what_is_not_said_has_its_default);
	tcase_add_loop_test(tc, yaml_in_any_dress_means_the_same, 0,
	    LENGTH(forms));
	tcase_add_test(tc, an_alias_brings_its_value_everywhere);
	tcase_add_test(tc, names_of_placements_and_hashes_are_the_rings_own);
	tcase_add_test(tc, a_pool_may_be_called_by_any_plain_name);
	tcase_add_test(tc, options_of_placements_arrive);
	tcase_add_test(tc, a_gutter_is_a_pool_and_a_lifetime);
	return run_case("load", tc);
}
