/* Rendezvous, weighted and bounded, against what poise-core decided. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "expect.h"
#include "members.h"
#include "ring/rendezvous.h"
#include "ring/rendezvous_bounded.h"
#include "vectors.h"

#define SERVERS_MAX 256

/* All cases under one policy, weights forgotten where it has none. */
static size_t
expect_policy(const char *policy, enum placement_kind kind, bool has_weights)
{
	struct vectors *v = vectors_read("poise.tsv");
	struct placement_spec spec = {.kind = kind};
	size_t compared = 0;

	if (!has_weights)
		expect_forget_weights(v);
	for (size_t i = 0; i < v->ncases; i++)
		if (strcmp(vectors_option(&v->cases[i], "policy"), policy) ==
		    0)
			compared += vectors_expect(v, &v->cases[i], &spec);
	vectors_free(&v);
	return compared;
}

START_TEST(poise_rendezvous_is_reproduced)
{
	ck_assert_uint_eq(expect_policy("rendezvous", PLACEMENT_RENDEZVOUS,
	    false), 8 * 412);
}
END_TEST

START_TEST(poise_weighted_rendezvous_is_reproduced)
{
	ck_assert_uint_eq(expect_policy("weighted_rendezvous",
	    PLACEMENT_WEIGHTED_RENDEZVOUS, true), 8 * 412);
}
END_TEST

/* Loads pile up in the order of the rows, and are given back at the end. */
static size_t
expect_bounded(const struct vectors *v, const struct vectors_case *c)
{
	struct placement_server servers[SERVERS_MAX];
	size_t n = vectors_servers(v, c->membership, servers, SERVERS_MAX);
	struct placement_spec spec = {.kind = PLACEMENT_WEIGHTED_RENDEZVOUS};
	enum placement_error error = PLACEMENT_OK;
	struct err err = {""};
	struct rule_build build = {&spec, servers, n, &error, &err};
	struct rendezvous_bounded *bounded = rendezvous_bounded_new(&build,
	    (uint32_t)vectors_number(c, "factor_percent", 0));
	size_t compared = 0;

	ck_assert_msg(bounded != NULL, "case %s: %s", c->name, err.text);
	for (size_t i = 0; i < v->nrows; i++) {
		const char *answer = vectors_answer(c, &v->rows[i]);
		uint32_t server;

		if (strcmp(answer, "-") == 0)
			continue;
		server = rendezvous_bounded_acquire(bounded, v->rows[i].key);
		ck_assert_msg(server == strtoul(answer, NULL, 10),
		    "case %s, line %zu: %u, not %s", c->name, v->rows[i].line,
		    server, answer);
		compared++;
	}
	for (uint32_t i = 0; i < n; i++)
		while (rendezvous_bounded_load(bounded, i) > 0)
			rendezvous_bounded_release(bounded, i);
	rendezvous_bounded_free(&bounded);
	ck_assert_ptr_null(bounded);
	return compared;
}

START_TEST(poise_bounded_load_is_reproduced)
{
	struct vectors *v = vectors_read("poise.tsv");
	size_t cases = 0, compared = 0;

	for (size_t i = 0; i < v->ncases; i++) {
		const char *policy = vectors_option(&v->cases[i], "policy");

		if (strcmp(policy, "bounded_load") != 0)
			continue;
		compared += expect_bounded(v, &v->cases[i]);
		cases++;
	}
	ck_assert_uint_eq(cases, 24);
	ck_assert_uint_eq(compared, cases * 412);
	vectors_free(&v);
}
END_TEST

/* Loads rise and fall at random; no pick ever passes the bound. */
START_TEST(no_pick_passes_the_bound)
{
	static struct members m;
	struct placement_spec spec = {.kind = PLACEMENT_WEIGHTED_RENDEZVOUS};
	enum placement_error error = PLACEMENT_OK;
	struct err err = {""};
	struct rule_build build = {&spec, m.servers, 7, &error, &err};
	struct rendezvous_bounded *bounded;
	uint64_t random = 1;
	char buf[32];

	members_fill(&m, "s", 7);
	for (size_t i = 0; i < 7; i++)
		m.servers[i].weight = (double)(1 + i * i);
	bounded = rendezvous_bounded_new(&build, 100 + 25 * (uint32_t)_i);
	ck_assert_ptr_nonnull(bounded);
	for (uint64_t i = 0; i < 100000; i++) {
		uint64_t bounds[7];
		uint32_t server;

		for (uint32_t s = 0; s < 7; s++)
			bounds[s] = rendezvous_bounded_bound(bounded, s);
		server = rendezvous_bounded_acquire(bounded,
		    members_key(i % 1000, buf));
		/* No ck_assert here: each one is a system call. */
		if (rendezvous_bounded_load(bounded, server) > bounds[server])
			ck_abort_msg("pick %d: server %u above its bound",
			    (int)i, server);
		random = random * 6364136223846793005U + 1442695040888963407U;
		server = (uint32_t)(random >> 33) % 7;
		if (random >> 63 && rendezvous_bounded_load(bounded, server))
			rendezvous_bounded_release(bounded, server);
	}
	/* Without load, each may carry one: its share of one, rounded up. */
	for (uint32_t s = 0; s < 7; s++)
		while (rendezvous_bounded_load(bounded, s) > 0)
			rendezvous_bounded_release(bounded, s);
	for (uint32_t s = 0; s < 7; s++)
		ck_assert_uint_eq(rendezvous_bounded_bound(bounded, s), 1);
	rendezvous_bounded_free(&bounded);
}
END_TEST

