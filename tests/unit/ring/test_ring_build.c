/* Building the native ring: weights, limits, refusals, failing memory. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "members.h"
#include "ring/ring.h"

static const struct placement_spec plain = {.kind = PLACEMENT_RING};

static struct ring *
build_ring(const struct members *m, const struct placement_spec *spec)
{
	enum placement_error error;
	struct err err;
	struct ring *ring = ring_build(spec, m->servers, m->n, &error, &err);

	ck_assert_msg(ring != NULL, "no ring: %s", err.text);
	return ring;
}

START_TEST(defaults_are_128_points_a_unit)
{
	static struct members m;
	struct ring *ring;

	members_fill(&m, "cache", 3);
	m.servers[1].weight = 2;
	ring = build_ring(&m, &plain);
	ck_assert_uint_eq(ring_points(ring), 4 * 128);
	ck_assert_uint_eq(ring_server_points(ring, 0), 128);
	ck_assert_uint_eq(ring_server_points(ring, 1), 256);
	ck_assert_uint_eq(ring_divisor(ring), 1);
	ck_assert_uint_le(ring_bytes(ring), 16 * ring_points(ring));
	ring_free(&ring);
	ck_assert_ptr_null(ring);
}
END_TEST

static void
expect_same_rings(const struct ring *a, const struct ring *b)
{
	ck_assert_uint_eq(ring_points(a), ring_points(b));
	ck_assert_uint_eq(ring_bytes(a), ring_bytes(b));
	for (size_t i = 0; i < ring_points(a); i++) {
		ck_assert_uint_eq(ring_point_position(a, i),
		    ring_point_position(b, i));
		ck_assert_uint_eq(ring_point_owner(a, i),
		    ring_point_owner(b, i));
	}
}

START_TEST(weights_count_only_by_their_proportion)
{
	static const double weights[][3] = {
		{1, 3, 2}, {100, 300, 200}, {7, 21, 14},
		{3000000000.0, 9000000000.0, 6000000000.0},
		{0x1p51, 3 * 0x1p51, 2 * 0x1p51},
	};
	static struct members m;
	struct ring *first = NULL;

	members_fill(&m, "cache", 3);
	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		struct ring *ring;

		for (size_t k = 0; k < 3; k++)
			m.servers[k].weight = weights[i][k];
		ring = build_ring(&m, &plain);
		if (first == NULL)
			first = build_ring(&m, &plain);
		expect_same_rings(first, ring);
		ck_assert_uint_eq(ring_points(ring), 6 * 128);
		ring_free(&ring);
	}
	ring_free(&first);
}
END_TEST

START_TEST(points_are_in_clockwise_order)
{
	static struct members m;
	struct ring *ring;
	size_t counted[50] = {0};

	members_fill(&m, "cache", 50);
	ring = build_ring(&m, &plain);
	for (size_t i = 0; i < ring_points(ring); i++) {
		if (i > 0)
			ck_assert_uint_lt(ring_point_position(ring, i - 1),
			    ring_point_position(ring, i));
		counted[ring_point_owner(ring, i)]++;
	}
	for (size_t i = 0; i < 50; i++)
		ck_assert_uint_eq(counted[i], 128);
	ring_free(&ring);
}
END_TEST

/* Plainly: the first point not before it, else the first of all. */
static uint32_t
owner_by_scan(const struct ring *ring, uint64_t position)
{
	for (size_t i = 0; i < ring_points(ring); i++) {
		if (ring_point_position(ring, i) >= position)
			return ring_point_owner(ring, i);
	}
	return ring_point_owner(ring, 0);
}

