/* The continuum of 32-bit points, against a search through every point. */
#include <check.h>
#include <stdlib.h>

#include "base/mem.h"
#include "ring/continuum32.h"
#include "ring/rule.h"

#define NPOINTS_MAX 3000

/* The points as they were added. */
struct model {
	uint32_t	values[NPOINTS_MAX];
	size_t		n;
};

/* A reproducible sequence: one round of SplitMix64. */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	return hash_mix64(x);
}

/* How values are drawn: anywhere, crowded, few distinct ones, the ends. */
enum spread { ANYWHERE, CROWDED, FEW, ENDS, SPREADS };

static uint32_t
draw(enum spread spread, uint64_t *state)
{
	uint32_t x = (uint32_t)next_random(state);

	switch (spread) {
	case ANYWHERE:
		return x;
	case CROWDED:
		return x & 0x7fff;
	case FEW:
		return (x % 7) << 29;
	case ENDS:
		return x & 1 ? UINT32_MAX - x % 3 : x % 3;
	case SPREADS:
		break;
	}
	ck_abort();
}

static struct continuum32 *
build(const struct model *model, enum continuum32_equal equal)
{
	struct placement_spec spec = {.kind = PLACEMENT_KETAMA};
	enum placement_error error;
	struct err err;
	struct continuum32 *ring = continuum32_new(&spec, model->n, &error,
	    &err);

	ck_assert_ptr_nonnull(ring);
	for (size_t i = 0; i < model->n; i++)
		continuum32_add(ring, model->values[i], (uint32_t)i);
	ck_assert(continuum32_seal(ring, equal, &error, &err));
	return ring;
}

/* The point whose value is nearest at or after `hash`; the first if equal. */
static uint32_t
model_owner(const struct model *model, uint32_t hash, bool takes_last)
{
	size_t best = 0;

	for (size_t i = 1; i < model->n; i++) {
		/* How far clockwise, modulo 2^32. */
		uint32_t there = model->values[i] - hash;
		uint32_t here = model->values[best] - hash;

		if (there < here || (there == here && takes_last))
			best = i;
	}
	return (uint32_t)best;
}

/* The same backwards, the last of equals: what a predecessor is. */
static uint32_t
model_predecessor(const struct model *model, uint32_t hash)
{
	size_t best = 0;

	for (size_t i = 1; i < model->n; i++)
		if (hash - model->values[i] <= hash - model->values[best])
			best = i;
	return (uint32_t)best;
}

static void
compare_at(const struct continuum32 *ring, const struct model *model,
    uint32_t hash, bool takes_last)
{
	size_t before = continuum32_predecessor(ring, hash);

	ck_assert_uint_eq(continuum32_owner(ring, hash),
	    model_owner(model, hash, takes_last));
	ck_assert_uint_eq(continuum32_point_owner(ring, before),
	    model_predecessor(model, hash));
}

static void
compare(const struct model *model, enum continuum32_equal equal,
    uint64_t *state)
{
	struct continuum32 *ring = build(model, equal);
	bool takes_last = equal == CONTINUUM32_KEEP_LAST;

	for (int i = 0; i < 40; i++) {
		uint32_t near = model->values[next_random(state) % model->n];

		compare_at(ring, model, (uint32_t)next_random(state),
		    takes_last);
		compare_at(ring, model, near, takes_last);
		compare_at(ring, model, near + 1, takes_last);
		compare_at(ring, model, near - 1, takes_last);
	}
	compare_at(ring, model, 0, takes_last);
	compare_at(ring, model, UINT32_MAX, takes_last);
	continuum32_free(&ring);
	ck_assert_ptr_null(ring);
}

START_TEST(searches_agree_with_a_look_at_every_point)
{
	static const size_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 160, 1000,
		NPOINTS_MAX};
	static struct model model;
	uint64_t state = 1;

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		model.n = sizes[s];
		for (size_t i = 0; i < model.n; i++)
			model.values[i] = draw((enum spread)_i, &state);
		compare(&model, CONTINUUM32_KEEP_ALL, &state);
		compare(&model, CONTINUUM32_KEEP_LAST, &state);
	}
}
END_TEST

START_TEST(points_are_sorted_and_equals_keep_their_order)
{
	static struct model model = {.n = NPOINTS_MAX};
	struct continuum32 *ring;
	uint64_t state = 2;

	for (size_t i = 0; i < model.n; i++)
		model.values[i] = draw((enum spread)_i, &state);
	ring = build(&model, CONTINUUM32_KEEP_ALL);
	ck_assert_uint_eq(continuum32_count(ring), model.n);
	for (size_t i = 0; i < model.n; i++) {
		uint32_t owner = continuum32_point_owner(ring, i);
		uint32_t value = continuum32_value(ring, i);

		ck_assert_uint_eq(value, model.values[owner]);
		if (i == 0)
			continue;
		ck_assert_uint_le(continuum32_value(ring, i - 1), value);
		if (continuum32_value(ring, i - 1) == value)
			ck_assert_uint_lt(continuum32_point_owner(ring, i - 1),
			    owner);
	}
	continuum32_free(&ring);
}
END_TEST

