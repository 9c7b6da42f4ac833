/* Routing tables, built from the text of a configuration. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "case.h"
#include "route/table.h"

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
	/* It must be empty: every server was let go. */
	server_registry_free(&registry);
}

#define HEAD "config_version: 1\n"

static const char two_pools[] = HEAD
    "listeners:\n"
    "  - listen: 127.0.0.1:11211\n"
    "    pool: main\n"
    "    routes:\n"
    "      - {prefix: \"s:\", pool: sessions}\n"
    "      - {prefix: \"s:x:\", pool: main}\n"
    "      - {prefix: \"s:x:y\", pool: sessions}\n"
    "  - {listen: 127.0.0.1:11212, pool: sessions}\n"
    "limits: {clients: 7, value_size: 2MiB, client_buffer: 5MiB,\n"
    "  memory: 99MiB, request_line: 3MiB, client_idle: 9s}\n"
    "pools:\n"
    "  main:\n"
    "    servers: [10.0.0.1:11211, 10.0.0.2:11211]\n"
    "    timeouts: {connect: 11ms, request: 12ms}\n"
    "    on_down: next\n"
    "    health: {failures: 2, retry: 3s, retry_max: 4s, max_down: 99%}\n"
    "    server_connections: 5\n"
    "    server_queue: 6\n"
    "    server_queue_bytes: 7MiB\n"
    "    flush_all: true\n"
    "  sessions:\n"
    "    servers: [10.0.0.1:11211]\n";

static struct conf *
parse(const char *text)
{
	struct conf_errors *errors;
	struct conf *conf = conf_parse("f", text, strlen(text), &errors);

	if (conf == NULL)
		ck_abort_msg("%s", conf_errors_line(errors, 0));
	return conf;
}

static struct table *
build(const char *text, const struct table *old)
{
	struct conf_errors *errors;
	struct table *table = table_build(parse(text), old, registry, &errors);

	ck_assert_msg(table != NULL, "%s", conf_errors_line(errors, 0));
	ck_assert_ptr_null(errors);
	return table;
}

START_TEST(a_table_has_what_its_configuration_says)
{
	struct table *table = build(two_pools, NULL);
	const struct pool *pool = table_pool_by_name(table, "main");

	ck_assert_uint_eq(table->generation, 1);
	ck_assert_uint_eq(table->npools, 2);
	ck_assert_uint_eq(table->nservers, 3);
	ck_assert_uint_eq(table->nentrances, 2);
	ck_assert_uint_eq(table->limits.clients, 7);
	ck_assert_uint_eq(table->limits.value_size, 2 << 20);
	ck_assert_uint_eq(table->limits.client_buffer, 5 << 20);
	ck_assert_uint_eq(table->limits.memory, 99 << 20);
	ck_assert_uint_eq(table->limits.request_line, 3 << 20);
	ck_assert_uint_eq(table->limits.client_idle_ms, 9000);
	ck_assert_ptr_nonnull(pool);
	ck_assert_str_eq(pool->name, "main");
	ck_assert_uint_eq(pool->policy.connect_timeout_ms, 11);
	ck_assert_uint_eq(pool->policy.request_timeout_ms, 12);
	ck_assert_uint_eq(pool->policy.server_connections, 5);
	ck_assert_uint_eq(pool->policy.server_queue, 6);
	ck_assert_uint_eq(pool->policy.server_queue_bytes, 7 << 20);
	ck_assert_uint_eq(pool->policy.max_down, 1);
	ck_assert(pool->policy.flush_all);
	ck_assert_uint_eq(pool->nservers, 2);
	ck_assert_str_eq(pool->servers[1]->name, "10.0.0.2:11211");
	ck_assert_str_eq(pool->servers[1]->pool, "main");
	ck_assert_uint_eq(placement_servers(pool->placement), 2);
	ck_assert_ptr_null(table_pool_by_name(table, "other"));
	ck_assert_ptr_null(table_pool_by_name(NULL, "main"));
	table_unref(&table);
	ck_assert_ptr_null(table);
	table_unref(&table);
}
END_TEST

START_TEST(each_server_is_found_by_its_id)
{
	struct table *table = build(two_pools, NULL);
	size_t n = 0;

	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];

		for (size_t j = 0; j < pool->nservers; j++) {
			const struct table_entry *entry =
			    &table->by_id[pool->servers[j]->id];

			ck_assert_ptr_eq(entry->server, pool->servers[j]);
			ck_assert_ptr_eq(entry->pool, pool);
		}
	}
	for (uint32_t id = 0; id < SERVER_IDS_MAX; id++)
		n += table->by_id[id].server != NULL;
	ck_assert_uint_eq(n, 3);
	table_unref(&table);
}
END_TEST

