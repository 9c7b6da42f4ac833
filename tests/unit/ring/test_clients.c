/*
 * The placements of client libraries against what the libraries themselves
 * decided.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ring/rule.h"
#include "vectors.h"

/* All cases of a file whose option, if one is named, has the value. */
static size_t
expect_cases(struct vectors *v, const struct placement_spec *spec,
    const char *option, const char *value)
{
	size_t compared = 0;

	for (size_t i = 0; i < v->ncases; i++) {
		const struct vectors_case *c = &v->cases[i];

		if (option != NULL &&
		    strcmp(vectors_option(c, option), value) != 0)
			continue;
		compared += vectors_expect(v, c, spec);
	}
	return compared;
}

/* One placement, and the part of one file that it must reproduce. */
struct proof {
	const char		*file;
	const char		*option;	/* NULL: the whole file */
	const char		*value;
	enum placement_kind	 kind;
	uint32_t		 points_per_weight;
	bool			 has_weights;
	size_t			 answers;
};

static const struct proof proofs[] = {
	{"dalli.tsv", NULL, NULL, PLACEMENT_DALLI, 0, true, 4203},
	{"pymemcache.tsv", "keys", "str", PLACEMENT_PYMEMCACHE, 0, false,
	    3708},
	{"pymemcache.tsv", "keys", "bytes", PLACEMENT_PYMEMCACHE_BYTES, 0,
	    false, 4203},
	{"python-memcached.tsv", NULL, NULL, PLACEMENT_PYTHON_MEMCACHED, 0,
	    true, 4203},
	{"cache-memcached-fast.tsv", "ketama_points", "0",
	    PLACEMENT_CACHE_MEMCACHED_FAST, 0, true, 4203},
	{"cache-memcached-fast.tsv", "ketama_points", "40",
	    PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA, 40, true, 4203},
	{"cache-memcached-fast.tsv", "ketama_points", "150",
	    PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA, 150, true, 4203},
	{"spymemcached.tsv", "locator", "ketama",
	    PLACEMENT_SPYMEMCACHED_KETAMA, 0, false, 3708},
	{"spymemcached.tsv", "locator", "ketama_weighted",
	    PLACEMENT_SPYMEMCACHED_KETAMA_WEIGHTED, 0, true, 3708},
	{"spymemcached.tsv", "locator", "array_mod",
	    PLACEMENT_SPYMEMCACHED_MODULA, 0, false, 3708},
	{"zig-hashring.tsv", "vnodes", "200", PLACEMENT_ZIG_HASHRING, 0, true,
	    2802},
	{"zig-hashring.tsv", "vnodes", "1", PLACEMENT_ZIG_HASHRING, 1, true,
	    467},
	{"zig-hashring.tsv", "vnodes", "50", PLACEMENT_ZIG_HASHRING, 50, true,
	    467},
};

#define NPROOFS ((int)(sizeof(proofs) / sizeof(proofs[0])))

START_TEST(libraries_are_reproduced)
{
	const struct proof *proof = &proofs[_i];
	struct vectors *v = vectors_read(proof->file);
	struct placement_spec spec = {
		.kind = proof->kind,
		.points_per_weight = proof->points_per_weight,
	};

	if (!proof->has_weights)
		expect_forget_weights(v);
	ck_assert_uint_eq(expect_cases(v, &spec, proof->option, proof->value),
	    proof->answers);
	vectors_free(&v);
}
END_TEST

static struct placement_spec
spec_of_node(const struct vectors_case *c)
{
	struct placement_spec spec = {.kind = PLACEMENT_NODE_HASHRING};

	if (strcmp(vectors_option(c, "default_port"), "11211") == 0)
		spec.kind = PLACEMENT_NODE_MEMCACHED;
	if (strcmp(vectors_option(c, "replicas"), "3") == 0)
		spec.kind = PLACEMENT_NODE_HASHRING_COMPAT;
	return spec;
}

START_TEST(packages_of_node_are_reproduced)
{
	struct vectors *v = vectors_read("npm-hashring.tsv");

	ck_assert_uint_eq(v->ncases, 30);
	ck_assert_uint_eq(expect_all_cases(v, spec_of_node), 12360);
	vectors_free(&v);
}
END_TEST

