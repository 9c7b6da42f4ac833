/* What changes from one table to the next. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "case.h"
#include "route/table_diff.h"

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
}

/* A table of these pools, in YAML's flow style. */
static struct table *
build(const char *pools, const struct table *old)
{
	struct conf_errors *errors;
	struct table *table;
	struct conf *conf;
	char text[1024];

	snprintf(text, sizeof(text), "config_version: 1\n"
	    "listeners: [{listen: 127.0.0.1:9, pool: a}]\n"
	    "pools: {%s}\n", pools);
	conf = conf_parse("f", text, strlen(text), &errors);
	ck_assert_msg(conf != NULL, "%s", conf_errors_line(errors, 0));
	table = table_build(conf, old, registry, &errors);
	ck_assert_ptr_nonnull(table);
	return table;
}

static struct table_diff *
diff_between(const char *before, const char *after)
{
	struct table *old = build(before, NULL);
	struct table *new = build(after, old);
	struct table_diff *diff = table_diff_new(old, new);

	ck_assert_ptr_nonnull(diff);
	/* Nothing of either is kept. */
	table_unref(&old);
	table_unref(&new);
	return diff;
}

static void
expect_counts(const struct table_diff_counts *counts,
    const struct table_diff_counts *wanted)
{
	ck_assert_uint_eq(counts->added, wanted->added);
	ck_assert_uint_eq(counts->removed, wanted->removed);
	ck_assert_uint_eq(counts->reweighted, wanted->reweighted);
	ck_assert_uint_eq(counts->reordered, wanted->reordered);
	ck_assert_uint_eq(counts->readdressed, wanted->readdressed);
}

#define X "{name: x, address: 10.0.0.1:1}"
#define Y "{name: y, address: 10.0.0.2:1}"
#define Z "{name: z, address: 10.0.0.3:1}"

static const struct {
	const char			*before;
	const char			*after;
	struct table_diff_counts	 counts;
	double				 moved_least;
	double				 moved_most;
	bool				 is_rescaled;
} changes[] = {
	{"a: {servers: [" X ", " Y "]}", "a: {servers: [" X ", " Y ", " Z "]}",
	    {.added = 1}, 0.2, 0.45, false},
	{"a: {servers: [" X ", " Y "]}", "a: {servers: [" X "]}",
	    {.removed = 1}, 0.3, 0.7, false},
	{"a: {servers: [" X ", " Y "]}", "a: {servers: [" X ", "
	    "{name: y, address: 10.0.0.2:1, weight: 2}]}",
	    {.reweighted = 1}, 0.05, 0.4, false},
	{"a: {servers: [" X ", " Y "]}", "a: {servers: [" Y ", " X "]}",
	    {.reordered = 2}, 0, 0, false},
	{"a: {servers: [" X ", " Y "]}", "a: {servers: [" X ", "
	    "{name: y, address: 10.0.0.9:1}]}",
	    {.readdressed = 1}, 0, 0, false},
	{"a: {servers: [" X ", " Y "]}", "a: {servers: [" Z ", "
	    "{name: y, address: 10.0.0.9:1}]}",
	    {.added = 1, .removed = 1, .readdressed = 1}, 0.3, 0.9, false},
	{"a: {servers: [{name: x, address: 10.0.0.1:1, weight: 2}, "
	    "{name: y, address: 10.0.0.2:1, weight: 4}]}",
	    "a: {servers: [{name: x, address: 10.0.0.1:1, weight: 2}, "
	    "{name: y, address: 10.0.0.2:1, weight: 5}]}",
	    {.reweighted = 1}, 0.001, 0.5, true},
};

START_TEST(a_change_is_counted)
{
	struct table_diff *diff = diff_between(changes[_i].before,
	    changes[_i].after);
	const struct table_diff_pool *pool = &diff->pools[0];

	ck_assert_uint_eq(diff->npools, 1);
	ck_assert_str_eq(pool->name, "a");
	ck_assert_int_eq(pool->kind, TABLE_DIFF_CHANGED);
	expect_counts(&pool->counts, &changes[_i].counts);
	expect_counts(&diff->sum, &changes[_i].counts);
	ck_assert_double_ge(pool->moved, changes[_i].moved_least);
	ck_assert_double_le(pool->moved, changes[_i].moved_most);
	ck_assert_double_eq(diff->moved_most, pool->moved);
	ck_assert(pool->is_exact);
	ck_assert(pool->is_rescaled == changes[_i].is_rescaled);
	table_diff_free(&diff);
	ck_assert_ptr_null(diff);
}
END_TEST

