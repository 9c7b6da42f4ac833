/* HAProxy's consistent hashing against what HAProxy decided. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ring/haproxy_hash.h"
#include "ring/rule.h"
#include "vectors.h"

static struct placement_spec
spec_of(const struct vectors_case *c)
{
	struct placement_spec spec = {.kind = PLACEMENT_HAPROXY_CONSISTENT};

	ck_assert(hash_kind_by_name(span_str(vectors_option(c, "hash")),
	    &spec.hash));
	spec.hash_avalanche = vectors_number(c, "avalanche", 0) > 0;
	return spec;
}

START_TEST(every_column_is_reproduced)
{
	struct vectors *v = vectors_read("haproxy-chash.tsv");

	ck_assert_uint_eq(v->ncases, 48);
	ck_assert_uint_eq(expect_all_cases(v, spec_of), 22416);
	vectors_free(&v);
}
END_TEST

START_TEST(sdbm_is_the_default)
{
	struct placement_spec by_default = {
		.kind = PLACEMENT_HAPROXY_CONSISTENT,
	};
	struct placement_spec sdbm = by_default, djb2 = by_default;
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 1),
		expect_server("c:1", "c", 1, 1),
	};
	struct placement *a, *b, *c;

	sdbm.hash = HASH_SDBM;
	djb2.hash = HASH_DJB2;
	a = expect_built(&by_default, servers, 3);
	b = expect_built(&sdbm, servers, 3);
	c = expect_built(&djb2, servers, 3);
	ck_assert(expect_same_owners(a, b));
	ck_assert(!expect_same_owners(a, c));
	placement_free(&a);
	placement_free(&b);
	placement_free(&c);
}
END_TEST

/* Ids given as names take a server's keys along wherever it stands. */
START_TEST(names_that_are_numbers_are_ids)
{
	struct placement_spec spec = {.kind = PLACEMENT_HAPROXY_CONSISTENT};
	struct placement_server by_place[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 2),
		expect_server("c:1", "c", 1, 1),
	};
	struct placement_server by_id[] = {
		expect_server("3", "c", 1, 1),
		expect_server("1", "a", 1, 1),
		expect_server("2", "b", 1, 2),
	};
	struct placement *a = expect_built(&spec, by_place, 3);
	struct placement *b = expect_built(&spec, by_id, 3);
	static const uint32_t places[] = {1, 2, 0};
	char key[32];

	for (int i = 0; i < 1000; i++) {
		int len = snprintf(key, sizeof(key), "key-%d", i);
		struct span s = span_of(key, (size_t)len);

		ck_assert_uint_eq(placement_owner(b, s),
		    places[placement_owner(a, s)]);
	}
	placement_free(&a);
	placement_free(&b);
	by_id[1].name = span_str("a:1");
	expect_refused(&spec, by_id, 3, PLACEMENT_UNSUPPORTED,
	    "either all servers have one or none");
	by_id[1].name = span_str("0");
	expect_refused(&spec, by_id, 3, PLACEMENT_UNSUPPORTED, "server 2");
	by_id[1].name = span_str("1048576");
	expect_refused(&spec, by_id, 3, PLACEMENT_UNSUPPORTED, "server 2");
	/* Another way to write 3 is no number at all. */
	by_id[1].name = span_str("03");
	expect_refused(&spec, by_id, 3, PLACEMENT_UNSUPPORTED, "either all");
}
END_TEST

/* The owner by a look at every point: nearest, and the one before on ties. */
static uint32_t
nearest(const struct placement_server *servers, size_t n, uint32_t hash,
    uint64_t dead)
{
	uint32_t ahead = UINT32_MAX, back = UINT32_MAX;
	uint32_t next = PLACEMENT_NONE, before = PLACEMENT_NONE;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t count = (uint32_t)servers[i].weight * 16;

		for (uint32_t r = 0; r < count && !(dead >> i & 1); r++) {
			uint32_t point =
			    haproxy_avalanche((i + 1) * 4096 + r);

			if (point - hash <= ahead) {
				ahead = point - hash;
				next = i;
			}
			/* A point at the hash itself is not before it. */
			if (hash - point - 1 <= back) {
				back = hash - point - 1;
				before = i;
			}
		}
	}
	/* `back` is one less than the distance, so it may be equal. */
	return back < ahead ? before : next;
}

static bool
is_alive(void *arg, uint32_t server)
{
	const uint64_t *dead = arg;

	return !(*dead >> server & 1);
}

