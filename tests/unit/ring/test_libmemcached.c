/* libmemcached's distributions. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "vectors.h"

static enum placement_kind
kind_of(const char *distribution)
{
	static const struct {
		const char		*distribution;
		enum placement_kind	 kind;
	} kinds[] = {
		{"modula", PLACEMENT_LIBMEMCACHED_MODULA},
		{"ketama", PLACEMENT_LIBMEMCACHED_KETAMA},
		{"ketama_weighted", PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED},
		{"spy", PLACEMENT_LIBMEMCACHED_SPY},
		{"spy_weighted", PLACEMENT_LIBMEMCACHED_SPY_WEIGHTED},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].distribution, distribution) == 0)
			return kinds[i].kind;
	ck_abort_msg("unknown distribution %s", distribution);
}

static struct placement_spec
spec_of(const struct vectors_case *c)
{
	struct placement_spec spec = {
		.kind = kind_of(vectors_option(c, "distribution")),
	};

	ck_assert(hash_kind_by_name(span_str(vectors_option(c, "hash")),
	    &spec.hash));
	return spec;
}

static size_t
compare_file(const char *name)
{
	struct vectors *v = vectors_read(name);
	size_t compared;

	/* Under modula weights count for nothing, and we refuse them. */
	if (strcmp(name, "libmemcached-modula.tsv") == 0)
		expect_forget_weights(v);
	compared = expect_all_cases(v, spec_of);
	vectors_free(&v);
	return compared;
}

START_TEST(modula_agrees_with_libmemcached)
{
	ck_assert_uint_eq(compare_file("libmemcached-modula.tsv"), 51 * 467);
}
END_TEST

START_TEST(ketama_agrees_with_libmemcached)
{
	ck_assert_uint_eq(compare_file("libmemcached-ketama.tsv"), 71 * 467);
}
END_TEST

START_TEST(weighted_ketama_agrees_with_libmemcached)
{
	ck_assert_uint_eq(compare_file("libmemcached-ketama-weighted.tsv"),
	    81 * 467);
}
END_TEST

START_TEST(spy_agrees_with_libmemcached)
{
	ck_assert_uint_eq(compare_file("libmemcached-spy.tsv"), 30 * 467);
}
END_TEST

static void
fill_three(struct placement_server servers[3])
{
	servers[0] = expect_server("10.0.0.1:11211", "10.0.0.1", 11211, 1);
	servers[1] = expect_server("10.0.0.2:11212", "10.0.0.2", 11212, 1);
	servers[2] = expect_server("10.0.0.3:11213", "10.0.0.3", 11213, 1);
}

static bool
specs_agree(const struct placement_spec *a, const struct placement_spec *b,
    const struct placement_server *servers, size_t n)
{
	struct placement *pa = expect_built(a, servers, n);
	struct placement *pb = expect_built(b, servers, n);
	bool same = expect_same_owners(pa, pb);

	placement_free(&pa);
	placement_free(&pb);
	return same;
}

static const enum placement_kind all_kinds[] = {
	PLACEMENT_LIBMEMCACHED_MODULA,
	PLACEMENT_LIBMEMCACHED_KETAMA,
	PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED,
	PLACEMENT_LIBMEMCACHED_SPY,
	PLACEMENT_LIBMEMCACHED_SPY_WEIGHTED,
};

#define NKINDS ((int)(sizeof(all_kinds) / sizeof(all_kinds[0])))

START_TEST(default_hash_is_md5_only_when_weighted)
{
	struct placement_spec spec = {.kind = all_kinds[_i]}, named = spec;
	struct placement_server servers[3];
	bool is_weighted = strstr(placement_kind_name(spec.kind),
	    "weighted") != NULL;

	fill_three(servers);
	named.hash = is_weighted ? HASH_MD5 : HASH_ONE_AT_A_TIME;
	ck_assert(specs_agree(&spec, &named, servers, 3));
	named.hash = is_weighted ? HASH_ONE_AT_A_TIME : HASH_MD5;
	ck_assert(!specs_agree(&spec, &named, servers, 3));
}
END_TEST

