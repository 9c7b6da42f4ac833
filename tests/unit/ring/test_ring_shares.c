/* Shares of the hash space: of every rule, exact against sampled. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "members.h"
#include "ring/ring_shares.h"

#define NSERVERS 9
#define SAMPLE	 40000

static struct placement_spec
spec_of(int kind)
{
	struct placement_spec spec = {.kind = (enum placement_kind)kind};

	/* The one rule without a default. */
	if (spec.kind == PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA)
		spec.points_per_weight = 150;
	return spec;
}

/* `n` servers with names that every rule takes. */
static struct placement *
build(const struct placement_spec *spec, size_t n)
{
	static struct members m;

	m.n = 0;
	for (size_t i = 0; i < n; i++) {
		char name[24];

		snprintf(name, sizeof(name), "%zu", 100 + i % 100);
		members_add(&m, name, 1);
	}
	return members_build(&m, spec);
}

/* The owners of other made-up keys than the sample's. */
static void
count_keys(const struct placement *p, double shares[NSERVERS])
{
	for (size_t i = 0; i < NSERVERS; i++)
		shares[i] = 0;
	for (uint64_t i = 0; i < SAMPLE; i++) {
		char buf[32];

		shares[placement_owner(p, members_key(i + (UINT64_C(1) << 32),
		    buf))] += 1.0 / SAMPLE;
	}
}

START_TEST(shares_are_those_of_keys)
{
	struct placement_spec spec = spec_of(_i);
	struct placement *p = build(&spec, NSERVERS);
	struct ring_extent exact[NSERVERS];
	uint64_t counts[NSERVERS], total = 0;
	double keys[NSERVERS], sum = 0;
	bool is_exact = ring_shares_exact(p, exact);

	count_keys(p, keys);
	ring_shares_sampled(p, SAMPLE, counts);
	ck_assert_int_eq(is_exact, ring_has_circle(p));
	for (size_t i = 0; i < NSERVERS; i++) {
		/* Five standard errors of the difference of two samples. */
		double tol = 5 * sqrt(2 * keys[i] * (1 - keys[i]) / SAMPLE) +
		    1e-3;

		ck_assert_double_eq_tol((double)counts[i] / SAMPLE, keys[i],
		    tol);
		total += counts[i];
		if (!is_exact)
			continue;
		ck_assert_double_eq_tol(ring_extent_share(exact[i]), keys[i],
		    tol);
		sum += ring_extent_share(exact[i]);
	}
	ck_assert_uint_eq(total, SAMPLE);
	if (is_exact)
		ck_assert_double_eq_tol(sum, 1, 1e-12);
	placement_free(&p);
}
END_TEST

/* All positions are somebody's: together they wrap to zero, once. */
START_TEST(exact_shares_fill_the_circle)
{
	struct placement_spec spec = spec_of(_i);
	struct placement *p = build(&spec, NSERVERS);
	struct ring_extent exact[NSERVERS];
	uint64_t sum = 0;

	if (ring_shares_exact(p, exact)) {
		for (size_t i = 0; i < NSERVERS; i++)
			sum += exact[i].positions;
		ck_assert_uint_eq(sum, 0);
	}
	placement_free(&p);
	p = build(&spec, 1);
	if (ring_shares_exact(p, exact)) {
		ck_assert(exact[0].is_whole);
		ck_assert_uint_eq(exact[0].positions, 0);
	}
	placement_free(&p);
}
END_TEST

/* Keys of 15 bits never see most of the circle. */
START_TEST(a_circle_that_keys_do_not_reach_is_none)
{
	static const struct placement_spec specs[] = {
		{.kind = PLACEMENT_LIBMEMCACHED_KETAMA, .hash = HASH_CRC},
		{.kind = PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED,
		    .hash = HASH_CRC},
		{.kind = PLACEMENT_TWEMPROXY_KETAMA, .hash = HASH_CRC32},
	};
	struct placement *p = build(&specs[_i], NSERVERS);
	struct ring_extent exact[NSERVERS];
	struct ring_update *update;

	ck_assert(!ring_has_circle(p));
	ck_assert(!ring_shares_exact(p, exact));
	update = ring_update_between(p, p);
	ck_assert_ptr_nonnull(update);
	ck_assert(!update->is_exact);
	ck_assert_uint_eq(update->nflows, 0);
	ring_update_free(&update);
	placement_free(&p);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ring shares");
	TCase *tc = tcase_create("shares");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, shares_are_those_of_keys, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, exact_shares_fill_the_circle, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, a_circle_that_keys_do_not_reach_is_none, 0, 3);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
