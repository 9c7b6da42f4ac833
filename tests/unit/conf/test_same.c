/* Whether two configurations mean the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char base_text[] =
    "workers: 2\n"
    "limits: {clients: 10}\n"
    "admin: {listen: 127.0.0.1:9, actions: true}\n"
    "listeners:\n"
    "  - {listen: 127.0.0.1:1, pool: a, routes: [{prefix: s, pool: b}]}\n"
    "  - {listen: unix:/x, mode: 600, pool: b}\n"
    "pools:\n"
    "  a:\n"
    "    servers: [x:1, {name: n, address: y:1, weight: 2}]\n"
    "    hash: siphash\n"
    "    hash_key: 0123456789abcdef0123456789abcdef\n"
    "    hash_tag: \"{}\"\n"
    "    timeouts: {connect: 1s}\n"
    "    flush_all: true\n"
    "  b: {servers: [z:1], placement: memcached-ring, hash_seed: q}\n";

/* A text in it, and what to write instead so that the meaning changes. */
struct change {
	const char	*from;
	const char	*to;
};

static const struct change changes[] = {
	{"workers: 2", "workers: 3"},
	{"clients: 10", "clients: 11"},
	{"127.0.0.1:1", "127.0.0.1:2"},
	{"127.0.0.1:9", "127.0.0.1:8"},
	{"127.0.0.1:9", "unix:/a"},
	{"admin: {listen: 127.0.0.1:9, actions: true}\n", ""},
	{"actions: true", "actions: false"},
	{"pool: a,", "pool: b,"},
	{"pool: a,", "pool: a, auth: accept,"},
	{"prefix: s", "prefix: t"},
	{"prefix: s", "prefix: ss"},
	{", routes: [{prefix: s, pool: b}]", ""},
	{"pool: b}]}", "pool: a}]}"},
	{"mode: 600", "mode: 660"},
	{"  a:\n", "  a:\n    on_down: next\n"},
	{"[x:1, ", "["},
	{"[x:1, ", "[w:1, "},
	{"[x:1, ", "[{address: x:1, name: x:1}, "},
	{"name: n", "name: m"},
	{"address: y:1", "address: y:2"},
	{"weight: 2", "weight: 2.5"},
	{"hash: siphash\n    hash_key: 0123456789abcdef0123456789abcdef",
	    "hash: xxh3"},
	{"hash_key: 0123456789abcdef0123456789abcdef",
	    "hash_key: 0123456789abcdef0123456789abcdee"},
	{"\"{}\"", "\"[]\""},
	{"connect: 1s", "connect: 2s"},
	{"connect: 1s", "request: 2s"},
	{"flush_all: true", "flush_all: false"},
	{"flush_all: true", "flush_all: true\n    join_gets: false"},
	{"  b: {servers: [z:1], placement: memcached-ring, hash_seed: q}",
	    "  b: {servers: [z:1], placement: memcached-ring}"},
	{"placement: memcached-ring, hash_seed: q", "placement: ketama"},
	{"hash_seed: q", "hash_stop: q"},
	{"hash_seed: q}", "hash_seed: q}\n  c: {servers: [z:1]}"},
};

/* base_text with `from` replaced by `to` once; malloc'd. */
static char *
change_text(const char *from, const char *to)
{
	const char *at = strstr(base_text, from);
	char *text;

	ck_assert_msg(at != NULL, "\"%s\"", from);
	ck_assert_int_gt(asprintf(&text, "%.*s%s%s", (int)(at - base_text),
	    base_text, to, at + strlen(from)), 0);
	return text;
}

START_TEST(any_other_value_is_another_meaning)
{
	char *text = change_text(changes[_i].from, changes[_i].to);
	struct conf *a = parse_right(base_text), *b = parse_right(text);

	ck_assert_msg(!conf_is_same(a, b), "\"%s\"", changes[_i].to);
	ck_assert(!conf_is_same(b, a));
	free(text);
	conf_free(&a);
	conf_free(&b);
}
END_TEST

START_TEST(another_name_of_a_pool_is_another_meaning)
{
	struct conf *a = parse_right("listeners: [{listen: 127.0.0.1:1}]\n"
	    "pools: {a: {servers: [x:1]}}\n");
	struct conf *b = parse_right("listeners: [{listen: 127.0.0.1:1}]\n"
	    "pools: {b: {servers: [x:1]}}\n");

	ck_assert(!conf_is_same(a, b));
	conf_free(&a);
	conf_free(&b);
}
END_TEST

START_TEST(other_words_for_it_are_the_same_meaning)
{
	struct conf *a = parse_right(base_text), *b;
	char *text;

	ck_assert(conf_is_same(a, a));
	text = change_text("workers: 2", "# moved down\n\nworkers: '2'\n"
	    "shutdown_timeout: 8000ms\nconfig_version: 1");
	b = parse_right(text);
	ck_assert(conf_is_same(a, b));
	conf_free(&b);
	free(text);
	text = change_text("[x:1, ", "[{address: x:1, weight: 1.0}, ");
	b = parse_right(text);
	ck_assert(conf_is_same(a, b));
	conf_free(&b);
	free(text);
	/* The same at another time is the same. */
	text = change_text("workers: 2",
	    "workers: 2\nactivate_at: 2026-11-30T12:00:00Z");
	b = parse_right(text);
	ck_assert_uint_eq(b->activate_at_ms, 1796040000000);
	ck_assert(conf_is_same(a, b));
	conf_free(&b);
	free(text);
	conf_free(&a);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("same");

	tcase_add_loop_test(tc, any_other_value_is_another_meaning, 0,
	    LENGTH(changes));
	tcase_add_test(tc, another_name_of_a_pool_is_another_meaning);
	tcase_add_test(tc, other_words_for_it_are_the_same_meaning);
	return run_case("same", tc);
}
