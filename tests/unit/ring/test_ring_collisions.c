/*
 * The native ring where hashes collide, as real ones hardly ever do: this
 * program brings its own ring_hash, of a few values only, which the linker
 * takes in place of the real one.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "ring/ring.h"
#include "ring/ring_hash.h"
#include "ring/ring_update.h"

#define POINTS_MAX 4096

/* How many owner hashes and how many positions there are. */
static uint64_t owner_values, position_values;

bool
ring_hash_init(struct ring_hash *hash, const struct placement_spec *spec,
    struct err *err)
{
	(void)spec;
	(void)err;
	hash->kind = HASH_FNV1A_64;
	return true;
}

static uint64_t
hash_text(uint64_t seed, struct span text)
{
	return hash_mix64(hash_fnv1a_64_bytes(seed, text));
}

uint64_t
ring_hash_owner(const struct ring_hash *hash, struct span name)
{
	(void)hash;
	return hash_text(1, name) % owner_values;
}

/* The first position, the last, and others between them. */
static uint64_t
position_of(uint64_t h)
{
	uint64_t step = position_values == 1
	    ? 0
	    : UINT64_MAX / (position_values - 1);

	return h % position_values * step;
}

uint64_t
ring_hash_key(const struct ring_hash *hash, struct span key)
{
	(void)hash;
	return hash_text(2, key);
}

void
ring_hash_points_init(struct ring_hash_points *points,
    const struct ring_hash *hash, struct span name)
{
	points->hash = hash;
	points->name = name;
}

uint64_t
ring_hash_point(const struct ring_hash_points *points, uint64_t r)
{
	return position_of(hash_mix64(hash_text(3, points->name) + r));
}

/* A point with all that the total order looks at. */
struct full_point {
	uint64_t	position;
	uint64_t	owner_hash;
	uint64_t	replica;
	uint32_t	index;
};

static int
compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
compare(const void *a, const void *b)
{
	const struct full_point *x = a, *y = b;
	int c = compare_u64(x->position, y->position);

	if (c == 0)
		c = compare_u64(x->owner_hash, y->owner_hash);
	if (c == 0)
		c = compare_u64(x->replica, y->replica);
	return c != 0 ? c : compare_u64(x->index, y->index);
}

/* All points, by the definition. */
static size_t
points_by_definition(const struct members *m, uint32_t per_weight,
    struct full_point *out)
{
	struct ring_hash hash = {0};
	size_t n = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		struct ring_hash_points points;

		ring_hash_points_init(&points, &hash, m->servers[i].name);
		for (uint64_t r = 0;
		    r < (uint64_t)m->servers[i].weight * per_weight; r++) {
			ck_assert_uint_lt(n, POINTS_MAX);
			out[n++] = (struct full_point){
				ring_hash_point(&points, r),
				ring_hash_owner(&hash, m->servers[i].name),
				r, i};
		}
	}
	qsort(out, n, sizeof(*out), compare);
	return n;
}

static uint32_t
owner_by_definition(const struct full_point *points, size_t n,
    uint64_t position)
{
	for (size_t i = 0; i < n; i++) {
		if (points[i].position >= position)
			return points[i].index;
	}
	return points[0].index;
}

static void
expect_ring_as_defined(const struct members *m, uint32_t per_weight)
{
	static struct full_point points[POINTS_MAX];
	struct placement_spec spec = {.points_per_weight = per_weight};
	size_t n = points_by_definition(m, per_weight, points);
	enum placement_error error;
	struct err err;
	struct ring *ring = ring_build(&spec, m->servers, m->n, &error, &err);

	ck_assert_ptr_nonnull(ring);
	ck_assert_uint_eq(ring_points(ring), n);
	for (size_t i = 0; i < n; i++) {
		uint64_t p = points[i].position;

		ck_assert_uint_eq(ring_point_position(ring, i), p);
		ck_assert_uint_eq(ring_point_owner(ring, i), points[i].index);
		ck_assert_uint_eq(ring_owner_at(ring, p),
		    owner_by_definition(points, n, p));
		ck_assert_uint_eq(ring_owner_at(ring, p + 1),
		    owner_by_definition(points, n, p + 1));
		ck_assert_uint_eq(ring_owner_at(ring, p - 1),
		    owner_by_definition(points, n, p - 1));
	}
	ring_free(&ring);
}

