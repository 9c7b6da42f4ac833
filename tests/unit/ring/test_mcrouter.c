/* mcrouter's rules against what its own source decides. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ring/mcrouter_hash.h"
#include "ring/rule.h"
#include "ring/rule_check.h"
#include "vectors.h"

#define SERVERS_MAX 256

static const struct {
	const char		*func;
	enum placement_kind	 kind;
} funcs[] = {
	{"Ch3", PLACEMENT_MCROUTER_CH3},
	{"Crc32", PLACEMENT_MCROUTER_CRC32},
	{"WeightedCh3", PLACEMENT_MCROUTER_WEIGHTED_CH3},
	{"Rendezvous", PLACEMENT_MCROUTER_RENDEZVOUS},
	{"WeightedRendezvous", PLACEMENT_MCROUTER_WEIGHTED_RENDEZVOUS},
};

static struct placement_spec
spec_of(const struct vectors_case *c)
{
	const char *func = vectors_option(c, "func");
	const char *salt = vectors_option(c, "salt");
	struct placement_spec spec = {.kind = PLACEMENT_RING};

	for (size_t i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++)
		if (strcmp(funcs[i].func, func) == 0)
			spec.kind = funcs[i].kind;
	ck_assert_int_ne(spec.kind, PLACEMENT_RING);
	if (salt != NULL)
		snprintf(spec.hash_seed, sizeof(spec.hash_seed), "%s", salt);
	return spec;
}

static const struct placement_rule *
rule_of(enum placement_kind kind)
{
	if (kind == PLACEMENT_MCROUTER_RENDEZVOUS ||
	    kind == PLACEMENT_MCROUTER_WEIGHTED_RENDEZVOUS)
		return &placement_mcrouter_rendezvous_rule;
	return &placement_mcrouter_hash_rule;
}

/*
 * The keys of these files are routing keys already, so they go to the rule as
 * they are, and not through placement_owner(), which would cut them again.
 */
static size_t
expect_case(const struct vectors *v, const struct vectors_case *c)
{
	struct placement_spec spec = spec_of(c);
	const struct placement_rule *rule = rule_of(spec.kind);
	struct placement_server servers[SERVERS_MAX];
	size_t n = vectors_servers(v, c->membership, servers, SERVERS_MAX);
	enum placement_error error = PLACEMENT_OK;
	struct err err = {""};
	void *state;

	/* The weights of these are for the other columns. */
	for (size_t i = 0; i < n; i++)
		if (spec.kind == PLACEMENT_MCROUTER_RENDEZVOUS)
			servers[i].weight = 1;
	state = rule->build(&(struct rule_build){
	    &spec, servers, n, &error, &err});
	ck_assert_msg(state != NULL, "case %s: %s", c->name, err.text);
	for (size_t i = 0; i < v->nrows; i++) {
		const char *answer = vectors_answer(c, &v->rows[i]);
		uint32_t owner = rule->owner(state, v->rows[i].key);

		ck_assert_msg(owner == strtoul(answer, NULL, 10),
		    "case %s, line %zu: owner %u, not %s", c->name,
		    v->rows[i].line, owner, answer);
	}
	rule->free(state);
	return v->nrows;
}

static const struct {
	const char	*file;
	size_t		 answers;
} files[] = {
	{"mcrouter-ch3.tsv", 14477},
	{"mcrouter-weighted-ch3.tsv", 2335},
	{"mcrouter-rendezvous.tsv", 8406},
};

START_TEST(every_column_is_reproduced)
{
	struct vectors *v = vectors_read(files[_i].file);
	size_t compared = 0;

	for (size_t i = 0; i < v->ncases; i++)
		compared += expect_case(v, &v->cases[i]);
	ck_assert_uint_eq(compared, files[_i].answers);
	vectors_free(&v);
}
END_TEST

START_TEST(furc_hash_gives_its_published_values)
{
	ck_assert_uint_eq(mcrouter_furc(span_str("sample"), 100), 97);
	ck_assert_uint_eq(mcrouter_furc(span_str(""), 100), 72);
	ck_assert_uint_eq(mcrouter_furc(span_str("sample"), 1U << 23),
	    5167780);
	ck_assert_uint_eq(mcrouter_furc(span_str("sample"), 1), 0);
	ck_assert_uint_eq(mcrouter_furc(span_str("sample"), 0), 0);
}
END_TEST

/* A newcomer takes its share; nobody else gets a key. */
START_TEST(furc_hash_moves_keys_to_the_newcomer_only)
{
	char key[32];

	for (uint32_t m = 1; m < 200; m++) {
		for (int i = 0; i < 200; i++) {
			int len = snprintf(key, sizeof(key), "key-%d", i);
			struct span s = span_of(key, (size_t)len);
			uint32_t before = mcrouter_furc(s, m);
			uint32_t after = mcrouter_furc(s, m + 1);

			ck_assert(after == before || after == m);
		}
	}
}
END_TEST

