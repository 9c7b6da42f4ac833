/* Which keys move when the native ring's membership changes, and how keys
 * spread over it. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "members.h"
#include "ring/placement_change.h"

#define KEYS 2000
#define NEWCOMER "newcomer"

static const struct placement_spec plain = {.kind = PLACEMENT_RING};

/* Fails unless only keys that `b`'s server `late` owns differ; how many. */
static size_t
moved_to(const struct placement *a, const struct placement *b, uint32_t late)
{
	size_t moved = 0;

	for (uint64_t i = 0; i < KEYS; i++) {
		char buf[32];
		struct span key = members_key(i, buf);
		uint32_t was = placement_owner(a, key);
		uint32_t is = placement_owner(b, key);

		if (is == late)
			moved++;
		else if (!span_eq(placement_server_at(a, was)->name,
		    placement_server_at(b, is)->name))
			ck_abort_msg("key %.*s moved", (int)key.len, key.p);
	}
	return moved;
}

/* Read the other way round, the same is a server that leaves. */
START_TEST(only_the_newcomer_wins_keys)
{
	static struct members m;

	for (size_t n = 1; n <= 100; n++) {
		struct placement_server late = {
			.name = SPAN_LIT(NEWCOMER), .weight = 1};
		struct placement *a, *b;
		enum placement_error error;
		struct err err;
		size_t moved;

		members_fill(&m, "cache", n);
		a = members_build(&m, &plain);
		b = placement_with(a, &late, &error, &err);
		ck_assert_ptr_nonnull(b);
		moved = moved_to(a, b, (uint32_t)n);
		/* 1/(n+1) of the keys, give or take both samplings' error:
		 * 128 points have a spread of about 9 %. */
		ck_assert_double_eq_tol((double)moved,
		    (double)KEYS / (double)(n + 1),
		    0.4 * (double)KEYS / (double)(n + 1) + 16);
		placement_free(&b);
		placement_free(&a);
	}
}
END_TEST

START_TEST(any_leaver_loses_only_its_own)
{
	static struct members m;

	for (size_t n = 2; n <= 100; n++) {
		struct placement *a, *b;
		enum placement_error error;
		struct err err;
		size_t gone = n * 7 / 11;

		members_fill(&m, "cache", n);
		a = members_build(&m, &plain);
		b = placement_without(a, gone, &error, &err);
		ck_assert_ptr_nonnull(b);
		ck_assert_uint_gt(moved_to(b, a, (uint32_t)gone), 0);
		placement_free(&b);
		placement_free(&a);
	}
}
END_TEST

