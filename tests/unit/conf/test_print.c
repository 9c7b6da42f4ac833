/* The effective configuration: complete, and readable by ourselves. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

START_TEST(the_smallest_file_shows_every_default)
{
	struct conf *conf = parse_right("listeners: [{listen: 127.0.0.1:1}]\n"
	    "pools: {main: {servers: [a:1]}}\n");
	char *text = print_to_text(conf);

	ck_assert_str_eq(text,
	    "config_version: 1\n"
	    "workers: 1\n"
	    "shutdown_timeout: 8s\n"
	    "dns_refresh: 30s\n"
	    "admin:\n"
	    "  # listen: nowhere\n"
	    "  # mode: 0660 for a unix socket\n"
	    "  actions: false\n"
	    "# activate_at: at once\n"
	    "reload:\n"
	    "  watch: 0\n"
	    "limits:\n"
	    "  clients: 16384\n"
	    "  value_size: 1MiB\n"
	    "  client_buffer: 4MiB\n"
	    "  memory: 256MiB\n"
	    "  request_line: 1MiB\n"
	    "  client_idle: 0\n"
	    "log:\n"
	    "  format: text\n"
	    "  # level: info\n"
	    "  file: \"\"\n"
	    "  slow_request: 0\n"
	    "stats:\n"
	    "  backend_totals: false\n"
	    "privacy: none\n"
	    "listeners:\n"
	    "  - listen: \"127.0.0.1:1\"\n"
	    "    # mode: 0660 for a unix socket\n"
	    "    socket: \"\"\n"
	    "    pool: \"main\"\n"
	    "    routes: []\n"
	    "    auth: none\n"
	    "pools:\n"
	    "  main:\n"
	    "    servers:\n"
	    "      - address: \"a:1\"\n"
	    "        # name: the address as written\n"
	    "        weight: 1\n"
	    "    placement: ring\n"
	    "    # hash: the placement's own\n"
	    "    # points_per_weight: the placement's own (ring: 128)\n"
	    "    # max_points: the placement's own (ring: 1048576)\n"
	    "    hash_tag: \"\"\n"
	    "    # hash_key: none\n"
	    "    timeouts:\n"
	    "      connect: 250ms\n"
	    "      request: 1s\n"
	    "    on_down: miss\n"
	    "    # gutter: none\n"
	    "    # gutter_ttl: 1m, with a gutter\n"
	    "    health:\n"
	    "      failures: 3\n"
	    "      retry: 1s\n"
	    "      retry_max: 1m\n"
	    "      max_down: 80%\n"
	    "    server_connections: 1\n"
	    "    server_queue: 65536\n"
	    "    server_queue_bytes: 32MiB\n"
	    "    join_gets: true\n"
	    "    flush_all: false\n");
	free(text);
	conf_free(&conf);
}
END_TEST

/* Whatever is printed must come back the same, and print the same again. */
static const char *const texts[] = {
	"admin: {listen: unix:/a, mode: '0600', actions: true}\n"
	"listeners: [{listen: 127.0.0.1:1}]\n"
	"pools: {main: {servers: [a:1]}}\n",
	"listeners: [{listen: 127.0.0.1:1}]\npools: {main: {servers: [a:1]}}\n",
	/* Text that YAML, or the variables, could take for something else. */
	"listeners:\n"
	"  - listen: \"unix:/run/a \\\"b\\\" $${HOME} #c \\\\ \"\n"
	"    mode: 777\n"
	"    pool: 'null'\n"
	"    auth: accept\n"
	"    socket: main\n"
	"    routes:\n"
	"      - {prefix: \"$$$${x}:\", pool: 1}\n"
	"      - {prefix: \"\\xe9\\u2028\\uFEFF\\U0010FFFF\", pool: '1'}\n"
	"pools:\n"
	"  null:\n"
	"    hash_tag: '\"\\'\n"
	"    servers:\n"
	"      - {address: a:1, name: 'host:6379:1 \"shard01\"'}\n"
	"      - {address: b:1, name: \"~\"}\n"
	"      - {address: c:1, name: \"\\u2028x\\u2029\\ufeff\\ufffe\"}\n"
	"      - {address: d:1, name: '- a: b', weight: 0.000001}\n"
	"      - {address: e:1, name: '$$$$', weight: 999999.999999}\n"
	"      - {address: f:1, name: f:1}\n"
	"      - {address: \"unix:/$${HOME}\", weight: 1000000}\n"
	"  1: {servers: [\"[::1]:5\"], hash_tag: \"$$$$\"}\n",
	/* Every key unlike its default. */
	"workers: 64\nshutdown_timeout: 0\ndns_refresh: 1h\n"
	"limits: {clients: 1, value_size: 1025B, client_buffer: 1GiB, "
	"memory: 1023GiB, request_line: 2049B, "
	"client_idle: 24h}\n"
	"listeners: [{listen: \"0.0.0.0:65535\", pool: a, "
	"routes: [{prefix: a, pool: b}, {prefix: ab, pool: a}]}]\n"
	"pools:\n"
	"  g: {servers: [x:1], on_down: gutter, gutter: b, gutter_ttl: 24h}\n"
	"  b: {servers: [x:1], placement: memcached-ring, hash_seed: 's\"$$', "
	"hash_stop: \"|#|\"}\n"
	"  a:\n"
	"    servers: [x:1, x:2]\n"
	"    hash: xxh3\n"
	"    points_per_weight: 1\n"
	"    max_points: 16777216\n"
	"    timeouts: {connect: 1ms, request: 1h}\n"
	"    on_down: error\n"
	"    health: {failures: 1000000, retry: 59m, retry_max: 1h, "
	"max_down: 100%}\n"
	"    server_connections: 64\n"
	"    server_queue: 1\n"
	"    server_queue_bytes: 64KiB\n"
	"    join_gets: false\n"
	"    flush_all: true\n"
	"  c: {servers: [x:1], placement: haproxy-consistent, "
	"hash_avalanche: true}\n"
	"  d: {servers: [x:1], placement: libmemcached-ketama, "
	"unsigned_chars: true, hash: hsieh}\n"
	"  e: {servers: [x:1], placement: envoy-ring, ring_size_min: 10, "
	"ring_size_max: 20}\n",
};

START_TEST(what_is_printed_means_the_same)
{
	struct conf *conf = parse_right(texts[_i]), *again;
	char *first = print_to_text(conf), *second;

	again = parse_right(first);
	expect_same(conf, again);
	second = print_to_text(again);
	ck_assert_str_eq(first, second);
	free(first);
	free(second);
	conf_free(&conf);
	conf_free(&again);
}
END_TEST

START_TEST(a_secret_is_not_printed)
{
	struct conf *conf = parse_right("listeners: [{listen: 127.0.0.1:1}]\n"
	    "pools: {main: {servers: [a:1], hash: siphash, "
	    "hash_key: 0123456789abcdef0123456789abcdef}}\n");
	char *text = print_to_text(conf);

	ck_assert_ptr_null(strstr(text, "0123456789abcdef"));
	ck_assert_ptr_nonnull(strstr(text, "    # hash_key: a secret, not "
	    "shown\n"));
	free(text);
	conf_free(&conf);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("print");

	tcase_add_test(tc, the_smallest_file_shows_every_default);
	tcase_add_loop_test(tc, what_is_printed_means_the_same, 0,
	    LENGTH(texts));
	tcase_add_test(tc, a_secret_is_not_printed);
	return run_case("print", tc);
}
