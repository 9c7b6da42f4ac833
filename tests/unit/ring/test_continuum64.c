/* The continuum of 64-bit points. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ring/continuum64.h"

#define SERVERS 10

/* How the points of a test lie. */
enum spread {
	EVEN,		/* all over the circle */
	CROWDED,	/* in one corner, where the index is no help */
	LOW,		/* in the low half of the bits: one slice for all */
	DOUBLED,	/* few positions, many points on each */
	SPREADS
};

struct fixture {
	struct placement_spec	 spec;
	enum placement_error	 error;
	struct err		 err;
	struct rule_build	 build;
};

static struct rule_build *
setup(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->spec.kind = PLACEMENT_ZIG_HASHRING;
	f->build.spec = &f->spec;
	f->build.n = SERVERS;
	f->build.error_r = &f->error;
	f->build.err = &f->err;
	return &f->build;
}

static uint64_t
position(enum spread spread, uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) +
	    UINT64_C(1442695040888963407);
	switch (spread) {
	case EVEN:
		return *random ^ *random >> 32;
	case CROWDED:
		return UINT64_MAX - (*random >> 50);
	case LOW:
		return *random >> 40;
	case DOUBLED:
		return (*random >> 59) << 59;
	case SPREADS:
		break;
	}
	ck_abort();
}

struct point {
	uint64_t	position;
	uint32_t	owner;
};

/* Points in the order in which they are added, and a sealed ring of them. */
static struct continuum64 *
make(struct fixture *f, enum spread spread, struct point *points, size_t n,
    enum continuum64_equal equal)
{
	struct continuum64 *ring = continuum64_new(setup(f), n);
	uint64_t random = n;

	ck_assert_msg(ring != NULL, "%s", f->err.text);
	for (size_t i = 0; i < n; i++) {
		points[i].position = position(spread, &random);
		points[i].owner = (uint32_t)(random >> 40) % SERVERS;
		continuum64_add(ring, points[i].position, points[i].owner);
	}
	ck_assert(continuum64_seal(ring, equal, &f->build));
	return ring;
}

/* The owner by a look at every point. */
static uint32_t
slow_owner(const struct point *points, size_t n, uint64_t hash,
    enum continuum64_equal equal)
{
	uint64_t nearest = UINT64_MAX;
	uint32_t owner = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		uint64_t ahead = points[i].position - hash;
		bool is_equal = ahead == nearest;

		if (owner == UINT32_MAX || ahead < nearest ||
		    (is_equal && equal == CONTINUUM64_KEEP_LAST)) {
			nearest = ahead;
			owner = points[i].owner;
		}
	}
	return owner;
}

static void
expect_owners(const struct continuum64 *ring, const struct point *points,
    size_t n, enum continuum64_equal equal)
{
	static const int64_t around[] = {-1, 0, 1};
	uint64_t random = 7;

	for (size_t i = 0; i < 200; i++) {
		uint64_t hash = points[(i * 31) % n].position;

		if (i >= 100)
			hash = position(EVEN, &random);
		for (size_t a = 0; a < 3; a++) {
			uint64_t h = hash + (uint64_t)around[a];

			ck_assert_uint_eq(continuum64_owner(ring, h),
			    slow_owner(points, n, h, equal));
		}
	}
	ck_assert_uint_eq(continuum64_owner(ring, 0),
	    slow_owner(points, n, 0, equal));
	ck_assert_uint_eq(continuum64_owner(ring, UINT64_MAX),
	    slow_owner(points, n, UINT64_MAX, equal));
}

START_TEST(searches_agree_with_a_look_at_every_point)
{
	static const size_t sizes[] = {1, 2, 3, 64, 65, 1000, 5000};
	static struct point points[5000];
	struct fixture f;

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		for (int equal = 0; equal < 2; equal++) {
			struct continuum64 *ring = make(&f, (enum spread)_i,
			    points, sizes[s], (enum continuum64_equal)equal);

			expect_owners(ring, points, sizes[s],
			    (enum continuum64_equal)equal);
			continuum64_free(&ring);
			ck_assert_ptr_null(ring);
		}
	}
}
END_TEST

