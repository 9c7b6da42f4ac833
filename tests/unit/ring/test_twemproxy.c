/* twemproxy's distributions. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "expect.h"
#include "ring/hashes.h"
#include "ring/twemproxy.h"
#include "vectors.h"

#define SERVERS_MAX 128

static struct placement_spec
spec_of(const struct vectors_case *c)
{
	const char *tag = vectors_option(c, "hash_tag");
	struct placement_spec spec = {.kind = PLACEMENT_TWEMPROXY_KETAMA};

	if (strcmp(vectors_option(c, "distribution"), "modula") == 0)
		spec.kind = PLACEMENT_TWEMPROXY_MODULA;
	ck_assert(hash_kind_by_name(span_str(vectors_option(c, "hash")),
	    &spec.hash));
	if (tag != NULL) {
		ck_assert_uint_eq(strlen(tag), 2);
		memcpy(spec.hash_tag, tag, 2);
	}
	return spec;
}

static size_t
compare_file(const char *name)
{
	struct vectors *v = vectors_read(name);
	size_t compared = expect_all_cases(v, spec_of);

	vectors_free(&v);
	return compared;
}

START_TEST(ketama_agrees_with_twemproxy)
{
	ck_assert_uint_eq(compare_file("twemproxy-ketama.tsv"), 121 * 467);
}
END_TEST

START_TEST(modula_agrees_with_twemproxy)
{
	ck_assert_uint_eq(compare_file("twemproxy-modula.tsv"), 121 * 467);
}
END_TEST

START_TEST(hash_tags_agree_with_twemproxy)
{
	ck_assert_uint_eq(compare_file("twemproxy-hashtag.tsv"), 10 * 467);
}
END_TEST

/* "3+9" in a case's option: the servers at these positions are out. */
static void
parse_ejected(const char *text, bool is_ejected[SERVERS_MAX])
{
	memset(is_ejected, 0, SERVERS_MAX * sizeof(is_ejected[0]));
	for (;;) {
		char *end;
		unsigned long position = strtoul(text, &end, 10);

		ck_assert_uint_lt(position, SERVERS_MAX);
		is_ejected[position] = true;
		if (*end == '\0')
			return;
		text = end + 1;
	}
}

static size_t
compare_ejected(const struct vectors *v, const struct vectors_case *c)
{
	struct placement_spec spec = spec_of(c);
	struct placement_server servers[SERVERS_MAX];
	size_t n = vectors_servers(v, c->membership, servers, SERVERS_MAX);
	struct placement *whole = expect_built(&spec, servers, n);
	bool is_ejected[SERVERS_MAX];
	enum placement_error error;
	struct placement *living;
	struct err err;

	parse_ejected(vectors_option(c, "ejected"), is_ejected);
	living = twemproxy_eject(whole, is_ejected, &error, &err);
	ck_assert_ptr_nonnull(living);
	for (size_t i = 0; i < v->nrows; i++) {
		uint32_t owner = placement_owner(living, v->rows[i].key);
		struct span name = placement_server_at(living, owner)->name;
		const char *answer = vectors_answer(c, &v->rows[i]);

		ck_assert_msg(placement_find(whole, name) ==
		    strtoul(answer, NULL, 10), "case %s, line %zu: %.*s",
		    c->name, v->rows[i].line, (int)name.len, name.p);
	}
	placement_free(&whole);
	placement_free(&living);
	return v->nrows;
}

START_TEST(ejection_agrees_with_twemproxy)
{
	struct vectors *v = vectors_read("twemproxy-eject.tsv");
	size_t compared = 0;

	for (size_t i = 0; i < v->ncases; i++)
		compared += compare_ejected(v, &v->cases[i]);
	ck_assert_uint_eq(compared, 12 * 467);
	vectors_free(&v);
}
END_TEST

static const enum placement_kind both_kinds[] = {
	PLACEMENT_TWEMPROXY_KETAMA, PLACEMENT_TWEMPROXY_MODULA,
};