START_TEST(owner_is_the_first_point_at_or_after)
{
	static struct members m;
	static const size_t sizes[] = {1, 2, 3, 17, 100};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct placement_spec spec = plain;
		struct ring *ring;

		members_fill(&m, "cache", sizes[s]);
		spec.points_per_weight = 1 + (uint32_t)s * 5;
		ring = build_ring(&m, &spec);
		for (size_t i = 0; i < ring_points(ring); i++) {
			uint64_t at = ring_point_position(ring, i);

			for (uint64_t p = at - 1; p != at + 2; p++)
				ck_assert_uint_eq(ring_owner_at(ring, p),
				    owner_by_scan(ring, p));
		}
		for (uint64_t i = 0; i < 2000; i++)
			ck_assert_uint_eq(ring_owner_at(ring, hash_mix64(i)),
			    owner_by_scan(ring, hash_mix64(i)));
		ck_assert_uint_eq(ring_owner_at(ring, 0),
		    ring_point_owner(ring, 0));
		ck_assert_uint_eq(ring_owner_at(ring, UINT64_MAX),
		    owner_by_scan(ring, UINT64_MAX));
		ring_free(&ring);
	}
}
END_TEST

START_TEST(cap_on_points_names_the_figures)
{
	static struct members m;
	struct placement_spec spec = plain;
	struct ring *ring;
	struct err err;

	members_fill(&m, "cache", 3);
	m.servers[2].weight = 8190;
	/* 8192 units of 128 points are exactly the default cap. */
	ring = build_ring(&m, &plain);
	ck_assert_uint_eq(ring_points(ring), 1048576);
	ring_free(&ring);
	m.servers[2].weight = 8191;
	ck_assert_int_eq(members_refusal(&m, &plain, &err),
	    PLACEMENT_STATE_CAPACITY_EXCEEDED);
	ck_assert_str_eq(err.text, "the ring would need 1048704 points "
	    "(3 servers, 128 points a unit of weight, weights divided by 1), "
	    "more than max_points 1048576");
	spec.max_points = 383;
	members_fill(&m, "cache", 3);
	ck_assert_int_eq(members_refusal(&m, &spec, &err),
	    PLACEMENT_STATE_CAPACITY_EXCEEDED);
	spec.max_points = 384;
	ring = build_ring(&m, &spec);
	ring_free(&ring);
}
END_TEST

START_TEST(cap_is_checked_before_memory_is_taken)
{
	static struct members m;
	enum placement_error error;
	struct err err;

	members_fill(&m, "cache", 2);
	m.servers[0].weight = 1000003;
	/* Only the ring's own struct may be allocated. */
	mem_fail_after(1);
	ck_assert_ptr_null(ring_build(&plain, m.servers, m.n, &error, &err));
	ck_assert(!mem_has_failed());
	mem_fail_after(-1);
	ck_assert_int_eq(error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	ck_assert_ptr_nonnull(strstr(err.text, "max_points"));
}
END_TEST

START_TEST(number_of_points_may_overflow)
{
	static struct members m;
	struct placement_spec spec = plain;
	struct err err;

	members_fill(&m, "cache", 40);
	for (size_t i = 0; i < m.n; i++)
		m.servers[i].weight = 0x1p53;
	m.servers[0].weight = 1;
	spec.points_per_weight = UINT32_MAX;
	spec.max_points = UINT32_MAX;
	ck_assert_int_eq(members_refusal(&m, &spec, &err),
	    PLACEMENT_STATE_CAPACITY_EXCEEDED);
	ck_assert_ptr_nonnull(strstr(err.text, "over 18446744073709551615"));
	/* Not each product, but their sum. */
	spec.points_per_weight = 128 << 4;
	ck_assert_int_eq(members_refusal(&m, &spec, &err),
	    PLACEMENT_STATE_CAPACITY_EXCEEDED);
	ck_assert_ptr_nonnull(strstr(err.text, "over 18446744073709551615"));
}
END_TEST

START_TEST(weight_must_be_whole_and_positive)
{
	static const double bad[] = {0, -1, 0.5, 1.5, 1e300, -0.0,
	    0x1p53 + 2, INFINITY, NAN};
	static struct members m;
	struct err err;

	members_fill(&m, "cache", 3);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		m.servers[1].weight = bad[i];
		ck_assert_int_eq(members_refusal(&m, &plain, &err),
		    PLACEMENT_UNSUPPORTED);
		ck_assert_ptr_nonnull(strstr(err.text, "\"cache-1\""));
	}
}
END_TEST

