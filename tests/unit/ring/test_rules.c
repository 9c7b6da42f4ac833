/*
 * What must hold for every rule alike: walks are complete, keys of any bytes
 * have an owner, arcs agree with look-ups, no failure of memory is lost.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "expect.h"
#include "members.h"
#include "ring/buckets.h"
#include "ring/haproxy_hash.h"
#include "ring/hashes.h"
#include "ring/hashes_md5.h"
#include "ring/ring_hash.h"
#include "ring/rule.h"
#include "ring/wyhash.h"

/* A pool that every rule takes, if it is asked for with the spec here. */
static struct placement_spec
pool_for(enum placement_kind kind, size_t n, struct members *m)
{
	struct placement_spec spec = {.kind = kind};

	members_fill(m, "cache-", n);
	if (kind == PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA)
		spec.points_per_weight = 150;
	/* Its names must be numbers: -0, -1 and so on. */
	if (kind == PLACEMENT_CONSISTENT_HASH_RING_RS_I32)
		members_fill(m, "", n);
	return spec;
}

/* Every server comes up in a walk, once, the owner first. */
START_TEST(walks_are_complete_and_distinct)
{
	static const size_t sizes[] = {1, 2, 7, 40};
	static struct members m;
	uint32_t owners[40];
	char buf[32];

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		size_t n = sizes[s];
		struct placement_spec spec = pool_for(
		    (enum placement_kind)_i, n, &m);
		struct placement *p = members_build(&m, &spec);

		for (uint64_t k = 0; k < 200; k++) {
			struct span key = members_key(k, buf);
			uint64_t seen = 0;

			ck_assert_uint_eq(placement_owners(p, key, n, owners),
			    n);
			ck_assert_uint_eq(owners[0], placement_owner(p, key));
			for (size_t i = 0; i < n; i++) {
				/* No ck_assert: each one is a system call. */
				if (owners[i] >= n || (seen >> owners[i] & 1))
					ck_abort_msg("owner %zu of %zu is %u",
					    i, n, owners[i]);
				seen |= UINT64_C(1) << owners[i];
			}
		}
		placement_free(&p);
	}
}
END_TEST

static bool
is_not(void *arg, uint32_t server)
{
	const uint32_t *dead = arg;

	return server != *dead;
}

/* The order of a walk is the order in which servers take over. */
START_TEST(the_next_in_the_walk_takes_over)
{
	static struct members m;
	struct placement_spec spec = pool_for((enum placement_kind)_i, 9, &m);
	struct placement *p = members_build(&m, &spec);
	uint32_t owners[2];
	char buf[32];

	for (uint64_t k = 0; k < 500; k++) {
		struct span key = members_key(k, buf);

		ck_assert_uint_eq(placement_owners(p, key, 2, owners), 2);
		ck_assert_uint_eq(placement_owner_where(p, key, is_not,
		    &owners[0]), owners[1]);
		ck_assert_uint_eq(placement_owner_where(p, key, is_not,
		    &owners[1]), owners[0]);
	}
	placement_free(&p);
}
END_TEST

/* Whatever bytes a key has, and none at all. */
START_TEST(keys_of_any_bytes_have_an_owner)
{
	static struct members m;
	static char bytes[4096];
	struct placement_spec spec = pool_for((enum placement_kind)_i, 5, &m);
	struct placement *p = members_build(&m, &spec);
	uint32_t random = 1;

	ck_assert_uint_lt(placement_owner(p, span_of(NULL, 0)), 5);
	for (size_t i = 0; i < 2000; i++) {
		/* Its own block, so that a sanitizer sees a step too far. */
		size_t len = i < 1000 ? i % 300 : i;
		char *key = malloc(len + (len == 0));
		struct span span = span_of(key, len);

		ck_assert_ptr_nonnull(key);
		for (size_t b = 0; b < len; b++) {
			random = random * 1664525 + 1013904223;
			key[b] = (char)(random >> 24);
		}
		memcpy(bytes, key, len);
		ck_assert_uint_lt(placement_owner(p, span), 5);
		/* Only the bytes count, not where they are. */
		ck_assert_uint_eq(placement_owner(p, span),
		    placement_owner(p, span_of(bytes, len)));
		free(key);
	}
	placement_free(&p);
}
END_TEST