static void
fill_three(struct placement_server servers[3])
{
	servers[0] = expect_server("10.0.0.1:11211", "10.0.0.1", 11211, 1);
	servers[1] = expect_server("10.0.0.2:11212", "10.0.0.2", 11212, 2);
	servers[2] = expect_server("10.0.0.3:11213", "10.0.0.3", 11213, 3);
}

START_TEST(nobody_left_after_ejection_is_an_error)
{
	struct placement_spec spec = {.kind = both_kinds[_i]};
	static const bool all[3] = {true, true, true};
	struct placement_server servers[3];
	enum placement_error error;
	struct placement *whole;
	struct err err;

	fill_three(servers);
	whole = expect_built(&spec, servers, 3);
	ck_assert_ptr_null(twemproxy_eject(whole, all, &error, &err));
	ck_assert_int_eq(error, PLACEMENT_NO_SERVERS);
	mem_fail_after(0);
	ck_assert_ptr_null(twemproxy_eject(whole, all, &error, &err));
	mem_fail_after(-1);
	ck_assert_int_eq(error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	placement_free(&whole);
}
END_TEST

START_TEST(the_last_one_alive_owns_every_key)
{
	struct placement_spec spec = {.kind = both_kinds[_i]};
	static const bool but_one[3] = {true, false, true};
	struct placement_server servers[3];
	struct placement *whole, *living;
	enum placement_error error;
	struct err err;

	fill_three(servers);
	whole = expect_built(&spec, servers, 3);
	living = twemproxy_eject(whole, but_one, &error, &err);
	ck_assert_ptr_nonnull(living);
	ck_assert_uint_eq(placement_owner(living, span_str("k")), 0);
	ck_assert(span_eq(placement_server_at(living, 0)->name,
	    servers[1].name));
	placement_free(&whole);
	placement_free(&living);
}
END_TEST

START_TEST(the_default_hash_is_fnv1a_64)
{
	struct placement_spec spec = {.kind = both_kinds[_i]}, named = spec;
	struct placement_server servers[3];
	struct placement *a, *b;

	named.hash = HASH_FNV1A_64;
	fill_three(servers);
	a = expect_built(&spec, servers, 3);
	b = expect_built(&named, servers, 3);
	ck_assert(expect_same_owners(a, b));
	placement_free(&b);
	named.is_char_unsigned = true;
	b = expect_built(&named, servers, 3);
	ck_assert(!expect_same_owners(a, b));
	placement_free(&a);
	placement_free(&b);
}
END_TEST

/* "10.0.0.1" without a name is what port 11211 leaves of the address. */
START_TEST(a_name_that_reads_like_the_address_is_a_name)
{
	struct placement_spec spec = {.kind = PLACEMENT_TWEMPROXY_KETAMA};
	struct placement_server servers[3];
	struct placement *plain, *named, *shorter;

	fill_three(servers);
	plain = expect_built(&spec, servers, 3);
	servers[0].is_named = true;
	named = expect_built(&spec, servers, 3);
	servers[0].name = span_str("10.0.0.1");
	shorter = expect_built(&spec, servers, 3);
	ck_assert(!expect_same_owners(plain, named));
	ck_assert(expect_same_owners(plain, shorter));
	placement_free(&plain);
	placement_free(&named);
	placement_free(&shorter);
}
END_TEST

/* The point names are "/tmp/a.sock:-0" and so on, as if it were named so. */
START_TEST(a_unix_socket_is_its_path_and_a_colon)
{
	struct placement_spec spec = {.kind = PLACEMENT_TWEMPROXY_KETAMA};
	struct placement_server servers[3];
	struct placement *plain, *named;

	fill_three(servers);
	servers[0] = expect_server("unix:/tmp/a.sock", "/tmp/a.sock", 0, 1);
	plain = expect_built(&spec, servers, 3);
	servers[0] = expect_server("/tmp/a.sock:", "10.0.0.1", 11211, 1);
	named = expect_built(&spec, servers, 3);
	ck_assert(expect_same_owners(plain, named));
	placement_free(&plain);
	placement_free(&named);
}
END_TEST

START_TEST(modula_counts_slots_in_the_sorted_order)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_TWEMPROXY_MODULA, .hash = HASH_CRC32A,
	};
	struct placement_server servers[3] = {
		expect_server("aaa", "h", 1, 2),
		expect_server("zz", "h", 2, 1),
		expect_server("b", "h", 3, 3),
	};
	/* Sorted: b b b zz aaa aaa. */
	static const uint32_t expected[] = {2, 2, 2, 1, 0, 0};
	struct placement *p = expect_built(&spec, servers, 3);
	bool seen[6] = {false};
	char key[32];

	for (int i = 0; i < 1000; i++) {
		uint32_t slot;

		snprintf(key, sizeof(key), "key %d", i);
		slot = hashes_crc32(span_str(key)) % 6;
		seen[slot] = true;
		ck_assert_uint_eq(placement_owner(p, span_str(key)),
		    expected[slot]);
	}
	for (size_t i = 0; i < 6; i++)
		ck_assert(seen[i]);
	ck_assert_uint_eq(placement_server_points(p, 0), 2);
	ck_assert_uint_eq(placement_server_points(p, 1), 1);
	ck_assert_uint_eq(placement_server_points(p, 2), 3);
	placement_free(&p);
}
END_TEST