/* Some owner hashes equal, some positions equal, up to all of them. */
START_TEST(order_is_total_whatever_collides)
{
	static const uint64_t values[] = {1, 2, 3, 16, 300, UINT64_MAX};
	static struct members m;

	members_fill(&m, "cache", 12);
	for (size_t i = 0; i < m.n; i++)
		m.servers[i].weight = (double)(1 + i % 3);
	for (size_t o = 0; o < sizeof(values) / sizeof(values[0]); o++) {
		for (size_t p = 0; p < sizeof(values) / sizeof(values[0]);
		    p++) {
			owner_values = values[o];
			position_values = values[p];
			expect_ring_as_defined(&m, 1);
			expect_ring_as_defined(&m, 40);
		}
	}
}
END_TEST

START_TEST(colliding_servers_are_all_walked)
{
	static struct members m;
	struct placement_spec spec = {.kind = PLACEMENT_RING};
	struct placement *p;
	uint32_t owners[30];
	bool seen[30] = {false};

	owner_values = 1;
	position_values = 1;
	members_fill(&m, "cache", 30);
	p = members_build(&m, &spec);
	ck_assert_uint_eq(placement_owners(p, span_str("key"), 30, owners), 30);
	for (size_t i = 0; i < 30; i++) {
		ck_assert(!seen[owners[i]]);
		seen[owners[i]] = true;
	}
	placement_free(&p);
}
END_TEST

/*
 * Points on the first and on the last position of the circle, and several on
 * one: the exact share against one counted at every place where it can change.
 */
START_TEST(update_is_exact_where_points_collide)
{
	static struct members m;
	struct placement_spec spec = {.kind = PLACEMENT_RING,
	    .points_per_weight = 3};

	owner_values = 2;
	for (position_values = 1; position_values < 12; position_values++) {
		uint64_t step = position_values == 1
		    ? UINT64_MAX
		    : UINT64_MAX / (position_values - 1);
		struct placement *a, *b;
		struct ring_update *u;
		struct ring *ra, *rb;
		enum placement_error error;
		struct err err;
		double moved = 0;

		members_fill(&m, "cache", 4);
		a = members_build(&m, &spec);
		ra = ring_build(&spec, m.servers, m.n, &error, &err);
		ck_assert_ptr_nonnull(ra);
		members_add(&m, "late", 1);
		b = members_build(&m, &spec);
		rb = ring_build(&spec, m.servers, m.n, &error, &err);
		ck_assert_ptr_nonnull(rb);
		u = ring_update_between(a, b);
		ck_assert_ptr_nonnull(u);
		/* Between two values nothing changes; positions past the last
		 * point belong to the arc that wraps. */
		for (uint64_t i = 1; i < position_values; i++) {
			if (ring_owner_at(ra, i * step) !=
			    ring_owner_at(rb, i * step))
				moved += (double)step * 0x1p-64;
		}
		if (position_values == 1 &&
		    ring_owner_at(ra, 1) != ring_owner_at(rb, 1))
			moved = 1;
		ck_assert_double_eq_tol(ring_extent_share(u->moved), moved,
		    1e-9);
		ck_assert(u->is_exact);
		ring_update_free(&u);
		placement_free(&a);
		placement_free(&b);
		ring_free(&ra);
		ring_free(&rb);
	}
}
END_TEST

/* The whole circle to one owner: 2^64 positions, which no uint64_t holds. */
START_TEST(whole_circle_may_move)
{
	static struct members m;
	struct placement_spec spec = {.kind = PLACEMENT_RING};
	struct placement *a, *b;
	struct ring_update *u;

	owner_values = 1;
	position_values = UINT64_MAX;
	members_fill(&m, "old", 1);
	a = members_build(&m, &spec);
	members_fill(&m, "new", 1);
	b = members_build(&m, &spec);
	u = ring_update_between(a, b);
	ck_assert_ptr_nonnull(u);
	ck_assert(u->moved.is_whole);
	ck_assert_uint_eq(u->moved.positions, 0);
	ck_assert_double_eq(ring_extent_share(u->moved), 1.0);
	ck_assert_uint_eq(u->nflows, 1);
	ck_assert(u->flows[0].extent.is_whole);
	ring_update_free(&u);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ring collisions");
	TCase *tc = tcase_create("collisions");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, order_is_total_whatever_collides);
	tcase_add_test(tc, colliding_servers_are_all_walked);
	tcase_add_test(tc, update_is_exact_where_points_collide);
	tcase_add_test(tc, whole_circle_may_move);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