/* A walk finds what HAProxy finds once dead servers' points are taken out. */
START_TEST(dead_servers_are_passed_as_if_without_points)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_HAPROXY_CONSISTENT,
		.hash_avalanche = true,
	};
	struct placement_server servers[12];
	char names[12][8], key[32];
	struct placement *p;

	for (size_t i = 0; i < 12; i++) {
		snprintf(names[i], sizeof(names[i]), "s%zu:1", i);
		servers[i] = expect_server(names[i], names[i], 1,
		    1 + (double)(i % 3));
	}
	p = expect_built(&spec, servers, 12);
	for (uint64_t i = 0; i < 3000; i++) {
		int len = snprintf(key, sizeof(key), "key-%d", (int)i);
		struct span s = span_of(key, (size_t)len);
		uint32_t hash = haproxy_avalanche(haproxy_sdbm(s));
		uint64_t dead = i * UINT64_C(0x9e3779b97f4a7c15) >> 52;

		/* One is alive. */
		dead &= ~(UINT64_C(1) << i % 12);
		ck_assert_uint_eq(placement_owner(p, s),
		    nearest(servers, 12, hash, 0));
		ck_assert_uint_eq(
		    placement_owner_where(p, s, is_alive, &dead),
		    nearest(servers, 12, hash, dead));
	}
	placement_free(&p);
}
END_TEST

START_TEST(what_the_rule_does_not_take_is_refused)
{
	struct placement_spec spec = {.kind = PLACEMENT_HAPROXY_CONSISTENT};
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 257),
	};

	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "whole weights from 1 to 256; server \"b:1\" has weight 257");
	servers[1].weight = 1.5;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "has weight 1.5");
	servers[1].weight = 256;
	spec.max_points = 4111;
	expect_refused(&spec, servers, 2, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    "4112 points, max_points is 4111");
	spec.max_points = 0;
	spec.hash = HASH_MD5;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "its hashes are sdbm, djb2, wt6, crc32");
	spec.hash = HASH_DEFAULT;
	spec.points_per_weight = 16;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "points_per_weight");
}
END_TEST

/* Half-way between two points the one before wins. The key was searched. */
START_TEST(the_point_before_wins_half_way)
{
	static const char key[] = "352297690";
	struct placement_spec spec = {.kind = PLACEMENT_HAPROXY_CONSISTENT};
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 1),
		expect_server("c:1", "c", 1, 1),
	};
	struct placement *p = expect_built(&spec, servers, 3);
	uint32_t hash = haproxy_sdbm(span_str(key));
	uint32_t back = UINT32_MAX, ahead = UINT32_MAX;
	uint32_t before = PLACEMENT_NONE, after = PLACEMENT_NONE;

	for (uint32_t i = 0; i < 48; i++) {
		uint32_t server = i / 16;
		uint32_t point =
		    haproxy_avalanche((server + 1) * 4096 + i % 16);

		if (hash - point < back) {
			back = hash - point;
			before = server;
		}
		if (point - hash < ahead) {
			ahead = point - hash;
			after = server;
		}
	}
	ck_assert_uint_eq(back, ahead);
	ck_assert_uint_ne(before, after);
	ck_assert_uint_eq(placement_owner(p, span_str(key)), before);
	placement_free(&p);
}
END_TEST

/* At the end of every arc, and one further. */
START_TEST(arcs_end_half_way)
{
	struct placement_spec spec = {.kind = PLACEMENT_HAPROXY_CONSISTENT};
	struct placement_server servers[20];
	struct placement_arc arc, next;
	char names[20][8];
	struct placement *p;

	for (size_t i = 0; i < 20; i++) {
		snprintf(names[i], sizeof(names[i]), "s%zu:1", i);
		servers[i] = expect_server(names[i], names[i], 1, 1);
	}
	for (size_t n = 1; n <= 20; n++) {
		p = expect_built(&spec, servers, n);
		for (size_t i = 0; placement_arc_at(p, i, &arc); i++) {
			uint32_t end = (uint32_t)(arc.last >> 32);

			ck_assert_uint_eq(arc.owner,
			    nearest(servers, n, end, 0));
			if (placement_arc_at(p, i + 1, &next))
				ck_assert_uint_eq(next.owner,
				    nearest(servers, n, end + 1, 0));
		}
		placement_free(&p);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("haproxy");
	TCase *tc = tcase_create("haproxy");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, every_column_is_reproduced);
	tcase_add_test(tc, sdbm_is_the_default);
	tcase_add_test(tc, names_that_are_numbers_are_ids);
	tcase_add_test(tc, dead_servers_are_passed_as_if_without_points);
	tcase_add_test(tc, the_point_before_wins_half_way);
	tcase_add_test(tc, arcs_end_half_way);
	tcase_add_test(tc, what_the_rule_does_not_take_is_refused);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
