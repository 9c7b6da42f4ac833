/*
 * The membership hash. The values were computed by sha256sum over the text
 * that membership.h describes: they are part of the interface.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "ring/membership.h"

static struct members members;

static void
set_up(void)
{
	members_fill(&members, "cache", 2);
}

static uint64_t
hash_of(const struct placement_spec *spec)
{
	struct placement *p = members_build(&members, spec);
	uint64_t hash = membership_hash(p);

	placement_free(&p);
	return hash;
}

static void
set_address(size_t i, const char *host, uint16_t port, bool is_named)
{
	members.servers[i].host = span_str(host);
	members.servers[i].port = port;
	members.servers[i].is_named = is_named;
}

static const struct placement_spec ring = {.kind = PLACEMENT_RING};

START_TEST(names_and_weights_count)
{
	struct placement_spec spec = {.kind = PLACEMENT_WEIGHTED_RENDEZVOUS};

	ck_assert_uint_eq(hash_of(&ring), UINT64_C(0x2148b877463b17c9));
	members.servers[1].weight = 0.25;
	ck_assert_uint_eq(hash_of(&spec), UINT64_C(0x93b015d98c8190cd));
}
END_TEST

START_TEST(what_places_no_key_counts_for_nothing)
{
	struct placement_spec spec = ring;
	uint64_t hash = hash_of(&ring);

	set_address(0, "10.9.9.9", 1, true);
	spec.max_points = 4096;
	ck_assert_uint_eq(hash_of(&spec), hash);
	/* A default is the same said or not. */
	spec.hash = HASH_FNV1A_64;
	spec.points_per_weight = 128;
	ck_assert_uint_eq(hash_of(&spec), hash);
}
END_TEST

START_TEST(order_counts)
{
	struct placement_server first = members.servers[0];
	uint64_t hash = hash_of(&ring);

	members.servers[0] = members.servers[1];
	members.servers[1] = first;
	ck_assert_uint_ne(hash_of(&ring), hash);
}
END_TEST

START_TEST(every_option_counts)
{
	struct placement_spec sip = {.kind = PLACEMENT_RING,
	    .hash = HASH_SIPHASH, .points_per_weight = 7, .hash_tag = "{}",
	    .hash_key = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
		255}};
	struct placement_spec envoy = {.kind = PLACEMENT_ENVOY_RING,
	    .ring_size_min = 10, .ring_size_max = 20};
	struct placement_spec haproxy = {.kind = PLACEMENT_HAPROXY_CONSISTENT,
	    .hash_avalanche = true};
	struct placement_spec modula = {.kind = PLACEMENT_LIBMEMCACHED_MODULA,
	    .is_char_unsigned = true};

	members_remove(&members, 1);
	set_address(0, "10.0.0.1", 11211, false);
	ck_assert_uint_eq(hash_of(&sip), UINT64_C(0x3e4ec6fe7ea92791));
	ck_assert_uint_eq(hash_of(&envoy), UINT64_C(0xa1a5d563005bf001));
	ck_assert_uint_eq(hash_of(&haproxy), UINT64_C(0xbef12422513e92af));
	ck_assert_uint_eq(hash_of(&modula), UINT64_C(0x88963d25a9356b8a));
}
END_TEST

START_TEST(addresses_count_where_the_rule_looks_at_them)
{
	struct placement_spec spec = {.kind = PLACEMENT_MEMCACHED_RING,
	    .hash_seed = "salt", .hash_stop = "::"};

	set_address(0, "10.0.0.1", 11211, false);
	set_address(1, "/run/m.sock", 0, true);
	ck_assert_uint_eq(hash_of(&spec), UINT64_C(0xf222b7ba01e94c58));
}
END_TEST

START_TEST(many_pools_have_one_hash_in_any_order)
{
	struct membership pools[] = {
		{SPAN_LIT("b"), 0xab},
		{SPAN_LIT("ab"), UINT64_MAX},
		{SPAN_LIT("a"), 1},
	};

	for (int turn = 0; turn < 2; turn++) {
		ck_assert_uint_eq(membership_hash_all(pools, 3),
		    UINT64_C(0x11931d5919f2b50a));
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("membership");
	TCase *tc = tcase_create("membership");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, names_and_weights_count);
	tcase_add_test(tc, what_places_no_key_counts_for_nothing);
	tcase_add_test(tc, order_counts);
	tcase_add_test(tc, every_option_counts);
	tcase_add_test(tc, addresses_count_where_the_rule_looks_at_them);
	tcase_add_test(tc, many_pools_have_one_hash_in_any_order);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