static const struct {
	const char	*key;
	const char	*pool;
} routed[] = {
	{"a", "main"},
	{"", "main"},
	{"s", "main"},
	{"s:", "sessions"},
	{"s:1", "sessions"},
	{"s:x", "sessions"},
	{"s:x:", "main"},
	{"s:x:z", "main"},
	{"s:x:y", "sessions"},
	{"s:x:yes", "sessions"},
	{"S:x", "main"},
	{" s:", "main"},
};

START_TEST(the_longest_prefix_of_a_key_chooses_its_pool)
{
	struct table *table = build(two_pools, NULL);
	const struct entrance *first = table_entrance(table,
	    "127.0.0.1:11211");
	const struct entrance *second = table_entrance(table,
	    "127.0.0.1:11212");
	struct span key = span_str(routed[_i].key);

	ck_assert_ptr_nonnull(first);
	ck_assert_str_eq(table_pool(table, first, key)->name,
	    routed[_i].pool);
	ck_assert_str_eq(table_pool(table, second, key)->name, "sessions");
	ck_assert_ptr_null(table_entrance(table, "127.0.0.1:1"));
	table_unref(&table);
}
END_TEST

static const char moved[] = HEAD
    "listeners: [{listen: 127.0.0.1:9, pool: main}]\n"
    "pools:\n"
    "  main:\n"
    "    servers: [10.0.0.1:11211, 10.0.0.2:11211]\n";

START_TEST(a_removed_listener_stays_as_long_as_its_pool)
{
	struct table *one = build(two_pools, NULL), *two = build(moved, one);
	struct table *three = build(moved, two), *four;
	const struct entrance *stray = table_entrance(two,
	    "127.0.0.1:11211");

	ck_assert_uint_eq(two->generation, 2);
	ck_assert_ptr_nonnull(stray);
	ck_assert_ptr_null(stray->conf);
	/* Its routes stay with it, one of them to a pool that is no more. */
	ck_assert_ptr_null(table_pool(two, stray, span_str("s:1")));
	ck_assert_str_eq(table_pool(two, stray, span_str("t:1"))->name,
	    "main");
	ck_assert_ptr_null(table_entrance(two, "127.0.0.1:11212"));
	ck_assert_ptr_nonnull(table_entrance(two, "127.0.0.1:9"));
	table_unref(&one);
	table_unref(&two);
	/* And on, through any number of tables, until it is back. */
	ck_assert_ptr_nonnull(table_entrance(three, "127.0.0.1:11211"));
	four = build(two_pools, three);
	ck_assert_ptr_nonnull(table_entrance(four, "127.0.0.1:11211")->conf);
	ck_assert_ptr_null(table_entrance(four, "127.0.0.1:9")->conf);
	ck_assert_uint_eq(four->nentrances, 3);
	table_unref(&three);
	table_unref(&four);
}
END_TEST

START_TEST(a_placement_that_would_come_out_the_same_is_shared)
{
	struct table *one = build(two_pools, NULL), *two = build(moved, one);
	const struct placement *placement = one->pools[0].placement;

	ck_assert_ptr_eq(two->pools[0].placement, placement);
	table_unref(&one);
	ck_assert_uint_lt(placement_owner(placement, span_str("a")), 2);
	table_unref(&two);
}
END_TEST

static const char *const changed[] = {
	HEAD "listeners: [{listen: 127.0.0.1:9}]\n"
	"pools: {main: {servers: [10.0.0.2:11211, 10.0.0.1:11211]}}\n",
	HEAD "listeners: [{listen: 127.0.0.1:9}]\n"
	"pools: {main: {servers: [10.0.0.1:11211]}}\n",
	HEAD "listeners: [{listen: 127.0.0.1:9}]\n"
	"pools: {main: {servers: [10.0.0.1:11211, "
	"{address: 10.0.0.2:11211, weight: 2}]}}\n",
	HEAD "listeners: [{listen: 127.0.0.1:9}]\n"
	"pools: {main: {servers: [10.0.0.1:11211, 10.0.0.2:11211], "
	"points_per_weight: 64}}\n",
	HEAD "listeners: [{listen: 127.0.0.1:9}]\n"
	"pools: {main: {servers: [10.0.0.1:11211, 10.0.0.2:11211], "
	"placement: rendezvous}}\n",
	HEAD "listeners: [{listen: 127.0.0.1:9}]\n"
	"pools: {mine: {servers: [10.0.0.1:11211, 10.0.0.2:11211]}}\n",
};