START_TEST(bounds_out_of_reason_are_refused)
{
	struct placement_server server = expect_server("a:1", "a", 1, 1);
	struct placement_spec spec = {.kind = PLACEMENT_WEIGHTED_RENDEZVOUS};
	enum placement_error error = PLACEMENT_OK;
	struct err err = {""};
	struct rule_build build = {&spec, &server, 1, &error, &err};

	ck_assert_ptr_null(rendezvous_bounded_new(&build, 99));
	ck_assert_int_eq(error, PLACEMENT_UNSUPPORTED);
	ck_assert_ptr_null(rendezvous_bounded_new(&build, 1000001));
	ck_assert_int_eq(error, PLACEMENT_UNSUPPORTED);
	server.weight = 0.5;
	error = PLACEMENT_OK;
	ck_assert_ptr_null(rendezvous_bounded_new(&build, 125));
	ck_assert_int_eq(error, PLACEMENT_UNSUPPORTED);
	server.weight = 1;
	mem_fail_after(0);
	ck_assert_ptr_null(rendezvous_bounded_new(&build, 125));
	mem_fail_after(-1);
	ck_assert_int_eq(error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
}
END_TEST

/* The order of a walk, by scoring every server and picking the best left. */
static void
expect_order(const struct members *m, struct span key,
    const uint32_t *owners)
{
	static bool taken[MEMBERS_MAX];
	uint64_t state = rendezvous_key_state(key);

	memset(taken, 0, sizeof(taken));
	for (size_t rank = 0; rank < m->n; rank++) {
		struct rendezvous_rank best = {0, 0};
		size_t winner = m->n;

		for (size_t i = 0; i < m->n; i++) {
			struct rendezvous_rank r = rendezvous_weighted_rank(
			    rendezvous_hash(state, m->servers[i].name),
			    m->servers[i].weight);

			if (taken[i] || (winner < m->n &&
			    (r.score < best.score || (r.score == best.score &&
			    r.tie <= best.tie))))
				continue;
			best = r;
			winner = i;
		}
		ck_assert_uint_eq(owners[rank], winner);
		taken[winner] = true;
	}
}

START_TEST(walks_are_in_the_order_of_scores)
{
	static const size_t sizes[] = {1, 2, 15, 16, 17, 32, 33, 100};
	static struct members m;
	struct placement_spec spec = {.kind = PLACEMENT_WEIGHTED_RENDEZVOUS};
	uint32_t owners[100];
	struct placement *p;
	char buf[32];

	members_fill(&m, "s", sizes[_i]);
	for (size_t i = 0; i < m.n; i++)
		m.servers[i].weight = 0.25 * (double)(1 + i % 9);
	p = members_build(&m, &spec);
	for (uint64_t i = 0; i < 50; i++) {
		struct span key = members_key(i, buf);

		ck_assert_uint_eq(placement_owners(p, key, m.n, owners), m.n);
		ck_assert_uint_eq(owners[0], placement_owner(p, key));
		expect_order(&m, key, owners);
	}
	placement_free(&p);
}
END_TEST

/* The first R of N servers are the top R: the others do not matter. */
START_TEST(a_server_that_leaves_is_replaced_by_the_next_in_order)
{
	static struct members m, fewer;
	struct placement_spec spec = {.kind = PLACEMENT_RENDEZVOUS};
	struct placement *p, *q;
	uint32_t owners[2];
	char buf[32];

	members_fill(&m, "s", 20);
	members_fill(&fewer, "s", 20);
	members_remove(&fewer, 7);
	p = members_build(&m, &spec);
	q = members_build(&fewer, &spec);
	for (uint64_t i = 0; i < 5000; i++) {
		struct span key = members_key(i, buf);
		uint32_t now = placement_owner(q, key);

		ck_assert_uint_eq(placement_owners(p, key, 2, owners), 2);
		now += now >= 7;
		ck_assert_uint_eq(now, owners[0] == 7 ? owners[1] : owners[0]);
	}
	placement_free(&p);
	placement_free(&q);
}
END_TEST

/* Shares follow weights, fractions included. */
START_TEST(shares_follow_weights)
{
	static struct members m;
	static const double weights[] = {0.5, 1, 2.5, 4};
	struct placement_spec spec = {.kind = PLACEMENT_WEIGHTED_RENDEZVOUS};
	size_t counts[4] = {0};
	struct placement *p;
	char buf[32];

	members_fill(&m, "s", 4);
	for (size_t i = 0; i < 4; i++)
		m.servers[i].weight = weights[i];
	p = members_build(&m, &spec);
	for (uint64_t i = 0; i < 80000; i++)
		counts[placement_owner(p, members_key(i, buf))]++;
	for (size_t i = 0; i < 4; i++) {
		/* Five deviations of at most 142. */
		ck_assert_double_gt((double)counts[i],
		    weights[i] * 10000 - 710);
		ck_assert_double_lt((double)counts[i],
		    weights[i] * 10000 + 710);
	}
	placement_free(&p);
}
END_TEST

/* To the last bit: doubles that another program computed from the rule. */
START_TEST(losses_are_exact)
{
	static const struct {
		uint64_t	hash;
		double		weight;
		double		loss;
	} cases[] = {
		{UINT64_C(0), 1, 0x1.25e4f7b2737fap+5},
		{UINT64_C(0x7ff), 3, 0x1.87dbf4edef54dp+3},
		{UINT64_C(0x123456789abcdef0), 1, 0x1.525e973a0564ep+1},
		{UINT64_C(0x123456789abcdef0), 3, 0x1.c328c9a2b1dbdp-1},
		{UINT64_C(0x7fffffffffffffff), 1, 0x1.62e42fefa39efp-1},
		{UINT64_C(0xfedcba9876543210), 1, 0x1.23eb991357780p-8},
		{UINT64_C(0xfedcba9876543210), 3, 0x1.853a216f1f4abp-10},
		{UINT64_C(0xffffffffffffe000), 1, 0x1.9400000000000p-47},
		{UINT64_C(0xffffffffffffe000), 3, 0x1.0d55555555555p-48},
		{UINT64_C(0xffffffffffffffff), 3, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(rendezvous_weighted_rank(cases[i].hash,
		    cases[i].weight).score,
		    ~rendezvous_score(cases[i].loss));
}
END_TEST

/* The extremes of the hash are no exception to the arithmetic. */
START_TEST(every_hash_has_a_score)
{
	static const uint64_t hashes[] = {0, 1, 2047, 2048, UINT64_MAX / 2,
	    UINT64_MAX - 2048, UINT64_MAX - 2047, UINT64_MAX};
	struct rendezvous_rank last = {0, 0};

	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++) {
		struct rendezvous_rank rank =
		    rendezvous_weighted_rank(hashes[i], 3);

		/* A larger hash never scores less. */
		ck_assert_uint_ge(rank.score, last.score);
		ck_assert_uint_eq(rank.tie, hashes[i]);
		last = rank;
	}
	/* All of the hash's 53 bits set is a loss of exactly nothing. */
	ck_assert_uint_eq(last.score, UINT64_MAX);
}
END_TEST

START_TEST(what_the_rules_do_not_take_is_refused)
{
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 2),
	};
	struct placement_spec spec = {.kind = PLACEMENT_RENDEZVOUS};

	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "knows no weights, so all must be the same; server \"b:1\" has "
	    "weight 2");
	spec.kind = PLACEMENT_WEIGHTED_RENDEZVOUS;
	servers[0].weight = 3;
	spec.kind = PLACEMENT_RENDEZVOUS;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "weight 2");
	spec.kind = PLACEMENT_WEIGHTED_RENDEZVOUS;
	servers[1].weight = 0;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "weights above 0; server 2 has 0");
	servers[1].weight = 0.0 / 0.0;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "server 2");
	servers[1].weight = 2;
	spec.hash = HASH_XXH3;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "its hash is \"fnv1a_64\", so hash \"xxh3\" cannot be chosen");
	spec.hash = HASH_DEFAULT;
	spec.points_per_weight = 1;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "points_per_weight");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("rendezvous");
	TCase *tc = tcase_create("rendezvous");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, poise_rendezvous_is_reproduced);
	tcase_add_test(tc, poise_weighted_rendezvous_is_reproduced);
	tcase_add_test(tc, poise_bounded_load_is_reproduced);
	tcase_add_loop_test(tc, no_pick_passes_the_bound, 0, 3);
	tcase_add_test(tc, bounds_out_of_reason_are_refused);
	tcase_add_loop_test(tc, walks_are_in_the_order_of_scores, 0, 8);
	tcase_add_test(tc,
	    a_server_that_leaves_is_replaced_by_the_next_in_order);
	tcase_add_test(tc, shares_follow_weights);
	tcase_add_test(tc, losses_are_exact);
	tcase_add_test(tc, every_hash_has_a_score);
	tcase_add_test(tc, what_the_rules_do_not_take_is_refused);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