START_TEST(routing_prefix_and_stop_are_cut)
{
	static const struct {
		const char	*key;
		const char	*routing_key;
	} cases[] = {
		{"foo", "foo"},
		{"/r/c/foo|#|x", "foo"},
		{"/*/*/k", "k"},
		{"/a/b/", ""},
		{"/a/key", "/a/key"},
		{"/", "/"},
		{"///", ""},
		{"///x", "x"},
		{"/a/b/c/d", "c/d"},
		{"a/b/c/d", "a/b/c/d"},
		{"foo|#|", "foo"},
		{"foo|#|a|#|b", "foo"},
		{"|#|x", ""},
		{"foo|#", "foo|#"},
		{"/a/b|#|/c", "c"},
		{"", ""},
	};
	struct placement_spec spec = {.kind = PLACEMENT_MCROUTER_CH3};
	struct placement_server server =
	    expect_server("a:1", "a", 1, 1);
	struct placement *p = expect_built(&spec, &server, 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span part = placement_key_part(p,
		    span_str(cases[i].key));

		ck_assert_msg(span_eq(part, span_str(cases[i].routing_key)),
		    "\"%s\" gives \"%.*s\"", cases[i].key, (int)part.len,
		    part.p);
	}
	placement_free(&p);
}
END_TEST

/* Salted or not, cut or not: the same through the front door. */
START_TEST(a_placement_hashes_the_routing_key)
{
	struct placement_spec spec = {.kind = PLACEMENT_MCROUTER_CH3};
	struct placement_server servers[100];
	char names[100][8];
	struct placement *p;

	for (size_t i = 0; i < 100; i++) {
		snprintf(names[i], sizeof(names[i]), "s%zu", i);
		servers[i] = expect_server(names[i], names[i], 11211, 1);
	}
	p = expect_built(&spec, servers, 100);
	ck_assert_uint_eq(placement_owner(p, span_str("sample")), 97);
	ck_assert_uint_eq(placement_owner(p, span_str("/a/b/sample|#|c")), 97);
	ck_assert_uint_eq(placement_owner(p, span_str("/a/b/")), 72);
	placement_free(&p);
}
END_TEST

START_TEST(what_the_rules_do_not_take_is_refused)
{
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 0.5),
		expect_server("b:1", "b", 1, 1.5),
	};
	struct placement_spec spec = {.kind = PLACEMENT_MCROUTER_CH3};

	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "knows no weights");
	spec.kind = PLACEMENT_MCROUTER_WEIGHTED_CH3;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "from 0 to 1; server 2 has 1.5");
	servers[0].weight = servers[1].weight = 1;
	spec.hash = HASH_MD5;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "\"md5\"");
	spec.hash = HASH_DEFAULT;
	spec.hash_tag[0] = '{';
	spec.hash_tag[1] = '}';
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "hash_tag");
	spec.hash_tag[0] = spec.hash_tag[1] = '\0';
	spec.points_per_weight = 128;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "points_per_weight");
	spec.points_per_weight = 0;
	spec.kind = PLACEMENT_MCROUTER_RENDEZVOUS;
	snprintf(spec.hash_seed, sizeof(spec.hash_seed), "salt");
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "no salt");
	spec.hash_seed[0] = '\0';
	spec.kind = PLACEMENT_MCROUTER_WEIGHTED_RENDEZVOUS;
	servers[1].weight = -1;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "of 0 or more; server 2 has -1");
	servers[1].weight = 1.0 / 0.0;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "server 2");
}
END_TEST

/* A weight that falls moves keys away from that server, and no others. */
START_TEST(a_lower_weight_moves_that_servers_keys_only)
{
	struct placement_spec spec = {.kind = PLACEMENT_MCROUTER_WEIGHTED_CH3};
	struct placement_server servers[10];
	char names[10][8], key[32];
	struct placement *before, *after;
	size_t moved = 0;

	for (size_t i = 0; i < 10; i++) {
		snprintf(names[i], sizeof(names[i]), "s%zu", i);
		servers[i] = expect_server(names[i], names[i], 11211, 1);
	}
	before = expect_built(&spec, servers, 10);
	servers[4].weight = 0.5;
	after = expect_built(&spec, servers, 10);
	for (int i = 0; i < 10000; i++) {
		int len = snprintf(key, sizeof(key), "key-%d", i);
		struct span s = span_of(key, (size_t)len);

		if (placement_owner(before, s) == placement_owner(after, s))
			continue;
		ck_assert_uint_eq(placement_owner(before, s), 4);
		moved++;
	}
	/* Half of a tenth; of those that try again, a twentieth stays. */
	ck_assert_uint_gt(moved, 400);
	ck_assert_uint_lt(moved, 560);
	placement_free(&before);
	placement_free(&after);
}
END_TEST

/* Nobody sends such keys, but a tool may ask. */
START_TEST(keys_beyond_all_limits_have_an_owner)
{
	static char key[5000];
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 1),
	};

	memset(key, 'x', sizeof(key));
	for (size_t i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++) {
		struct placement_spec spec = {.kind = funcs[i].kind};
		struct placement *p = expect_built(&spec, servers, 2);

		ck_assert_uint_lt(placement_owner(p,
		    span_of(key, sizeof(key))), 2);
		ck_assert_uint_lt(placement_owner(p, span_of(NULL, 0)), 2);
		placement_free(&p);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("mcrouter");
	TCase *tc = tcase_create("mcrouter");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, every_column_is_reproduced, 0, 3);
	tcase_add_test(tc, furc_hash_gives_its_published_values);
	tcase_add_test(tc, furc_hash_moves_keys_to_the_newcomer_only);
	tcase_add_test(tc, routing_prefix_and_stop_are_cut);
	tcase_add_test(tc, a_placement_hashes_the_routing_key);
	tcase_add_test(tc, what_the_rules_do_not_take_is_refused);
	tcase_add_test(tc, a_lower_weight_moves_that_servers_keys_only);
	tcase_add_test(tc, keys_beyond_all_limits_have_an_owner);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