START_TEST(what_twemproxy_does_not_have_is_refused)
{
	struct placement_spec spec = {.kind = both_kinds[_i]};
	struct placement_server servers[3];

	fill_three(servers);
	spec.hash = HASH_MURMUR3;
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED,
	    "one_at_a_time, md5, crc16, crc32, crc32a, fnv1_64, fnv1a_64, "
	    "fnv1_32, fnv1a_32, hsieh, murmur, jenkins");
	spec.hash = HASH_DEFAULT;
	servers[1].weight = 0.5;
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED, "weight");
	servers[1].weight = 2147483648.0;
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED, "weight");
}
END_TEST

START_TEST(weights_that_wrap_around_are_no_ring)
{
	struct placement_spec spec = {.kind = both_kinds[_i]};
	struct placement_server servers[4] = {
		expect_server("a:1", "a", 1, 2147483647),
		expect_server("b:1", "b", 1, 2147483647),
		expect_server("c:1", "c", 1, 1),
		expect_server("d:1", "d", 1, 1),
	};

	/* The sum is 2^32: zero in twemproxy's arithmetic. */
	expect_refused(&spec, servers, 4, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    both_kinds[_i] == PLACEMENT_TWEMPROXY_KETAMA ? "max_points"
							 : "4294967296");
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	struct placement_spec spec = {.kind = both_kinds[_i]};
	struct placement_server servers[3];

	fill_three(servers);
	ck_assert_uint_ge(expect_failures_survived(&spec, servers, 3), 9);
}
END_TEST

static void
add_vectors(Suite *suite)
{
	TCase *tc = tcase_create("vectors");

	tcase_add_test(tc, ketama_agrees_with_twemproxy);
	tcase_add_test(tc, modula_agrees_with_twemproxy);
	tcase_add_test(tc, hash_tags_agree_with_twemproxy);
	tcase_add_test(tc, ejection_agrees_with_twemproxy);
	suite_add_tcase(suite, tc);
}

int
main(void)
{
	Suite *suite = suite_create("twemproxy");
	TCase *tc = tcase_create("own");
	SRunner *runner;
	int failed;

	add_vectors(suite);
	tcase_add_loop_test(tc, nobody_left_after_ejection_is_an_error, 0, 2);
	tcase_add_loop_test(tc, the_last_one_alive_owns_every_key, 0, 2);
	tcase_add_loop_test(tc, the_default_hash_is_fnv1a_64, 0, 2);
	tcase_add_test(tc, a_name_that_reads_like_the_address_is_a_name);
	tcase_add_test(tc, a_unix_socket_is_its_path_and_a_colon);
	tcase_add_test(tc, modula_counts_slots_in_the_sorted_order);
	tcase_add_loop_test(tc, what_twemproxy_does_not_have_is_refused, 0, 2);
	tcase_add_loop_test(tc, weights_that_wrap_around_are_no_ring, 0, 2);
	tcase_add_loop_test(tc, every_allocation_may_fail, 0, 2);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