START_TEST(each_allocation_of_a_build_may_fail)
{
	static struct members m;
	struct placement_spec spec = pool_for((enum placement_kind)_i, 5, &m);

	ck_assert_uint_gt(expect_failures_survived(&spec, m.servers, m.n), 0);
}
END_TEST

START_TEST(look_ups_take_no_memory)
{
	static struct members m;
	struct placement_spec spec = pool_for((enum placement_kind)_i, 30,
	    &m);
	struct placement *p = members_build(&m, &spec);
	uint32_t owners[30], dead;
	char buf[32];

	mem_fail_after(0);
	for (uint64_t k = 0; k < 100; k++) {
		struct span key = members_key(k, buf);

		dead = placement_owner(p, key);
		ck_assert_uint_eq(placement_owners(p, key, 30, owners), 30);
		(void)placement_owner_where(p, key, is_not, &dead);
	}
	ck_assert(!mem_has_failed());
	mem_fail_after(-1);
	placement_free(&p);
}
END_TEST

/* Two placements of one membership are one placement. */
START_TEST(building_again_gives_the_same)
{
	static struct members m;
	struct placement_spec spec = pool_for((enum placement_kind)_i, 11,
	    &m);
	struct placement *a = members_build(&m, &spec);
	struct placement *b = members_build(&m, &spec);

	ck_assert(expect_same_owners(a, b));
	placement_free(&a);
	placement_free(&b);
}
END_TEST

/* Where a key lies on the circle of a rule that has one; 2^64 positions. */
static uint64_t
position_of(enum placement_kind kind, struct span key)
{
	static const struct ring_hash fnv = {.kind = HASH_FNV1A_64};
	uint64_t h = HASH_FNV1A_64_BASIS;

	if (kind == PLACEMENT_RING)
		return ring_hash_key(&fnv, key);
	if (kind == PLACEMENT_BUCKETS)
		return (uint64_t)buckets_of_key(key) << 48;
	if (kind == PLACEMENT_ENVOY_RING)
		return hashes_xxh64(key, 0);
	if (kind == PLACEMENT_ZIG_HASHRING)
		return wyhash(key, 0);
	if (kind == PLACEMENT_CONSISTENT_HASH_RING_RS ||
	    kind == PLACEMENT_CONSISTENT_HASH_RING_RS_I32)
		return hash_fnv1a_64_byte(hash_fnv1a_64_bytes(h, key), 0xff);
	if (kind == PLACEMENT_HAPROXY_CONSISTENT)
		return (uint64_t)haproxy_sdbm(key) << 32;
	if (kind == PLACEMENT_DALLI ||
	    kind == PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA)
		return (uint64_t)hashes_crc32(key) << 32;
	return (uint64_t)md5_le32(key) << 32;
}

static const enum placement_kind circles[] = {PLACEMENT_RING,
    PLACEMENT_BUCKETS, PLACEMENT_ENVOY_RING, PLACEMENT_ZIG_HASHRING,
    PLACEMENT_CONSISTENT_HASH_RING_RS, PLACEMENT_CONSISTENT_HASH_RING_RS_I32,
    PLACEMENT_HAPROXY_CONSISTENT, PLACEMENT_DALLI,
    PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA, PLACEMENT_SPYMEMCACHED_KETAMA,
    PLACEMENT_SPYMEMCACHED_KETAMA_WEIGHTED, PLACEMENT_NODE_HASHRING,
    PLACEMENT_NODE_HASHRING_COMPAT, PLACEMENT_NODE_MEMCACHED};

#define NCIRCLES ((int)(sizeof(circles) / sizeof(circles[0])))

/* The arc in which a position lies: the first that does not end before it. */
static uint32_t
owner_by_arc(const struct placement *p, uint64_t position, size_t narcs)
{
	struct placement_arc arc;
	size_t low = 0, high = narcs - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		/* No ck_assert here either. */
		if (!placement_arc_at(p, middle, &arc))
			ck_abort_msg("no arc %zu of %zu", middle, narcs);
		if (arc.last < position)
			low = middle + 1;
		else
			high = middle;
	}
	ck_assert(placement_arc_at(p, low, &arc));
	return arc.owner;
}