START_TEST(a_placement_that_would_not_is_built)
{
	struct table *one = build(two_pools, NULL);
	struct table *two = build(changed[_i], one);

	ck_assert_ptr_ne(two->pools[0].placement, one->pools[0].placement);
	ck_assert_ptr_ne(two->pools[0].share, one->pools[0].share);
	table_unref(&one);
	table_unref(&two);
}
END_TEST

START_TEST(kept_servers_are_shared_and_removed_ones_let_go)
{
	struct table *one = build(two_pools, NULL), *two;
	struct server *kept = one->pools[0].servers[0];

	two = build(changed[1], one);
	ck_assert_ptr_eq(two->pools[0].servers[0], kept);
	ck_assert_uint_eq(atomic_load(&kept->refs), 2);
	table_unref(&one);
	ck_assert_uint_eq(atomic_load(&kept->refs), 1);
	table_unref(&two);
}
END_TEST

START_TEST(health_policies_reach_kept_servers_when_they_are_applied)
{
	struct table *one = build(two_pools, NULL), *two;
	struct health *health = &one->pools[0].servers[0]->health;

	two = build(HEAD "listeners: [{listen: 127.0.0.1:9}]\n"
	    "pools: {main: {servers: [10.0.0.1:11211], "
	    "health: {failures: 1, retry: 1s, retry_max: 1s}}}\n", one);
	/* Building changes nothing that can be observed. */
	ck_assert_uint_eq(atomic_load(&health->max_failures), 2);
	table_apply_policies(two, 0);
	ck_assert_uint_eq(atomic_load(&health->max_failures), 1);
	ck_assert_uint_eq(atomic_load(&health->retry_ms), 1000);
	ck_assert_uint_eq(atomic_load(&health->retry_max_ms), 1000);
	table_unref(&one);
	table_unref(&two);
}
END_TEST

START_TEST(each_placement_that_cannot_be_built_is_named_with_its_place)
{
	struct conf *conf = parse(HEAD
	    "listeners: [{listen: 127.0.0.1:9, pool: main}]\n"
	    "pools:\n"
	    "  main:\n"
	    "    servers: [10.0.0.1:11211, "
	    "{address: 10.0.0.2:11211, weight: 3}]\n"
	    "    max_points: 100\n"
	    "  good: {servers: [10.0.0.1:11211]}\n"
	    "  jump:\n"
	    "    servers: [{address: 10.0.0.1:11211, weight: 7}, "
	    "10.0.0.2:11211]\n"
	    "    placement: memcached-jump\n");
	static const char *const starts[] = {
		"f:4:3: pool \"main\": StateCapacityExceeded: ",
		"f:8:3: pool \"jump\": Unsupported: ",
	};
	struct conf_errors *errors;

	ck_assert_ptr_null(table_build(conf, NULL, registry, &errors));
	ck_assert_uint_eq(conf_errors_count(errors), LENGTH(starts));
	for (size_t i = 0; i < LENGTH(starts); i++) {
		const char *line = conf_errors_line(errors, i);

		ck_assert_msg(strstr(line, starts[i]) == line,
		    "it says \"%s\"", line);
	}
	conf_errors_free(&errors);
	conf_free(&conf);
}
END_TEST

START_TEST(a_table_has_the_hash_of_its_memberships)
{
	static const char reversed[] = HEAD
	    "listeners: [{listen: 127.0.0.1:9, pool: main}]\n"
	    "pools:\n"
	    "  sessions: {servers: [10.0.0.1:11211]}\n"
	    "  main: {servers: [10.0.0.1:11211, 10.0.0.2:11211]}\n";
	struct table *table = build(two_pools, NULL);
	struct table *same = build(reversed, table);
	struct table *other = build(HEAD
	    "listeners: [{listen: 127.0.0.1:9, pool: main}]\n"
	    "pools:\n"
	    "  sessions: {servers: [10.0.0.2:11211]}\n"
	    "  main: {servers: [10.0.0.1:11211, 10.0.0.2:11211]}\n", NULL);

	ck_assert_uint_eq(table->pools[0].membership,
	    same->pools[1].membership);
	ck_assert_uint_eq(table->membership, same->membership);
	ck_assert_uint_ne(table->pools[0].membership,
	    table->pools[1].membership);
	ck_assert_uint_eq(table->pools[0].membership,
	    other->pools[1].membership);
	ck_assert_uint_ne(table->membership, other->membership);
	table_unref(&table);
	table_unref(&same);
	table_unref(&other);
}
END_TEST

