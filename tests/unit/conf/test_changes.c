/* Which settings differ between two configurations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char base_text[] =
    "workers: 2\n"
    "limits: {clients: 10}\n"
    "listeners:\n"
    "  - {listen: 127.0.0.1:1, pool: a}\n"
    "pools:\n"
    "  a:\n"
    "    servers: [x:1, {name: n, address: y:1, weight: 2}]\n"
    "    hash: siphash\n"
    "    hash_key: 0123456789abcdef0123456789abcdef\n"
    "    timeouts: {connect: 1s}\n"
    "  b: {servers: [z:1], placement: memcached-ring, hash_seed: q}\n";

static const struct {
	const char	*from;		/* a text in it */
	const char	*to;		/* what stands there then */
	const char	*lines;		/* the changes */
} cases[] = {
	{"", "", ""},
	{"workers: 2", "workers: 3", "workers: 2 -> 3 (restart)\n"},
	{"workers: 2\n", "workers: 2\nadmin: {listen: unix:/a}\n",
	    "admin.listen: nowhere -> unix:/a\n"
	    "admin.mode: 0660 for a unix socket -> 0660\n"},
	{"workers: 2\n", "workers: 2\nactivate_at: 2026-11-30T12:00:00Z\n",
	    "activate_at: at once -> 2026-11-30T12:00:00Z\n"},
	{"clients: 10", "memory: 300MiB", "limits.clients: 10 -> 16384\n"
	    "limits.memory: 256MiB -> 300MiB\n"},
	{"hash: siphash\n    hash_key: 0123456789abcdef0123456789abcdef",
	    "hash_tag: \"{}\"", "pools.a.hash: siphash -> the placement's "
	    "own\npools.a.hash_tag: none -> \"{}\"\n"
	    "pools.a.hash_key: a secret -> another secret\n"},
	{"cdef\n", "cdee\n", "pools.a.hash_key: a secret -> another secret\n"},
	{"connect: 1s", "request: 1500ms", "pools.a.timeouts.connect: 1s -> "
	    "250ms\npools.a.timeouts.request: 1s -> 1500ms\n"},
	{"    timeouts: {connect: 1s}", "    timeouts: {connect: 1s}\n"
	    "    on_down: next\n    flush_all: true\n"
	    "    points_per_weight: 5", "pools.a.points_per_weight: the "
	    "placement's own (ring: 128) -> 5\n"
	    "pools.a.on_down: miss -> next\n"
	    "pools.a.flush_all: false -> true\n"},
	{"memcached-ring, hash_seed: q", "ketama", "pools.b.placement: "
	    "memcached-ring -> ketama\npools.b.hash_seed: \"q\" -> none\n"},
	/* Lists are not settings, and a pool that came has nothing to tell. */
	{"x:1, {name: n, address: y:1, weight: 2}", "x:2", ""},
	{"127.0.0.1:1", "127.0.0.1:2", ""},
	{"hash_seed: q}", "hash_seed: q}\n  c: {servers: [z:1]}", ""},
};

#define NCASES ((int)(sizeof(cases) / sizeof(cases[0])))

static void
write_line(void *arg, const struct conf_change *change)
{
	fprintf(arg, "%s: %s -> %s%s\n", change->path, change->before,
	    change->after, change->is_restart_only ? " (restart)" : "");
}

static void
expect_changes(const char *old_text, const char *new_text, const char *lines)
{
	struct conf *old = parse_right(old_text);
	struct conf *new = parse_right(new_text);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	conf_visit_changes(old, new, write_line, out);
	fclose(out);
	ck_assert_str_eq(text, lines);
	free(text);
	conf_free(&old);
	conf_free(&new);
}

START_TEST(each_setting_that_differs_is_told)
{
	const char *at = strstr(base_text, cases[_i].from);
	char *text;

	ck_assert_msg(at != NULL, "\"%s\"", cases[_i].from);
	ck_assert_int_gt(asprintf(&text, "%.*s%s%s", (int)(at - base_text),
	    base_text, cases[_i].to, at + strlen(cases[_i].from)), 0);
	expect_changes(base_text, text, cases[_i].lines);
	free(text);
}
END_TEST

START_TEST(pools_are_matched_by_name)
{
	expect_changes(
	    "listeners: [{listen: 127.0.0.1:1, pool: a}]\n"
	    "pools:\n"
	    "  a: {servers: [x:1], on_down: next}\n"
	    "  b: {servers: [x:1]}\n",
	    "listeners: [{listen: 127.0.0.1:1, pool: a}]\n"
	    "pools:\n"
	    "  b: {servers: [x:1], on_down: error}\n"
	    "  a: {servers: [x:1], on_down: next}\n",
	    "pools.b.on_down: miss -> error\n");
}
END_TEST

/* Mistakes quote less than all of such a name. */
#define LONG_NAME "/var/log/a-name-as-long-as-a-pipeline-makes-them-of-the-"   \
	"cluster-the-zone-the-host-and-the-container/"

#define REST "listeners: [{listen: 127.0.0.1:1}]\n"                            \
	"pools: {a: {servers: [x:1]}}\n"

START_TEST(a_long_text_is_told_whole)
{
	expect_changes("log: {file: " LONG_NAME "1}\n" REST,
	    "log: {file: " LONG_NAME "2}\n" REST,
	    "log.file: \"" LONG_NAME "1\" -> \"" LONG_NAME "2\"\n");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("changes");
	TCase *tc = tcase_create("changes");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, each_setting_that_differs_is_told, 0, NCASES);
	tcase_add_test(tc, pools_are_matched_by_name);
	tcase_add_test(tc, a_long_text_is_told_whole);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