/* Arcs rise to the end of the circle; how many. */
static size_t
count_arcs(const struct placement *p)
{
	struct placement_arc arc;
	uint64_t last = 0;
	size_t n = 0;

	for (; placement_arc_at(p, n, &arc); n++) {
		if (arc.last < last)
			ck_abort_msg("arc %zu ends before arc %zu", n, n - 1);
		last = arc.last;
	}
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_eq(last, UINT64_MAX);
	return n;
}

START_TEST(arcs_agree_with_look_ups)
{
	static const size_t sizes[] = {1, 2, 20};
	static struct members m;
	char buf[32];

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct placement_spec spec = pool_for(circles[_i], sizes[s],
		    &m);
		struct placement *p = members_build(&m, &spec);
		size_t narcs = count_arcs(p);

		for (uint64_t k = 0; k < 2000; k++) {
			struct span key = members_key(k, buf);

			ck_assert_uint_eq(placement_owner(p, key),
			    owner_by_arc(p, position_of(spec.kind, key),
			    narcs));
		}
		placement_free(&p);
	}
}
END_TEST

static const enum placement_kind spelled[] = {PLACEMENT_DALLI,
    PLACEMENT_PYMEMCACHE, PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA,
    PLACEMENT_NODE_HASHRING, PLACEMENT_NODE_MEMCACHED};

#define NSPELLED ((int)(sizeof(spelled) / sizeof(spelled[0])))

/* Two names that the rule writes alike would share every point. */
/* No more than 16 bytes a point, the fixed table of buckets apart. */
START_TEST(points_have_a_size_and_are_small)
{
	static struct members m;
	struct placement_spec spec = pool_for((enum placement_kind)_i, 100,
	    &m);
	struct placement *p = members_build(&m, &spec);
	uint64_t points = placement_points(p);
	size_t bytes = placement_bytes(p);

	ck_assert_int_eq(points > 0, bytes > 0);
	if (spec.kind == PLACEMENT_BUCKETS)
		ck_assert_uint_eq(bytes, BUCKETS_COUNT * sizeof(uint16_t));
	else
		ck_assert_uint_le(bytes, 16 * points);
	ck_assert_uint_ge(bytes, 2 * points);
	placement_free(&p);
}
END_TEST

/* A number of points does something, or is refused. */
START_TEST(points_that_are_asked_for_are_made)
{
	static struct members m;
	struct placement_spec spec = pool_for((enum placement_kind)_i, 5, &m);
	enum placement_error error;
	struct placement *few, *many;
	struct err err;

	spec.points_per_weight = 40;
	few = placement_build(&spec, m.servers, m.n, &error, &err);
	spec.points_per_weight = 80;
	many = placement_build(&spec, m.servers, m.n, &error, &err);
	ck_assert_int_eq(few == NULL, many == NULL);
	if (few == NULL) {
		ck_assert_int_eq(error, PLACEMENT_UNSUPPORTED);
		ck_assert_ptr_nonnull(strstr(err.text, "points"));
		return;
	}
	ck_assert(!expect_same_owners(few, many));
	placement_free(&few);
	placement_free(&many);
}
END_TEST

START_TEST(names_spelled_alike_are_duplicates)
{
	struct placement_server servers[] = {
		expect_server("cache-1", "10.0.0.1", 11211, 1),
		expect_server("cache-1:11211", "10.0.0.2", 11211, 1),
	};
	struct placement_spec spec = {.kind = spelled[_i]};

	if (spec.kind == PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA)
		spec.points_per_weight = 150;
	expect_refused(&spec, servers, 2, PLACEMENT_DUPLICATE_IDENTITY,
	    "positions 1 and 2");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("rules");
	TCase *tc = tcase_create("rules");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, walks_are_complete_and_distinct, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, the_next_in_the_walk_takes_over, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, keys_of_any_bytes_have_an_owner, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, each_allocation_of_a_build_may_fail, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, look_ups_take_no_memory, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, building_again_gives_the_same, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, arcs_agree_with_look_ups, 0, NCIRCLES);
	tcase_add_loop_test(tc, points_have_a_size_and_are_small, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, points_that_are_asked_for_are_made, 0,
	    PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, names_spelled_alike_are_duplicates, 0,
	    NSPELLED);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