START_TEST(of_equals_only_the_last_may_be_kept)
{
	static struct point points[1000];
	struct fixture f;
	struct continuum64 *all = make(&f, DOUBLED, points, 1000,
	    CONTINUUM64_KEEP_ALL);
	struct continuum64 *last = make(&f, DOUBLED, points, 1000,
	    CONTINUUM64_KEEP_LAST);
	uint64_t left = 0;

	ck_assert_uint_eq(continuum64_count(all), 1000);
	/* Five bits of the hash: 32 positions. */
	ck_assert_uint_eq(continuum64_count(last), 32);
	for (uint32_t i = 0; i < SERVERS; i++)
		left += continuum64_points(last, i);
	ck_assert_uint_eq(left, 32);
	for (size_t i = 0; i < 32; i++) {
		uint64_t at = continuum64_position(last, i);

		ck_assert_uint_eq(at, (uint64_t)i << 59);
		ck_assert_uint_eq(continuum64_point_owner(last, i),
		    slow_owner(points, 1000, at, CONTINUUM64_KEEP_LAST));
	}
	continuum64_free(&all);
	continuum64_free(&last);
}
END_TEST

struct visits {
	size_t	n;
	size_t	stop_at;
	uint32_t owners[100];
};

static bool
visit(void *arg, uint32_t owner)
{
	struct visits *v = arg;

	ck_assert_uint_lt(v->n, 100);
	v->owners[v->n++] = owner;
	return v->n == v->stop_at;
}

START_TEST(a_walk_goes_round_once_unless_stopped)
{
	static struct point points[50];
	struct fixture f;
	struct continuum64 *ring = make(&f, EVEN, points, 50,
	    CONTINUUM64_KEEP_ALL);
	struct visits v = {0, 0, {0}};

	ck_assert(!continuum64_walk(ring, 17, visit, &v));
	ck_assert_uint_eq(v.n, 50);
	for (size_t i = 0; i < 50; i++)
		ck_assert_uint_eq(v.owners[i],
		    continuum64_point_owner(ring, (17 + i) % 50));
	v.n = 0;
	v.stop_at = 40;
	ck_assert(continuum64_walk(ring, 17, visit, &v));
	ck_assert_uint_eq(v.n, 40);
	continuum64_free(&ring);
}
END_TEST

START_TEST(sizes_are_checked_before_memory_is_taken)
{
	struct fixture f;
	struct rule_build *build = setup(&f);

	mem_fail_after(0);
	ck_assert_ptr_null(continuum64_new(build, CONTINUUM64_POINTS_MAX + 1));
	ck_assert_int_eq(f.error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	ck_assert_str_eq(f.err.text, "placement zig-hashring: the servers "
	    "need 1048577 points, max_points is 1048576");
	f.spec.max_points = 8;
	ck_assert_ptr_null(continuum64_new(build, 9));
	ck_assert_str_eq(f.err.text, "placement zig-hashring: the servers "
	    "need 9 points, max_points is 8");
	ck_assert(!mem_has_failed());
	mem_fail_after(-1);
}
END_TEST

START_TEST(each_allocation_may_fail)
{
	struct fixture f;
	struct rule_build *build = setup(&f);
	struct continuum64 *ring;

	for (int64_t i = 0; i < 2; i++) {
		mem_fail_after(i);
		ck_assert_ptr_null(continuum64_new(build, 1));
		mem_fail_after(-1);
		ck_assert_int_eq(f.error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	}
	ring = continuum64_new(build, 1);
	ck_assert_ptr_nonnull(ring);
	continuum64_add(ring, 1, 0);
	f.error = PLACEMENT_OK;
	mem_fail_after(0);
	ck_assert(!continuum64_seal(ring, CONTINUUM64_KEEP_ALL, build));
	mem_fail_after(-1);
	ck_assert_int_eq(f.error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	continuum64_free(&ring);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("continuum64");
	TCase *tc = tcase_create("continuum64");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, searches_agree_with_a_look_at_every_point, 0,
	    SPREADS);
	tcase_add_test(tc, of_equals_only_the_last_may_be_kept);
	tcase_add_test(tc, a_walk_goes_round_once_unless_stopped);
	tcase_add_test(tc, sizes_are_checked_before_memory_is_taken);
	tcase_add_test(tc, each_allocation_may_fail);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
