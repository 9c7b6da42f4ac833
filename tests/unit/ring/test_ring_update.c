/* What changes from one placement to the next. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "members.h"
#include "ring/ring_update.h"

static const struct placement_spec plain = {.kind = PLACEMENT_RING};

static struct ring_update *
update_between(const struct placement *a, const struct placement *b)
{
	struct ring_update *u = ring_update_between(a, b);

	ck_assert_ptr_nonnull(u);
	return u;
}

static void
expect_counts(const struct ring_update *u, size_t added, size_t removed,
    size_t reweighted, size_t reordered)
{
	ck_assert_uint_eq(u->nadded, added);
	ck_assert_uint_eq(u->nremoved, removed);
	ck_assert_uint_eq(u->nreweighted, reweighted);
	ck_assert_uint_eq(u->nreordered, reordered);
}

/*
 * The flows are disjoint parts of what moved, largest first; and sampling
 * keys finds what was computed.
 */
static void
expect_flows_agree(const struct placement *a, const struct placement *b,
    const struct ring_update *u)
{
	enum { SAMPLE = 200000 };
	static uint32_t sampled[64][64];
	size_t moved = 0;
	uint64_t sum = 0;

	memset(sampled, 0, sizeof(sampled));
	ck_assert(u->is_exact);
	for (uint64_t i = 0; i < SAMPLE; i++) {
		char buf[32];
		struct span key = members_key(i, buf);
		uint32_t from = placement_owner(a, key);
		uint32_t to = placement_owner(b, key);

		if (span_eq(placement_server_at(a, from)->name,
		    placement_server_at(b, to)->name))
			continue;
		sampled[from][to]++;
		moved++;
	}
	ck_assert_double_eq_tol(ring_extent_share(u->moved),
	    (double)moved / SAMPLE, 0.005);
	for (size_t i = 0; i < u->nflows; i++) {
		const struct ring_flow *f = &u->flows[i];

		sum += f->extent.positions;
		ck_assert_double_eq_tol(ring_extent_share(f->extent),
		    sampled[f->from][f->to] / (double)SAMPLE, 0.005);
		sampled[f->from][f->to] = 0;
		if (i > 0)
			ck_assert_uint_le(f->extent.positions,
			    f[-1].extent.positions);
	}
	ck_assert_uint_eq(sum, u->moved.positions);
	for (size_t i = 0; i < 64; i++) {
		for (size_t k = 0; k < 64; k++)
			ck_assert_uint_lt(sampled[i][k], SAMPLE / 200);
	}
}

START_TEST(first_placement_adds_everyone_and_moves_nothing)
{
	static struct members m;
	struct placement *p;
	struct ring_update *u;

	members_fill(&m, "cache", 5);
	p = members_build(&m, &plain);
	u = update_between(NULL, p);
	expect_counts(u, 5, 0, 0, 0);
	ck_assert_uint_eq(u->nchanges, 5);
	for (uint32_t i = 0; i < 5; i++) {
		ck_assert(ring_change_is_added(&u->changes[i]));
		ck_assert_uint_eq(u->changes[i].new_index, i);
		ck_assert(span_eq(u->changes[i].name, m.servers[i].name));
	}
	ck_assert_double_eq(ring_extent_share(u->moved), 0);
	ck_assert_uint_eq(u->nflows, 0);
	ring_update_free(&u);
	ck_assert_ptr_null(u);
	ring_update_free(&u);
	placement_free(&p);
}
END_TEST

START_TEST(same_again_changes_nothing)
{
	static struct members m;
	struct placement *p;
	struct ring_update *u;

	members_fill(&m, "cache", 5);
	p = members_build(&m, &plain);
	u = update_between(p, p);
	expect_counts(u, 0, 0, 0, 0);
	ck_assert_uint_eq(u->nchanges, 0);
	ck_assert_uint_eq(u->nflows, 0);
	ck_assert_uint_eq(u->moved.positions, 0);
	ck_assert(!u->moved.is_whole);
	ck_assert(!u->is_other_spec);
	ck_assert(!u->is_rescaled);
	ck_assert(u->is_exact);
	ring_update_free(&u);
	placement_free(&p);
}
END_TEST