/* What libmemcached does with memcached_server_add_with_weight(). */
START_TEST(a_weight_above_one_makes_the_ring_weighted)
{
	static const enum placement_kind kinds[][2] = {
		{PLACEMENT_LIBMEMCACHED_KETAMA,
		    PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED},
		{PLACEMENT_LIBMEMCACHED_SPY,
		    PLACEMENT_LIBMEMCACHED_SPY_WEIGHTED},
	};
	struct placement_spec plain = {.kind = kinds[_i][0]};
	struct placement_spec weighted = {
		.kind = kinds[_i][1], .hash = HASH_ONE_AT_A_TIME,
	};
	struct placement_server servers[3];

	fill_three(servers);
	ck_assert(!specs_agree(&plain, &weighted, servers, 3));
	servers[2].weight = 2;
	ck_assert(specs_agree(&plain, &weighted, servers, 3));
}
END_TEST

START_TEST(a_single_server_owns_every_key)
{
	struct placement_spec spec = {.kind = all_kinds[_i]};
	struct placement_server server = expect_server("a:1", "a", 1, 1);
	struct placement *p = expect_built(&spec, &server, 1);

	ck_assert_uint_eq(placement_owner(p, span_str("x")), 0);
	ck_assert_uint_eq(placement_owner(p, span_str("")), 0);
	placement_free(&p);
}
END_TEST

START_TEST(a_far_lighter_server_gets_no_point_and_no_key)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED,
	};
	struct placement_server servers[2] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 100),
	};
	struct placement *p = expect_built(&spec, servers, 2);
	uint32_t owners[2];
	char key[32];

	ck_assert_uint_eq(placement_server_points(p, 0), 0);
	ck_assert_uint_eq(placement_server_points(p, 1), 316);
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		ck_assert_uint_eq(placement_owner(p, span_str(key)), 1);
	}
	/* It still takes over, as the last one. */
	ck_assert_uint_eq(placement_owners(p, span_str("k"), 2, owners), 2);
	ck_assert_uint_eq(owners[0], 1);
	ck_assert_uint_eq(owners[1], 0);
	placement_free(&p);
}
END_TEST

START_TEST(a_walk_starts_at_the_owner_and_meets_every_server)
{
	struct placement_spec spec = {.kind = all_kinds[_i]};
	struct placement_server servers[3];
	struct placement *p;
	uint32_t owners[3];
	char key[32];

	fill_three(servers);
	p = expect_built(&spec, servers, 3);
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		ck_assert_uint_eq(placement_owners(p, span_str(key), 3,
		    owners), 3);
		ck_assert_uint_eq(owners[0],
		    placement_owner(p, span_str(key)));
		ck_assert_uint_eq(owners[0] + owners[1] + owners[2], 3);
		ck_assert(owners[0] != owners[1] && owners[1] != owners[2]);
	}
	placement_free(&p);
}
END_TEST

START_TEST(unsigned_char_changes_keys_with_high_bytes_only)
{
	struct placement_spec x86 = {.kind = PLACEMENT_LIBMEMCACHED_MODULA};
	struct placement_spec arm = x86;
	struct placement_server servers[3];
	struct placement *a, *b;
	char key[32];

	arm.is_char_unsigned = true;
	fill_three(servers);
	/* The keys compared hold two bytes >= 0x80 each. */
	ck_assert(!specs_agree(&x86, &arm, servers, 3));
	a = expect_built(&x86, servers, 3);
	b = expect_built(&arm, servers, 3);
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "ascii-%d", i);
		ck_assert_uint_eq(placement_owner(a, span_str(key)),
		    placement_owner(b, span_str(key)));
	}
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(a_foreign_hash_is_refused_with_those_there_are)
{
	struct placement_spec spec = {
		.kind = all_kinds[_i], .hash = HASH_CRC16,
	};
	struct placement_server servers[3];

	fill_three(servers);
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED, "\"crc16\"");
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED,
	    "one_at_a_time, md5, crc, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, "
	    "murmur, jenkins, murmur3");
	spec.hash = HASH_HSIEH;
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED, "\"hsieh\"");
}
END_TEST

