/* The radix sort of points against a plain one. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "ring/hash.h"
#include "ring/ring_sort.h"

#define POINTS_MAX 20000

/* The owner is the place where the point was, so it tells equal ones apart. */
static int
compare(const void *a, const void *b)
{
	const struct ring_point *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static void
expect_sorted_stably(uint64_t (*position)(uint64_t i), size_t n)
{
	static struct ring_point points[POINTS_MAX], scratch[POINTS_MAX],
	    expected[POINTS_MAX];

	for (size_t i = 0; i < n; i++) {
		points[i].position = position(i);
		points[i].owner = (uint32_t)i;
		points[i].first = 0;
	}
	memcpy(expected, points, n * sizeof(points[0]));
	qsort(expected, n, sizeof(expected[0]), compare);
	ring_sort(points, scratch, n);
	ck_assert_mem_eq(points, expected, n * sizeof(points[0]));
}

static uint64_t
spread(uint64_t i)
{
	return hash_mix64(i);
}

static uint64_t
all_equal(uint64_t i)
{
	(void)i;
	return 7;
}

static uint64_t
few_values(uint64_t i)
{
	return hash_mix64(i) % 16 << 60;
}

/* They differ in the lowest digits only, where the top ones see nothing. */
static uint64_t
crowded_low(uint64_t i)
{
	return (hash_mix64(i) & 0xffffff) | UINT64_C(0x123) << 52;
}

static uint64_t
crowded_middle(uint64_t i)
{
	return (hash_mix64(i) & 0xffff) << 24;
}

static uint64_t
falling(uint64_t i)
{
	return UINT64_MAX - i;
}

static uint64_t
rising_from_zero(uint64_t i)
{
	return i;
}

static uint64_t
extremes(uint64_t i)
{
	return hash_mix64(i) & 1 ? UINT64_MAX : 0;
}

START_TEST(order_is_that_of_a_plain_sort)
{
	static uint64_t (*const kinds[])(uint64_t) = {spread, all_equal,
	    few_values, crowded_low, crowded_middle, falling,
	    rising_from_zero, extremes};
	static const size_t sizes[] = {0, 1, 2, 3, 63, 64, 65, 100, 384, 2048,
	    POINTS_MAX};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			expect_sorted_stably(kinds[k], sizes[s]);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ring sort");
	TCase *tc = tcase_create("sort");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, order_is_that_of_a_plain_sort);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
