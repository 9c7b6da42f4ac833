/* Envoy's ring_hash against what its source says. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"
#include "vectors.h"

static struct placement_spec
spec_of(const struct vectors_case *c)
{
	struct placement_spec spec = {.kind = PLACEMENT_ENVOY_RING};

	spec.ring_size_min = (uint32_t)vectors_number(c, "minimum_ring_size",
	    0);
	return spec;
}

START_TEST(every_column_is_reproduced)
{
	struct vectors *v = vectors_read("envoy-ring-hash.tsv");

	ck_assert_uint_eq(v->ncases, 27);
	ck_assert_uint_eq(expect_all_cases(v, spec_of), 12609);
	vectors_free(&v);
}
END_TEST

static void
expect_points(const struct placement_spec *spec, const double *weights,
    const uint64_t *points, size_t n)
{
	struct placement_server servers[8];
	char names[8][16];
	struct placement *p;

	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "10.0.0.%zu:80", i);
		servers[i] = expect_server(names[i], "10.0.0.0", 80,
		    weights[i]);
	}
	p = expect_built(spec, servers, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(placement_server_points(p, i), points[i]);
	placement_free(&p);
}

/* Counts that follow from the rule by hand. */
START_TEST(points_follow_the_running_target)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_ENVOY_RING,
		.ring_size_min = 12,
	};

	/* 3 x ceil(12 / 3) each. */
	expect_points(&spec, (double[]){1, 1, 1}, (uint64_t[]){4, 4, 4}, 3);
	/* The least share is 1/3: 4 points for it, 8 for the other. */
	expect_points(&spec, (double[]){1, 2}, (uint64_t[]){4, 8}, 2);
	/* The least share is 1/7: ceil(12 / 7) = 2 points, 14 in all. */
	expect_points(&spec, (double[]){1, 6}, (uint64_t[]){2, 12}, 2);
	/* A cap of 10: 10/7 is two points, and the rest of 10 eight. */
	spec.ring_size_min = 10;
	spec.ring_size_max = 10;
	expect_points(&spec, (double[]){1, 6}, (uint64_t[]){2, 8}, 2);
}
END_TEST

/* use_hostname_for_hashing: the name without a port. */
START_TEST(names_are_hashed_alone)
{
	struct placement_spec spec = {.kind = PLACEMENT_ENVOY_RING};
	struct placement_server servers[] = {
		expect_server("cache-1", "10.0.0.1", 80, 1),
		expect_server("cache-2", "10.0.0.2", 80, 1),
	};
	struct placement_server moved[] = {
		expect_server("cache-1", "10.0.0.3", 81, 1),
		expect_server("cache-2", "/run/x.sock", 0, 1),
	};
	struct placement_server other[] = {
		expect_server("cache-1:80", "cache-1", 80, 1),
		expect_server("cache-2:80", "cache-2", 80, 1),
	};
	struct placement *a = expect_built(&spec, servers, 2);
	struct placement *b = expect_built(&spec, moved, 2);
	struct placement *c = expect_built(&spec, other, 2);

	ck_assert(expect_same_owners(a, b));
	ck_assert(!expect_same_owners(a, c));
	placement_free(&a);
	placement_free(&b);
	placement_free(&c);
}
END_TEST

/* An address is written as Envoy writes it. */
START_TEST(addresses_are_written_as_envoy_does)
{
	struct placement_spec spec = {.kind = PLACEMENT_ENVOY_RING};
	struct placement_server by_address[] = {
		expect_server("[::1]:80", "::1", 80, 1),
		expect_server("unix:/run/x.sock", "/run/x.sock", 0, 1),
	};
	struct placement_server by_name[] = {
		expect_server("[::1]:80", "10.0.0.1", 1, 1),
		expect_server("/run/x.sock", "10.0.0.2", 1, 1),
	};
	struct placement *a = expect_built(&spec, by_address, 2);
	struct placement *b = expect_built(&spec, by_name, 2);

	ck_assert(expect_same_owners(a, b));
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(murmur_makes_another_ring)
{
	struct placement_spec xx = {.kind = PLACEMENT_ENVOY_RING};
	struct placement_spec named = xx, murmur = xx;
	struct placement_server servers[] = {
		expect_server("10.0.0.1:80", "10.0.0.1", 80, 1),
		expect_server("10.0.0.2:80", "10.0.0.2", 80, 1),
	};
	struct placement *a, *b, *c;

	named.hash = HASH_XXH64;
	murmur.hash = HASH_MURMUR64A;
	a = expect_built(&xx, servers, 2);
	b = expect_built(&named, servers, 2);
	c = expect_built(&murmur, servers, 2);
	ck_assert(expect_same_owners(a, b));
	ck_assert(!expect_same_owners(a, c));
	placement_free(&a);
	placement_free(&b);
	placement_free(&c);
}
END_TEST

START_TEST(what_the_rule_does_not_take_is_refused)
{
	struct placement_spec spec = {.kind = PLACEMENT_ENVOY_RING};
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 1.5),
	};

	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "whole weights");
	servers[1].weight = 1;
	spec.ring_size_min = 9;
	spec.ring_size_max = 8;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "ring_size_min 9 is above ring_size_max 8");
	spec.ring_size_max = 0;
	spec.max_points = 9;
	expect_refused(&spec, servers, 2, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    "10 points, max_points is 9");
	spec.max_points = 0;
	spec.hash = HASH_MD5;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "\"xxh64\"");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("envoy");
	TCase *tc = tcase_create("envoy");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, every_column_is_reproduced);
	tcase_add_test(tc, points_follow_the_running_target);
	tcase_add_test(tc, names_are_hashed_alone);
	tcase_add_test(tc, addresses_are_written_as_envoy_does);
	tcase_add_test(tc, murmur_makes_another_ring);
	tcase_add_test(tc, what_the_rule_does_not_take_is_refused);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
