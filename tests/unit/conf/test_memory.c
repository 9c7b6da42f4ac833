/*
 * Every allocation fails once, and every time that is an answer. Built with
 * an arena whose blocks hold nothing, so that each piece is an allocation.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "support.h"

/* All types of keys, aliases and variables. */
static const char right[] =
    "workers: 2\n"
    "limits: {clients: 10}\n"
    "listeners:\n"
    "  - {listen: 127.0.0.1:1, pool: a, routes: "
    "[{prefix: x, pool: b}, {prefix: xy, pool: a}]}\n"
    "  - {listen: unix:/x, mode: \"0600\", pool: b}\n"
    "pools:\n"
    "  a:\n"
    "    servers: &s\n"
    "      - x:1\n"
    "      - {name: \"${HOME:-n}\", address: y:1, weight: 2}\n"
    "    timeouts: &t {connect: 1s}\n"
    "    hash_tag: \"{}\"\n"
    "    hash: siphash\n"
    "    hash_key: 0123456789abcdef0123456789abcdef\n"
    "  b: {servers: *s, timeouts: *t, placement: memcached-ring, "
    "hash_seed: x}\n";

/* Complaints of every stage. */
static const char wrong[] =
    "workers: 0\n"
    "wokers: 2\n"
    "limits: {memory: 1MiB, memory: 2MiB}\n"
    "listeners:\n"
    "  - {listen: 127.0.0.1:1, pool: c, routes: "
    "[{prefix: x, pool: b}, {prefix: x, pool: d}]}\n"
    "  - {listen: 127.0.0.1:1}\n"
    "  - {listen: host:1, mode: 1}\n"
    "pools:\n"
    "  a: {servers: [x:1, x:1, x, {name: \"${NOPE}\", address: !t y:1}]}\n"
    "  b: {servers: [y:1], placement: rng, hash_seed: x, "
    "health: {retry: 2m}}\n";

/* Allocations that a successful parse of `text` makes, at most. */
static int64_t
count_allocations(const char *text)
{
	struct conf_errors *errors;
	struct conf *conf;
	int64_t n;

	for (n = 0;; n++) {
		mem_fail_after(n);
		conf = conf_parse("f", text, strlen(text), &errors);
		conf_free(&conf);
		conf_errors_free(&errors);
		if (!mem_has_failed())
			break;
	}
	mem_fail_after(-1);
	return n;
}

static void
expect_out_of_memory(struct conf *conf, struct conf_errors **errors,
    int64_t n)
{
	ck_assert_msg(conf == NULL, "allocation %lld failed unnoticed",
	    (long long)n);
	ck_assert_uint_eq(conf_errors_count(*errors), 1);
	ck_assert_str_eq(conf_errors_line(*errors, 0), "out of memory");
	ck_assert(!conf_errors_is_unreadable(*errors));
	conf_errors_free(errors);
}

START_TEST(no_allocation_is_left_unchecked)
{
	const char *text = _i == 0 ? right : wrong;
	int64_t total = count_allocations(text);
	struct conf_errors *errors;

	/* Were it not for the small blocks, there would be a handful. */
	ck_assert_int_gt(total, 100);
	for (int64_t n = 0; n < total; n++) {
		mem_fail_after(n);
		expect_out_of_memory(conf_parse("f", text, strlen(text),
		    &errors), &errors, n);
		ck_assert(mem_has_failed());
	}
	mem_fail_after(-1);
}
END_TEST

START_TEST(reading_a_file_is_no_exception)
{
	static const char path[] = SOURCE_ROOT "/conf/fairlead.yaml";
	struct conf_errors *errors;
	struct conf *conf = NULL;
	int64_t n = 0;

	for (;; n++) {
		mem_fail_after(n);
		conf = conf_load(path, &errors);
		if (!mem_has_failed())
			break;
		expect_out_of_memory(conf, &errors, n);
	}
	ck_assert_int_gt(n, 50);
	ck_assert_ptr_nonnull(conf);
	ck_assert_ptr_null(errors);
	conf_free(&conf);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("memory");

	tcase_add_loop_test(tc, no_allocation_is_left_unchecked, 0, 2);
	tcase_add_test(tc, reading_a_file_is_no_exception);
	return run_case("memory", tc);
}