START_TEST(weights_it_cannot_honour_are_refused)
{
	struct placement_spec spec = {.kind = all_kinds[_i]};
	struct placement_server servers[3];

	fill_three(servers);
	servers[1].weight = 1.5;
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED, "weight");
	servers[1].weight = 2;
	if (spec.kind == PLACEMENT_LIBMEMCACHED_MODULA)
		expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED,
		    "knows no weights");
}
END_TEST

START_TEST(servers_spelled_alike_are_refused)
{
	struct placement_spec spec = {.kind = PLACEMENT_LIBMEMCACHED_KETAMA};
	struct placement_server servers[3];

	fill_three(servers);
	servers[2].name = span_str("10.0.0.1");
	expect_refused(&spec, servers, 3, PLACEMENT_DUPLICATE_IDENTITY,
	    "positions 1 and 3 would both be hashed as \"10.0.0.1\"");
}
END_TEST

/* The ring hashes names; by default they are the addresses. */
START_TEST(a_server_with_a_name_keeps_its_keys_when_it_moves)
{
	struct placement_spec spec = {.kind = all_kinds[_i]};
	struct placement_server before[3], after[3];
	struct placement *a, *b;

	fill_three(before);
	fill_three(after);
	for (size_t i = 0; i < 3; i++) {
		after[i].host = span_str("elsewhere.example");
		after[i].port = (uint16_t)(400 + i);
	}
	a = expect_built(&spec, before, 3);
	b = expect_built(&spec, after, 3);
	ck_assert(expect_same_owners(a, b));
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(the_cap_on_points_is_checked_first)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_LIBMEMCACHED_KETAMA, .max_points = 299,
	};
	struct placement_server servers[3];
	struct placement *p;

	fill_three(servers);
	expect_refused(&spec, servers, 3, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    "the servers need 300 points, max_points is 299");
	spec.max_points = 300;
	p = expect_built(&spec, servers, 3);
	ck_assert_uint_eq(placement_points(p), 300);
	placement_free(&p);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	struct placement_spec spec = {.kind = all_kinds[_i]};
	struct placement_server servers[3];

	fill_three(servers);
	ck_assert_uint_ge(expect_failures_survived(&spec, servers, 3), 5);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("libmemcached");
	TCase *golden = tcase_create("vectors"), *own = tcase_create("own");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(golden, modula_agrees_with_libmemcached);
	tcase_add_test(golden, ketama_agrees_with_libmemcached);
	tcase_add_test(golden, weighted_ketama_agrees_with_libmemcached);
	tcase_add_test(golden, spy_agrees_with_libmemcached);
	suite_add_tcase(suite, golden);
	tcase_add_loop_test(own, default_hash_is_md5_only_when_weighted, 0,
	    NKINDS);
	tcase_add_loop_test(own, a_weight_above_one_makes_the_ring_weighted, 0,
	    2);
	tcase_add_loop_test(own, a_single_server_owns_every_key, 0, NKINDS);
	tcase_add_test(own, a_far_lighter_server_gets_no_point_and_no_key);
	tcase_add_loop_test(own,
	    a_walk_starts_at_the_owner_and_meets_every_server, 0, NKINDS);
	tcase_add_test(own, unsigned_char_changes_keys_with_high_bytes_only);
	tcase_add_loop_test(own, a_foreign_hash_is_refused_with_those_there_are,
	    0, NKINDS);
	tcase_add_loop_test(own, weights_it_cannot_honour_are_refused, 0,
	    NKINDS);
	tcase_add_test(own, servers_spelled_alike_are_refused);
	tcase_add_loop_test(own,
	    a_server_with_a_name_keeps_its_keys_when_it_moves, 0, NKINDS);
	tcase_add_test(own, the_cap_on_points_is_checked_first);
	tcase_add_loop_test(own, every_allocation_may_fail, 0, NKINDS);
	suite_add_tcase(suite, own);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