/* 39 digests, not 40, by the doubles of JavaScript. */
START_TEST(seven_equal_servers_of_node_have_156_points)
{
	struct placement_spec spec = {.kind = PLACEMENT_NODE_HASHRING};
	struct placement_server servers[8];
	struct placement *p;
	char names[8][16];

	for (size_t i = 0; i < 8; i++) {
		snprintf(names[i], sizeof(names[i]), "10.0.0.%zu:11211", i);
		servers[i] = expect_server(names[i], "10.0.0.1", 11211, 1);
	}
	p = expect_built(&spec, servers, 7);
	ck_assert_uint_eq(placement_server_points(p, 3), 156);
	placement_free(&p);
	p = expect_built(&spec, servers, 8);
	ck_assert_uint_eq(placement_server_points(p, 3), 160);
	placement_free(&p);
}
END_TEST

START_TEST(light_servers_may_have_no_key_at_all)
{
	static const enum placement_kind kinds[] = {PLACEMENT_DALLI,
	    PLACEMENT_NODE_HASHRING, PLACEMENT_SPYMEMCACHED_KETAMA_WEIGHTED};
	struct placement_server servers[] = {
		expect_server("10.0.0.1:11211", "10.0.0.1", 11211, 1),
		expect_server("10.0.0.2:11211", "10.0.0.2", 11211, 100000),
	};
	struct placement_spec spec = {.kind = kinds[_i]};
	struct placement *p = expect_built(&spec, servers, 2);
	uint32_t owners[2];

	ck_assert_uint_eq(placement_server_points(p, 0), 0);
	ck_assert_uint_gt(placement_server_points(p, 1), 300);
	/* It is still somebody to turn to. */
	ck_assert_uint_eq(placement_owners(p, span_str("a"), 2, owners), 2);
	ck_assert_uint_eq(owners[0], 1);
	ck_assert_uint_eq(owners[1], 0);
	placement_free(&p);
}
END_TEST

/* What resolving would give is part of the identity there. */
START_TEST(spymemcached_wants_resolved_names)
{
	struct placement_spec spec = {.kind = PLACEMENT_SPYMEMCACHED_KETAMA};
	struct placement_server servers[] = {
		expect_server("cache-1:11211", "cache-1", 11211, 1),
		expect_server("localhost:11211", "localhost", 11211, 1),
		expect_server("unix:/tmp/a.sock", "/tmp/a.sock", 0, 1),
		expect_server("[::1]:11211", "::1", 11211, 1),
	};
	struct placement *named, *addressed;

	expect_refused(&spec, &servers[0], 1, PLACEMENT_UNSUPPORTED,
	    "\"cache-1/10.0.0.1:11211\"");
	expect_refused(&spec, &servers[3], 1, PLACEMENT_UNSUPPORTED, "named");
	servers[0].name = span_str("cache-1/10.0.0.1:11211");
	named = expect_built(&spec, servers, 2);
	servers[1] = expect_server("localhost/127.0.0.1:11211", "10.0.0.1", 1,
	    1);
	addressed = expect_built(&spec, servers, 2);
	ck_assert(expect_same_owners(named, addressed));
	placement_free(&named);
	placement_free(&addressed);
}
END_TEST