START_TEST(a_reference_keeps_a_table)
{
	struct table *table = build(two_pools, NULL);
	struct table *again = table_ref(table);

	table_unref(&table);
	ck_assert_uint_eq(again->npools, 2);
	ck_assert_uint_lt(placement_owner(again->pools[0].placement,
	    span_str("a")), 2);
	table_unref(&again);
}
END_TEST

/* What of `old` a failed build could have changed. */
static void
expect_untouched(const struct table *old, const struct placement_share *share)
{
	for (size_t i = 0; i < old->npools; i++) {
		for (size_t j = 0; j < old->pools[i].nservers; j++)
			ck_assert_uint_eq(atomic_load(
			    &old->pools[i].servers[j]->refs), 1);
	}
	ck_assert_ptr_eq(old->pools[0].share, share);
	ck_assert_uint_eq(old->generation, 1);
}

START_TEST(each_allocation_may_fail_and_changes_nothing)
{
	struct table *old = build(two_pools, NULL), *table;
	const struct placement_share *share = old->pools[0].share;
	/* One pool kept, a new one; a new server; a stray listener. */
	struct conf *conf = parse(HEAD
	    "listeners: [{listen: 127.0.0.1:9, pool: main}]\n"
	    "pools:\n"
	    "  main: {servers: [10.0.0.1:11211, 10.0.0.2:11211]}\n"
	    "  new: {servers: [10.0.0.3:11211, 10.0.0.1:11211]}\n");
	struct conf_errors *errors;
	int64_t n = 0;

	for (;; n++) {
		mem_fail_after(n);
		table = table_build(conf, old, registry, &errors);
		if (!mem_has_failed())
			break;
		mem_fail_after(-1);
		ck_assert_msg(table == NULL, "allocation %d", (int)n);
		ck_assert_msg(strstr(conf_errors_line(errors, 0),
		    "memory") != NULL, "allocation %d: \"%s\"", (int)n,
		    conf_errors_line(errors, 0));
		conf_errors_free(&errors);
		expect_untouched(old, share);
	}
	mem_fail_after(-1);
	ck_assert_int_gt(n, 8);
	ck_assert_ptr_nonnull(table);
	ck_assert_uint_eq(table->nentrances, 2);
	table_unref(&old);
	table_unref(&table);
}
END_TEST

START_TEST(a_pools_gutter_is_a_pool_of_the_same_table)
{
	struct table *table = build(HEAD
	    "listeners: [{listen: 127.0.0.1:9, pool: a}]\n"
	    "pools:\n"
	    "  a: {servers: [a:1], on_down: gutter, gutter: b, "
	    "gutter_ttl: 2m}\n"
	    "  b: {servers: [b:1]}\n", NULL);

	ck_assert_int_eq(table->pools[0].policy.on_down, ON_DOWN_GUTTER);
	ck_assert_ptr_eq(table->pools[0].gutter, &table->pools[1]);
	ck_assert_uint_eq(table->pools[0].policy.gutter_ttl_s, 120);
	ck_assert_ptr_null(table->pools[1].gutter);
	table_unref(&table);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("table");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, a_table_has_what_its_configuration_says);
	tcase_add_test(tc, each_server_is_found_by_its_id);
	tcase_add_loop_test(tc, the_longest_prefix_of_a_key_chooses_its_pool,
	    0, LENGTH(routed));
	tcase_add_test(tc, a_removed_listener_stays_as_long_as_its_pool);
	tcase_add_test(tc,
	    a_placement_that_would_come_out_the_same_is_shared);
	tcase_add_loop_test(tc, a_placement_that_would_not_is_built, 0,
	    LENGTH(changed));
	tcase_add_test(tc, kept_servers_are_shared_and_removed_ones_let_go);
	tcase_add_test(tc,
	    health_policies_reach_kept_servers_when_they_are_applied);
	tcase_add_test(tc,
	    each_placement_that_cannot_be_built_is_named_with_its_place);
	tcase_add_test(tc, a_table_has_the_hash_of_its_memberships);
	tcase_add_test(tc, a_reference_keeps_a_table);
	tcase_add_test(tc, each_allocation_may_fail_and_changes_nothing);
	tcase_add_test(tc, a_pools_gutter_is_a_pool_of_the_same_table);
	return case_run("table", tc);
}