START_TEST(hash_that_the_ring_lacks_is_refused)
{
	static struct members m;
	struct placement_spec spec = plain;
	struct err err;

	members_fill(&m, "cache", 2);
	/* A key of nothing but zeros is a key that was forgotten. */
	spec.hash = HASH_SIPHASH;
	ck_assert_int_eq(members_refusal(&m, &spec, &err),
	    PLACEMENT_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "siphash"));
	spec.hash_key[15] = 1;
	for (int kind = 0; kind < HASH_KIND_COUNT; kind++) {
		enum placement_error error;
		struct placement *p;

		spec.hash = (enum hash_kind)kind;
		p = placement_build(&spec, m.servers, m.n, &error, &err);
		ck_assert_int_eq(p != NULL, kind == HASH_DEFAULT ||
		    kind == HASH_FNV1A_64 || kind == HASH_XXH3 ||
		    kind == HASH_SIPHASH);
		ck_assert_int_eq(error, p != NULL ? PLACEMENT_OK
						  : PLACEMENT_UNSUPPORTED);
		placement_free(&p);
	}
}
END_TEST

START_TEST(each_failing_allocation_is_a_refusal)
{
	static struct members m;
	int64_t n;

	members_fill(&m, "cache", 20);
	for (n = 0;; n++) {
		enum placement_error error;
		struct err err = {""};
		struct placement *p;

		mem_fail_after(n);
		p = placement_build(&plain, m.servers, m.n, &error, &err);
		if (!mem_has_failed()) {
			mem_fail_after(-1);
			ck_assert_ptr_nonnull(p);
			placement_free(&p);
			break;
		}
		ck_assert_ptr_null(p);
		ck_assert_int_eq(error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
		ck_assert_ptr_nonnull(strstr(err.text, "out of memory"));
	}
	/* The placement, its servers, their bytes, names, ring, two lists. */
	ck_assert_int_eq(n, 7);
}
END_TEST

START_TEST(xxh3_and_siphash_give_rings_of_their_own)
{
	static struct members m;
	struct placement_spec spec = plain;
	struct ring *rings[4];
	size_t same[4] = {0};

	members_fill(&m, "cache", 10);
	rings[0] = build_ring(&m, &spec);
	spec.hash = HASH_XXH3;
	rings[1] = build_ring(&m, &spec);
	spec.hash = HASH_SIPHASH;
	spec.hash_key[0] = 1;
	rings[2] = build_ring(&m, &spec);
	spec.hash_key[15] = 1;
	rings[3] = build_ring(&m, &spec);
	for (uint64_t i = 0; i < 1000; i++) {
		char buf[32];
		struct span key = members_key(i, buf);
		uint32_t owner = ring_owner(rings[0], key);

		for (size_t k = 1; k < 4; k++)
			same[k] += ring_owner(rings[k], key) == owner;
	}
	/* Of 10 servers, one in ten agrees by chance. */
	for (size_t k = 1; k < 4; k++) {
		ck_assert_uint_gt(same[k], 40);
		ck_assert_uint_lt(same[k], 180);
	}
	for (size_t k = 0; k < 4; k++)
		ring_free(&rings[k]);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ring build");
	TCase *tc = tcase_create("build");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, defaults_are_128_points_a_unit);
	tcase_add_test(tc, weights_count_only_by_their_proportion);
	tcase_add_test(tc, points_are_in_clockwise_order);
	tcase_add_test(tc, owner_is_the_first_point_at_or_after);
	tcase_add_test(tc, cap_on_points_names_the_figures);
	tcase_add_test(tc, cap_is_checked_before_memory_is_taken);
	tcase_add_test(tc, number_of_points_may_overflow);
	tcase_add_test(tc, weight_must_be_whole_and_positive);
	tcase_add_test(tc, hash_that_the_ring_lacks_is_refused);
	tcase_add_test(tc, each_failing_allocation_is_a_refusal);
	tcase_add_test(tc, xxh3_and_siphash_give_rings_of_their_own);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