/* A name that is given keeps a server's keys wherever it moves to. */
START_TEST(names_stand_for_addresses)
{
	static const enum placement_kind kinds[] = {PLACEMENT_DALLI,
	    PLACEMENT_PYMEMCACHE, PLACEMENT_NODE_MEMCACHED,
	    PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA, PLACEMENT_ENVOY_RING,
	    PLACEMENT_SPYMEMCACHED_KETAMA};
	struct placement_spec spec = {.kind = kinds[_i]};
	struct placement_server here[] = {
		expect_server("10.0.0.1:11211", "10.0.0.1", 11211, 1),
		expect_server("10.0.0.2:11211", "10.0.0.2", 11211, 1),
		expect_server("10.0.0.3:11300", "10.0.0.3", 11300, 1),
	};
	struct placement_server moved[] = {
		expect_server("10.0.0.1:11211", "10.9.9.1", 11211, 1),
		expect_server("10.0.0.2:11211", "10.9.9.2", 22122, 1),
		expect_server("10.0.0.3:11300", "/run/a.sock", 0, 1),
	};
	struct placement *a, *b;

	if (spec.kind == PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA)
		spec.points_per_weight = 150;
	a = expect_built(&spec, here, 3);
	b = expect_built(&spec, moved, 3);
	ck_assert(expect_same_owners(a, b));
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(perl_takes_fractions_of_weight_on_its_ring_only)
{
	struct placement_spec ring = {
		.kind = PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA,
		.points_per_weight = 150,
	};
	struct placement_spec slots = {.kind = PLACEMENT_CACHE_MEMCACHED_FAST};
	struct placement_spec none = {
		.kind = PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA,
	};
	struct placement_server servers[] = {
		expect_server("10.0.0.1:11211", "10.0.0.1", 11211, 2.5),
		expect_server("10.0.0.2:11211", "10.0.0.2", 11211, 0.33),
	};
	struct placement *p = expect_built(&ring, servers, 2);

	ck_assert_uint_eq(placement_server_points(p, 0), 375);
	ck_assert_uint_eq(placement_server_points(p, 1), 50);
	placement_free(&p);
	expect_refused(&slots, servers, 2, PLACEMENT_UNSUPPORTED,
	    "takes whole weights from 1");
	expect_refused(&none, servers, 2, PLACEMENT_UNSUPPORTED,
	    "points_per_weight must be given");
	servers[0].weight = 1e9;
	expect_refused(&ring, servers, 2, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    "points");
	servers[0].weight = 0;
	expect_refused(&ring, servers, 2, PLACEMENT_UNSUPPORTED,
	    "weights above 0");
}
END_TEST

/*
 * Python's literals of bytes, one rule a key: quotes, escapes, hex. Expected
 * owners were computed with CPython's repr().
 */
START_TEST(pymemcache_spells_bytes_as_python_does)
{
	static const struct {
		const char	*key;
		uint32_t	 owner;
	} cases[] = {
		{"plain", 42},
		{"it's", 8},
		{"say \"a\"", 32},
		{"both ' and \"", 11},
		{"tab\011here", 30},
		{"back\\slash", 47},
		{"\012\015", 10},
		{"\001\037\177", 27},
		{"\200\377\303\251", 43},
		{"''''", 31},
		{"~", 48},
	};
	struct placement_spec spec = {.kind = PLACEMENT_PYMEMCACHE_BYTES};
	struct placement_server servers[50];
	char names[50][24], hosts[50][16];
	struct placement *p;

	for (size_t i = 0; i < 50; i++) {
		snprintf(hosts[i], sizeof(hosts[i]), "10.1.0.%zu", i);
		snprintf(names[i], sizeof(names[i]), "%s:11211", hosts[i]);
		servers[i] = expect_server(names[i], hosts[i], 11211, 1);
	}
	p = expect_built(&spec, servers, 50);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(placement_owner(p, span_str(cases[i].key)) ==
		    cases[i].owner, "case %zu: %u, not %u", i,
		    placement_owner(p, span_str(cases[i].key)),
		    cases[i].owner);
	placement_free(&p);
}
END_TEST

/* Fifteen bits of nothing: Python counts them as 1, Perl does not. */
START_TEST(a_hash_of_nought_is_one_for_python_only)
{
	static const char *const keys[] = {"key-35014", "key-68930"};
	struct placement_spec python = {.kind = PLACEMENT_PYTHON_MEMCACHED};
	struct placement_spec perl = {.kind = PLACEMENT_CACHE_MEMCACHED_FAST};
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 1),
		expect_server("c:1", "c", 1, 1),
	};
	struct placement *p = expect_built(&python, servers, 3);
	struct placement *q = expect_built(&perl, servers, 3);

	ck_assert_uint_eq(placement_owner(p, span_str(keys[_i])), 1);
	ck_assert_uint_eq(placement_owner(q, span_str(keys[_i])), 0);
	placement_free(&p);
	placement_free(&q);
}
END_TEST

/* Their paths alone; expected owners were computed in Python. */
START_TEST(unix_sockets_are_hashed_by_their_path)
{
	static const uint32_t owners[] = {0, 4, 5, 2, 1};
	struct placement_spec spec = {.kind = PLACEMENT_PYMEMCACHE};
	struct placement_server servers[6];
	char names[6][24], key[16];
	struct placement *p;

	for (int i = 0; i < 6; i++) {
		snprintf(names[i], sizeof(names[i]), "unix:/run/%c.sock",
		    'a' + i);
		servers[i] = expect_server(names[i], names[i] + 5, 0, 1);
	}
	p = expect_built(&spec, servers, 6);
	for (int i = 0; i < 5; i++) {
		snprintf(key, sizeof(key), "key-%d", i);
		ck_assert_uint_eq(placement_owner(p, span_str(key)),
		    owners[i]);
	}
	placement_free(&p);
}
END_TEST