START_TEST(of_equals_only_the_last_may_be_kept)
{
	static const struct model model = {
		.values = {5, 9, 5, 7, 9, 9}, .n = 6,
	};
	struct continuum32 *ring = build(&model, CONTINUUM32_KEEP_LAST);

	ck_assert_uint_eq(continuum32_count(ring), 3);
	ck_assert_uint_eq(continuum32_point_owner(ring, 0), 2);
	ck_assert_uint_eq(continuum32_point_owner(ring, 1), 3);
	ck_assert_uint_eq(continuum32_point_owner(ring, 2), 5);
	continuum32_free(&ring);
}
END_TEST

struct visits {
	uint32_t	seen[8];
	size_t		n;
	size_t		stop_after;
};

static bool
visit(void *arg, uint32_t server)
{
	struct visits *visits = arg;

	ck_assert_uint_lt(visits->n, 8);
	visits->seen[visits->n++] = server;
	return visits->n == visits->stop_after;
}

START_TEST(a_walk_goes_round_once_unless_stopped)
{
	static const struct model model = {.values = {40, 10, 30, 20}, .n = 4};
	struct continuum32 *ring = build(&model, CONTINUUM32_KEEP_ALL);
	struct visits all = {.stop_after = 8}, two = {.stop_after = 2};
	static const uint32_t expected[] = {2, 0, 1, 3};

	ck_assert(!continuum32_walk(ring, continuum32_successor(ring, 21),
	    visit, &all));
	ck_assert_uint_eq(all.n, 4);
	ck_assert_mem_eq(all.seen, expected, sizeof(expected));
	ck_assert(continuum32_walk(ring, continuum32_successor(ring, 41),
	    visit, &two));
	ck_assert_uint_eq(two.n, 2);
	ck_assert_uint_eq(two.seen[0], 1);
	ck_assert_uint_eq(two.seen[1], 3);
	continuum32_free(&ring);
}
END_TEST

START_TEST(arcs_cover_the_circle)
{
	static const struct model model = {.values = {40, 10}, .n = 2};
	struct continuum32 *ring = build(&model, CONTINUUM32_KEEP_ALL);
	struct placement_arc arc;

	ck_assert(continuum32_arc(ring, 0, &arc));
	ck_assert_uint_eq(arc.last, UINT64_C(10) << 32 | UINT32_MAX);
	ck_assert_uint_eq(arc.owner, 1);
	ck_assert(continuum32_arc(ring, 1, &arc));
	ck_assert_uint_eq(arc.last, UINT64_C(40) << 32 | UINT32_MAX);
	ck_assert_uint_eq(arc.owner, 0);
	ck_assert(continuum32_arc(ring, 2, &arc));
	ck_assert_uint_eq(arc.last, UINT64_MAX);
	ck_assert_uint_eq(arc.owner, 1);
	ck_assert(!continuum32_arc(ring, 3, &arc));
	continuum32_free(&ring);
}
END_TEST

static void
expect_new_fails(uint32_t max_points, uint64_t npoints,
    enum placement_error expected)
{
	struct placement_spec spec = {.max_points = max_points};
	enum placement_error error = PLACEMENT_OK;
	struct err err = {""};

	ck_assert_ptr_null(continuum32_new(&spec, npoints, &error, &err));
	ck_assert_int_eq(error, expected);
	ck_assert_str_ne(err.text, "");
}

/* No allocation is tried: it would be the one that fails. */
START_TEST(sizes_are_checked_before_memory_is_taken)
{
	mem_fail_after(0);
	expect_new_fails(0, 0, PLACEMENT_UNSUPPORTED);
	expect_new_fails(0, CONTINUUM32_POINTS_MAX + 1,
	    PLACEMENT_STATE_CAPACITY_EXCEEDED);
	expect_new_fails(100, 101, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	expect_new_fails(0, UINT64_MAX, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	ck_assert(!mem_has_failed());
	expect_new_fails(100, 100, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	ck_assert(mem_has_failed());
	mem_fail_after(-1);
}
END_TEST

START_TEST(sealing_without_memory_fails_cleanly)
{
	struct placement_spec spec = {.kind = PLACEMENT_KETAMA};
	enum placement_error error = PLACEMENT_OK;
	struct err err = {""};
	struct continuum32 *ring = continuum32_new(&spec, 1, &error, &err);

	ck_assert_ptr_nonnull(ring);
	continuum32_add(ring, 1, 0);
	mem_fail_after(_i);
	ck_assert(!continuum32_seal(ring, CONTINUUM32_KEEP_ALL, &error, &err));
	mem_fail_after(-1);
	ck_assert_int_eq(error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	ck_assert_str_eq(err.text, "no memory for a ring of 1 points");
	continuum32_free(&ring);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("continuum32");
	TCase *tc = tcase_create("continuum32");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, searches_agree_with_a_look_at_every_point, 0,
	    SPREADS);
	tcase_add_loop_test(tc, points_are_sorted_and_equals_keep_their_order,
	    0, SPREADS);
	tcase_add_test(tc, of_equals_only_the_last_may_be_kept);
	tcase_add_test(tc, a_walk_goes_round_once_unless_stopped);
	tcase_add_test(tc, arcs_cover_the_circle);
	tcase_add_test(tc, sizes_are_checked_before_memory_is_taken);
	tcase_add_loop_test(tc, sealing_without_memory_fails_cleanly, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