START_TEST(newcomer_takes_from_everyone)
{
	static struct members m;
	struct placement *a, *b;
	struct ring_update *u;

	members_fill(&m, "cache", 9);
	a = members_build(&m, &plain);
	members_add(&m, "late", 1);
	b = members_build(&m, &plain);
	u = update_between(a, b);
	expect_counts(u, 1, 0, 0, 0);
	ck_assert(span_eq(u->changes[0].name, span_str("late")));
	ck_assert_uint_eq(u->nflows, 9);
	for (size_t i = 0; i < 9; i++)
		ck_assert_uint_eq(u->flows[i].to, 9);
	ck_assert_double_eq_tol(ring_extent_share(u->moved), 0.1, 0.03);
	expect_flows_agree(a, b, u);
	ring_update_free(&u);
	/* The way back moves exactly as much. */
	u = update_between(b, a);
	expect_counts(u, 0, 1, 0, 0);
	ck_assert(ring_change_is_removed(&u->changes[0]));
	ck_assert_uint_eq(u->changes[0].old_index, 9);
	for (size_t i = 0; i < u->nflows; i++)
		ck_assert_uint_eq(u->flows[i].from, 9);
	expect_flows_agree(b, a, u);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(everything_at_once_is_told_apart)
{
	static struct members m;
	struct placement *a, *b;
	struct ring_update *u;

	members_fill(&m, "cache", 8);
	a = members_build(&m, &plain);
	members_remove(&m, 1);			/* cache-1 leaves */
	m.servers[5].weight = 4;		/* cache-6 grows */
	members_add(&m, "late", 2);
	members_remove(&m, 0);			/* cache-0 goes last */
	members_add(&m, "cache-0", 1);
	b = members_build(&m, &plain);
	u = update_between(a, b);
	/* All ranks shift when the first goes last. */
	expect_counts(u, 1, 1, 1, 7);
	ck_assert_uint_eq(u->nchanges, 9);
	ck_assert(ring_change_is_removed(&u->changes[0]));
	ck_assert(span_eq(u->changes[0].name, span_str("cache-1")));
	for (size_t i = 1; i < u->nchanges; i++) {
		const struct ring_change *c = &u->changes[i];
		bool is_grown = span_eq(c->name, span_str("cache-6"));

		ck_assert_int_eq(ring_change_is_reweighted(c), is_grown);
		if (is_grown) {
			ck_assert_double_eq(c->old_weight, 1);
			ck_assert_double_eq(c->new_weight, 4);
			ck_assert_uint_eq(c->old_index, 6);
			ck_assert_uint_eq(c->new_index, 4);
		}
	}
	expect_flows_agree(a, b, u);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(closing_up_is_no_reordering)
{
	static struct members m;
	struct placement *a, *b;
	struct ring_update *u;

	members_fill(&m, "cache", 8);
	a = members_build(&m, &plain);
	members_remove(&m, 0);
	members_remove(&m, 3);
	members_add(&m, "late", 1);
	b = members_build(&m, &plain);
	u = update_between(a, b);
	expect_counts(u, 1, 2, 0, 0);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(reordering_alone_moves_nothing)
{
	static struct members m;
	struct placement *a, *b;
	struct ring_update *u;

	members_fill(&m, "cache", 6);
	a = members_build(&m, &plain);
	members_remove(&m, 2);
	members_remove(&m, 2);
	members_add(&m, "cache-3", 1);
	members_add(&m, "cache-2", 1);
	b = members_build(&m, &plain);
	u = update_between(a, b);
	expect_counts(u, 0, 0, 0, 4);
	ck_assert_uint_eq(u->nflows, 0);
	ck_assert_uint_eq(u->moved.positions, 0);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

/* [2, 4] to [2, 4, 3]: a unit is no longer two. */
START_TEST(another_divisor_is_told)
{
	static struct members m;
	struct placement *a, *b;
	struct ring_update *u;

	members_fill(&m, "cache", 2);
	m.servers[0].weight = 2;
	m.servers[1].weight = 4;
	a = members_build(&m, &plain);
	members_add(&m, "late", 3);
	b = members_build(&m, &plain);
	u = update_between(a, b);
	ck_assert(u->is_rescaled);
	expect_flows_agree(a, b, u);
	ring_update_free(&u);
	placement_free(&b);
	m.servers[2].weight = 6;
	b = members_build(&m, &plain);
	u = update_between(a, b);
	ck_assert(!u->is_rescaled);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(all_weights_doubled_moves_nothing)
{
	static struct members m;
	struct placement *a, *b;
	struct ring_update *u;

	members_fill(&m, "cache", 3);
	m.servers[2].weight = 3;
	a = members_build(&m, &plain);
	for (size_t i = 0; i < 3; i++)
		m.servers[i].weight *= 2;
	b = members_build(&m, &plain);
	u = update_between(a, b);
	expect_counts(u, 0, 0, 3, 0);
	ck_assert_uint_eq(u->moved.positions, 0);
	ck_assert(!u->is_rescaled);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(another_number_of_points_is_compared_exactly)
{
	static struct members m;
	struct placement_spec spec = plain;
	struct placement *a, *b;
	struct ring_update *u;

	members_fill(&m, "cache", 4);
	a = members_build(&m, &plain);
	spec.points_per_weight = 160;
	b = members_build(&m, &spec);
	u = update_between(a, b);
	ck_assert(u->is_other_spec);
	ck_assert(u->is_rescaled);
	expect_flows_agree(a, b, u);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

/* Another hash: a key's place on one circle says nothing about the other. */
START_TEST(another_hash_is_compared_by_samples)
{
	static struct members m;
	struct placement_spec spec = plain;
	struct placement *a, *b;
	struct ring_update *u;
	size_t moved = 0;

	members_fill(&m, "cache", 4);
	a = members_build(&m, &plain);
	spec.hash = HASH_XXH3;
	b = members_build(&m, &spec);
	u = update_between(a, b);
	ck_assert(!u->is_exact);
	ck_assert(u->is_other_spec);
	for (uint64_t i = 0; i < 100000; i++) {
		char buf[32];
		struct span key = members_key(i, buf);

		moved += placement_owner(a, key) != placement_owner(b, key);
	}
	ck_assert_double_eq_tol(ring_extent_share(u->moved),
	    (double)moved / 100000, 0.01);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(each_failing_allocation_gives_null)
{
	static struct members m;
	struct placement *a, *b;
	int64_t n;

	members_fill(&m, "old", 40);
	a = members_build(&m, &plain);
	members_fill(&m, "new", 40);
	b = members_build(&m, &plain);
	for (n = 0;; n++) {
		struct ring_update *u;

		mem_fail_after(n);
		u = ring_update_between(a, b);
		if (!mem_has_failed()) {
			mem_fail_after(-1);
			ck_assert_ptr_nonnull(u);
			ck_assert_uint_gt(u->nflows, 1000);
			ring_update_free(&u);
			break;
		}
		ck_assert_ptr_null(u);
	}
	ck_assert_int_gt(n, 8);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ring update");
	TCase *tc = tcase_create("update");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, first_placement_adds_everyone_and_moves_nothing);
	tcase_add_test(tc, same_again_changes_nothing);
	tcase_add_test(tc, newcomer_takes_from_everyone);
	tcase_add_test(tc, everything_at_once_is_told_apart);
	tcase_add_test(tc, closing_up_is_no_reordering);
	tcase_add_test(tc, reordering_alone_moves_nothing);
	tcase_add_test(tc, another_divisor_is_told);
	tcase_add_test(tc, all_weights_doubled_moves_nothing);
	tcase_add_test(tc, another_number_of_points_is_compared_exactly);
	tcase_add_test(tc, another_hash_is_compared_by_samples);
	tcase_add_test(tc, each_failing_allocation_gives_null);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