START_TEST(what_does_not_place_keys_is_no_change)
{
	struct table_diff *diff = diff_between("a: {servers: [" X "]}",
	    "a: {servers: [" X "], timeouts: {request: 9s}}");

	ck_assert_uint_eq(diff->npools, 0);
	ck_assert_double_eq(diff->moved_most, 0);
	table_diff_free(&diff);
	table_diff_free(&diff);
}
END_TEST

START_TEST(pools_come_and_go_with_their_servers)
{
	struct table_diff *diff = diff_between("a: {servers: [" X "]}, "
	    "gone: {servers: [" X ", " Y "]}", "new: {servers: [" X ", " Y
	    ", " Z "]}, a: {servers: [" X "]}");

	ck_assert_uint_eq(diff->npools, 2);
	ck_assert_str_eq(diff->pools[0].name, "new");
	ck_assert_int_eq(diff->pools[0].kind, TABLE_DIFF_ADDED);
	ck_assert_uint_eq(diff->pools[0].nservers, 3);
	ck_assert_uint_ne(diff->pools[0].membership, 0);
	ck_assert_str_eq(diff->pools[1].name, "gone");
	ck_assert_int_eq(diff->pools[1].kind, TABLE_DIFF_REMOVED);
	ck_assert_uint_eq(diff->pools[1].nservers, 0);
	ck_assert_uint_eq(diff->pools[1].membership, 0);
	expect_counts(&diff->sum, &(struct table_diff_counts){.added = 3,
	    .removed = 2});
	table_diff_free(&diff);
}
END_TEST

START_TEST(from_nothing_everything_is_added)
{
	struct table *table = build("a: {servers: [" X "]}", NULL);
	struct table_diff *diff = table_diff_new(NULL, table);

	ck_assert_uint_eq(diff->npools, 1);
	ck_assert_int_eq(diff->pools[0].kind, TABLE_DIFF_ADDED);
	ck_assert_uint_eq(diff->pools[0].membership,
	    table->pools[0].membership);
	table_diff_free(&diff);
	table_unref(&table);
}
END_TEST

START_TEST(another_rule_is_told)
{
	struct table_diff *diff = diff_between("a: {servers: [" X ", " Y "]}",
	    "a: {servers: [" X ", " Y "], placement: rendezvous}");

	ck_assert(diff->pools[0].is_other_spec);
	ck_assert(!diff->pools[0].is_exact);
	ck_assert_double_gt(diff->pools[0].moved, 0.3);
	table_diff_free(&diff);
}
END_TEST

START_TEST(each_allocation_may_fail)
{
	struct table *old = build("a: {servers: [" X ", " Y "]}", NULL);
	struct table *new = build("a: {servers: [" X ", " Z "]}, "
	    "b: {servers: [" X "]}", old);
	struct table_diff *diff;
	int64_t n = 0;

	for (;; n++) {
		mem_fail_after(n);
		diff = table_diff_new(old, new);
		if (!mem_has_failed())
			break;
		mem_fail_after(-1);
		ck_assert_ptr_null(diff);
	}
	mem_fail_after(-1);
	ck_assert_int_gt(n, 3);
	table_diff_free(&diff);
	table_unref(&old);
	table_unref(&new);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("table_diff");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, a_change_is_counted, 0, LENGTH(changes));
	tcase_add_test(tc, what_does_not_place_keys_is_no_change);
	tcase_add_test(tc, pools_come_and_go_with_their_servers);
	tcase_add_test(tc, from_nothing_everything_is_added);
	tcase_add_test(tc, another_rule_is_told);
	tcase_add_test(tc, each_allocation_may_fail);
	return case_run("table_diff", tc);
}