/* Of equal scores the greater name wins; these three were searched for. */
START_TEST(pymemcache_settles_ties_by_name)
{
	static const struct {
		const char	*greater;
		const char	*smaller;
		const char	*key;
	} cases[] = {
		{"h737", "h2368", "key-4620"},
		{"h642", "h1977", "key-5237"},
		{"h662", "h2838", "key-5260"},
	};
	struct placement_spec spec = {.kind = PLACEMENT_PYMEMCACHE};
	struct placement_server servers[3];
	char names[2][16];

	snprintf(names[0], sizeof(names[0]), "%s:11211", cases[_i].greater);
	snprintf(names[1], sizeof(names[1]), "%s:11211", cases[_i].smaller);
	servers[0] = expect_server(names[0], cases[_i].greater, 11211, 1);
	servers[1] = expect_server(names[1], cases[_i].smaller, 11211, 1);
	servers[2] = servers[0];
	for (uint32_t first = 0; first < 2; first++) {
		struct placement *p = expect_built(&spec, servers + first, 2);

		ck_assert_uint_eq(placement_owner(p, span_str(cases[_i].key)),
		    first);
		placement_free(&p);
	}
}
END_TEST

/* Arcs of no length: points that lie on another one. */
static size_t
count_doubled(const struct placement *p, size_t *arcs_r)
{
	struct placement_arc arc, last = {0, 0};
	size_t doubled = 0;

	for (*arcs_r = 0; placement_arc_at(p, *arcs_r, &arc); ++*arcs_r) {
		doubled += *arcs_r > 0 && arc.last == last.last;
		last = arc;
	}
	return doubled;
}

/* With 160,000 points a few are equal. Java's map keeps one of each. */
START_TEST(equal_points_are_kept_or_replaced_as_the_client_does)
{
	static struct placement_server servers[1000];
	static char names[1000][24];
	struct placement_spec node = {.kind = PLACEMENT_NODE_HASHRING};
	struct placement_spec java = {.kind = PLACEMENT_SPYMEMCACHED_KETAMA};
	struct placement *kept, *replaced;
	size_t doubled, arcs, arcs_left;

	for (int i = 0; i < 1000; i++) {
		snprintf(names[i], sizeof(names[i]), "10.%d.%d.1:11211",
		    i / 200, i % 200);
		servers[i] = expect_server(names[i], "10.0.0.1", 1, 1);
	}
	kept = expect_built(&node, servers, 1000);
	replaced = expect_built(&java, servers, 1000);
	doubled = count_doubled(kept, &arcs);
	ck_assert_uint_gt(doubled, 0);
	ck_assert_uint_eq(arcs, 160001);
	ck_assert_uint_eq(count_doubled(replaced, &arcs_left), 0);
	ck_assert_uint_eq(arcs_left + doubled, arcs);
	placement_free(&kept);
	placement_free(&replaced);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("client libraries");
	TCase *tc = tcase_create("client libraries");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, libraries_are_reproduced, 0, NPROOFS);
	tcase_add_test(tc, packages_of_node_are_reproduced);
	tcase_add_test(tc, seven_equal_servers_of_node_have_156_points);
	tcase_add_loop_test(tc, light_servers_may_have_no_key_at_all, 0, 3);
	tcase_add_test(tc, spymemcached_wants_resolved_names);
	tcase_add_loop_test(tc, names_stand_for_addresses, 0, 6);
	tcase_add_test(tc, perl_takes_fractions_of_weight_on_its_ring_only);
	tcase_add_test(tc, pymemcache_spells_bytes_as_python_does);
	tcase_add_loop_test(tc, a_hash_of_nought_is_one_for_python_only, 0,
	    2);
	tcase_add_test(tc, unix_sockets_are_hashed_by_their_path);
	tcase_add_loop_test(tc, pymemcache_settles_ties_by_name, 0, 3);
	tcase_add_test(tc,
	    equal_points_are_kept_or_replaced_as_the_client_does);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
