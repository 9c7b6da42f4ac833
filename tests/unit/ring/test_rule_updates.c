/*
 * Updates between placements of every rule: whatever a rule says of its arcs,
 * keys must bear out.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "ring/ring_update.h"
#include "ring/rule.h"

#define SAMPLE 40000

/* Keys whose owner, by name, is another one. */
static double
sampled_share(const struct placement *a, const struct placement *b)
{
	size_t moved = 0;

	for (uint64_t i = 0; i < SAMPLE; i++) {
		char buf[32];
		struct span key = members_key(i, buf);
		uint32_t from = placement_owner(a, key);
		uint32_t to = placement_owner(b, key);

		moved += !span_eq(placement_server_at(a, from)->name,
		    placement_server_at(b, to)->name);
	}
	return (double)moved / SAMPLE;
}

static void
expect_update_agrees(const struct placement *a, const struct placement *b)
{
	struct ring_update *u = ring_update_between(a, b);
	const char *name = placement_kind_name(placement_spec_of(b)->kind);
	struct placement_arc arc;
	double sampled = sampled_share(a, b), share;

	ck_assert_ptr_nonnull(u);
	share = ring_extent_share(u->moved);
	ck_assert_msg(share > sampled - 0.02 && share < sampled + 0.02,
	    "%s: %f of the circle, %f of the keys", name, share, sampled);
	ck_assert_int_eq(u->is_exact, placement_arc_at(b, 0, &arc));
	ring_update_free(&u);
}

/* Arcs rise, end at the end, and belong to servers. */
static void
expect_sound_arcs(const struct placement *p)
{
	const char *name = placement_kind_name(placement_spec_of(p)->kind);
	struct placement_arc arc, before = {0, 0};
	size_t n;

	for (n = 0; placement_arc_at(p, n, &arc); n++) {
		if (arc.last < before.last ||
		    arc.owner >= placement_servers(p))
			ck_abort_msg("%s: arc %zu", name, n);
		before = arc;
	}
	if (n > 0)
		ck_assert_msg(before.last == UINT64_MAX, "%s: the last arc "
		    "ends early", name);
}

static struct placement_spec
spec_of(int kind)
{
	struct placement_spec spec = {.kind = (enum placement_kind)kind};

	/* The one rule without a default. */
	if (spec.kind == PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA)
		spec.points_per_weight = 150;
	return spec;
}

/* `n` servers with names that the rule takes. */
static void
fill(struct members *m, const struct placement_spec *spec, size_t n)
{
	char name[24];

	members_fill(m, "cache", n);
	if (spec->kind != PLACEMENT_CONSISTENT_HASH_RING_RS_I32)
		return;
	m->n = 0;
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%zu", i % 1000);
		members_add(m, name, 1);
	}
}

START_TEST(newcomer)
{
	static struct members m;
	struct placement_spec spec = spec_of(_i);
	struct placement *a, *b, *alone;

	fill(&m, &spec, 1);
	alone = members_build(&m, &spec);
	fill(&m, &spec, 8);
	a = members_build(&m, &spec);
	members_add(&m, span_eq(m.servers[0].name, span_str("0")) ? "999"
	    : "late", 1);
	b = members_build(&m, &spec);
	expect_sound_arcs(alone);
	expect_sound_arcs(a);
	expect_sound_arcs(b);
	expect_update_agrees(a, b);
	expect_update_agrees(b, a);
	expect_update_agrees(alone, a);
	expect_update_agrees(a, alone);
	placement_free(&alone);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

/* From the native ring to each rule: nothing in common, so samples tell. */
START_TEST(another_rule)
{
	static struct members m;
	struct placement_spec from = {.kind = PLACEMENT_RING};
	struct placement_spec to = spec_of(_i);
	struct placement *a, *b;
	struct ring_update *u;

	fill(&m, &to, 8);
	a = members_build(&m, &from);
	b = members_build(&m, &to);
	u = ring_update_between(a, b);
	ck_assert_ptr_nonnull(u);
	ck_assert_int_eq(u->is_exact, to.kind == PLACEMENT_RING);
	ck_assert_int_eq(u->is_other_spec, to.kind != PLACEMENT_RING);
	ck_assert_double_eq_tol(ring_extent_share(u->moved),
	    sampled_share(a, b), 0.02);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("rule updates");
	TCase *tc = tcase_create("updates");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, newcomer, 0, PLACEMENT_KIND_COUNT);
	tcase_add_loop_test(tc, another_rule, 0, PLACEMENT_KIND_COUNT);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