START_TEST(order_of_servers_moves_nothing)
{
	static struct members m, shuffled;
	struct placement *a, *b;

	members_fill(&m, "cache", 40);
	shuffled.n = 0;
	for (size_t i = 0; i < 40; i++)
		members_add(&shuffled, m.names[i * 27 % 40], 1);
	a = members_build(&m, &plain);
	b = members_build(&shuffled, &plain);
	ck_assert_uint_eq(moved_to(a, b, PLACEMENT_NONE), 0);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(more_weight_only_wins_and_less_only_loses)
{
	static struct members m;
	struct placement *p, *q;
	enum placement_error error;
	struct err err;

	members_fill(&m, "cache", 20);
	m.servers[4].weight = 2;
	p = members_build(&m, &plain);
	for (int w = 3; w < 8; w++) {
		q = placement_reweighted(p, 4, w, &error, &err);
		ck_assert_ptr_nonnull(q);
		moved_to(p, q, 4);
		placement_free(&p);
		p = q;
	}
	q = placement_reweighted(p, 4, 1, &error, &err);
	ck_assert_ptr_nonnull(q);
	moved_to(q, p, 4);
	placement_free(&p);
	placement_free(&q);
}
END_TEST

/* The next server of the walk is who owns the key once the owner has left. */
START_TEST(walk_is_the_order_of_succession)
{
	static struct members m, fewer;
	struct placement *p;

	members_fill(&m, "cache", 12);
	p = members_build(&m, &plain);
	for (uint64_t i = 0; i < 200; i++) {
		uint32_t owners[12];
		char buf[32];
		struct span key = members_key(i, buf);

		ck_assert_uint_eq(placement_owners(p, key, 12, owners), 12);
		fewer = m;
		for (size_t k = 0; k < 12; k++)
			fewer.servers[k].name = span_str(fewer.names[k]);
		for (size_t gone = 0; gone + 1 < 12; gone++) {
			struct placement *q;
			uint32_t at;

			for (size_t k = 0; k < fewer.n; k++) {
				if (span_eq(fewer.servers[k].name,
				    m.servers[owners[gone]].name)) {
					members_remove(&fewer, k);
					break;
				}
			}
			q = members_build(&fewer, &plain);
			at = placement_owner(q, key);
			ck_assert(span_eq(fewer.servers[at].name,
			    m.servers[owners[gone + 1]].name));
			placement_free(&q);
		}
	}
	placement_free(&p);
}
END_TEST

/*
 * Chi-squared over `n` servers, each weighted by its true part of the keys,
 * which a large sample of patternless ones gives.
 */
static double
chi_squared(const struct placement *p, const char *format, unsigned first,
    unsigned count)
{
	enum { SAMPLE = 400000 };
	size_t n = placement_servers(p);
	double part[64] = {0}, got[64] = {0}, sum = 0;

	ck_assert_uint_le(n, 64);
	for (uint64_t i = 0; i < SAMPLE; i++) {
		char buf[32];

		part[placement_owner(p, members_key(i, buf))] += 1.0 / SAMPLE;
	}
	for (unsigned i = first; i < first + count; i++) {
		char text[64];
		int len = snprintf(text, sizeof(text), format, i);

		got[placement_owner(p, span_of(text, (size_t)len))]++;
	}
	for (size_t i = 0; i < n; i++) {
		double expected = part[i] * count;

		sum += (got[i] - expected) * (got[i] - expected) / expected;
	}
	return sum;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* Keys that count up must land like keys without a pattern. */
START_TEST(keys_that_count_up_spread_like_random_ones)
{
	static const char *const formats[] = {"user:%u", "%u", "key-%u",
	    "session:%08x", "%u:profile", "a/%u/b"};
	static const enum hash_kind hashes[] = {HASH_FNV1A_64, HASH_XXH3,
	    HASH_SIPHASH};
	static struct members m;

	members_fill(&m, "cache", 10);
	for (size_t h = 0; h < 3; h++) {
		struct placement_spec spec = {.hash = hashes[h],
		    .hash_key = {42}};
		struct placement *p = members_build(&m, &spec);

		for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]);
		    f++) {
			double x = chi_squared(p, formats[f], 1000, 1000);

			/* 9 degrees of freedom: 33.7 is 1 in 10,000. */
			ck_assert_msg(x < 33.7, "%s under %s: %f", formats[f],
			    hash_kind_name(hashes[h]), x);
		}
		placement_free(&p);
	}
}
END_TEST

/* Each server's part of the keys is its part of the weight, within 30 %. */
START_TEST(keys_follow_the_weights)
{
	static const double weights[] = {1, 2, 3, 5, 10};
	static struct members m;
	struct placement *p;
	double got[5] = {0};

	members_fill(&m, "cache", 5);
	for (size_t i = 0; i < 5; i++)
		m.servers[i].weight = weights[i];
	p = members_build(&m, &plain);
	for (uint64_t i = 0; i < 100000; i++) {
		char buf[32];

		got[placement_owner(p, members_key(i, buf))]++;
	}
	for (size_t i = 0; i < 5; i++)
		ck_assert_double_eq_tol(got[i] / 100000, weights[i] / 21,
		    0.3 * weights[i] / 21);
	placement_free(&p);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ring moves");
	TCase *tc = tcase_create("moves");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, only_the_newcomer_wins_keys);
	tcase_add_test(tc, any_leaver_loses_only_its_own);
	tcase_add_test(tc, order_of_servers_moves_nothing);
	tcase_add_test(tc, more_weight_only_wins_and_less_only_loses);
	tcase_add_test(tc, walk_is_the_order_of_succession);
	tcase_add_test(tc, keys_that_count_up_spread_like_random_ones);
	tcase_add_test(tc, keys_follow_the_weights);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
