/*
 * How fast the native ring is, next to the plain ways: a look-up against a
 * binary search over the same points, a build against qsort() of the same
 * points, and the bytes that a point keeps.
 *
 *	ring_bench		prints a table
 *	ring_bench --check	also fails where a target is missed
 *
 * Each figure is the best of several runs in this thread's processor time, as
 * whatever else the machine does only ever adds to it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "ring/ring.h"
#include "ring/ring_sort.h"

#define RUNS	 7
#define LOOK_UPS 1000000

/* At a million points, and at 3 servers; see the table. */
#define TARGET_LOOK_UP_LARGE 5.0
#define TARGET_LOOK_UP_SMALL 1.0
#define TARGET_BUILD	     5.0
#define TARGET_BYTES	     16.0

/* One membership, its ring, and its points as the plain ways have them. */
struct bench {
	size_t			 nservers;
	struct placement_server	*servers;
	char			(*names)[32];
	struct ring		*ring;
	size_t			 npoints;
	struct ring_point	*shuffled;
	struct ring_point	*work;
	uint64_t		*positions;
	uint32_t		*owners;
	uint64_t		*wanted;	/* LOOK_UPS positions */
};

/* What was measured; times in nanoseconds. */
struct figures {
	double	look_up, bisect;	/* each */
	double	build, sort, qsort;	/* all points */
	double	bytes;			/* a point */
};

static double
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void
keep_best(double *best, double ns)
{
	if (*best == 0 || ns < *best)
		*best = ns;
}

static void *
take(size_t n, size_t size)
{
	void *p = mem_zalloc(n, size);

	if (p == NULL) {
		fprintf(stderr, "ring_bench: out of memory\n");
		exit(EXIT_FAILURE);
	}
	return p;
}

static struct ring *
build(const struct bench *b)
{
	struct placement_spec spec = {.kind = PLACEMENT_RING};
	enum placement_error error;
	struct err err;
	struct ring *ring;

	ring = ring_build(&spec, b->servers, b->nservers, &error, &err);
	if (ring == NULL) {
		fprintf(stderr, "ring_bench: %s\n", err.text);
		exit(EXIT_FAILURE);
	}
	return ring;
}

static void
prepare(struct bench *b, size_t nservers)
{
	b->nservers = nservers;
	b->servers = take(nservers, sizeof(*b->servers));
	b->names = take(nservers, sizeof(*b->names));
	for (size_t i = 0; i < nservers; i++) {
		snprintf(b->names[i], sizeof(b->names[i]), "cache-%zu", i);
		b->servers[i].name = span_str(b->names[i]);
		b->servers[i].weight = 1;
	}
	b->ring = build(b);
	b->npoints = ring_points(b->ring);
	b->shuffled = take(b->npoints, sizeof(*b->shuffled));
	b->work = take(2 * b->npoints, sizeof(*b->work));
	b->positions = take(b->npoints, sizeof(*b->positions));
	b->owners = take(b->npoints, sizeof(*b->owners));
	b->wanted = take(LOOK_UPS, sizeof(*b->wanted));
	for (size_t i = 0; i < b->npoints; i++) {
		b->positions[i] = ring_point_position(b->ring, i);
		b->owners[i] = ring_point_owner(b->ring, i);
		b->shuffled[i].position = b->positions[i];
		b->shuffled[i].owner = b->owners[i];
	}
	for (size_t i = b->npoints - 1; i > 0; i--) {
		size_t k = (size_t)(hash_mix64(i) % (i + 1));
		struct ring_point point = b->shuffled[i];

		b->shuffled[i] = b->shuffled[k];
		b->shuffled[k] = point;
	}
	for (size_t i = 0; i < LOOK_UPS; i++)
		b->wanted[i] = hash_mix64(i + 12345);
}

static void
discard(struct bench *b)
{
	mem_free(b->servers);
	mem_free(b->names);
	ring_free(&b->ring);
	mem_free(b->shuffled);
	mem_free(b->work);
	mem_free(b->positions);
	mem_free(b->owners);
	mem_free(b->wanted);
}

/* The plain way: the first of the positions that is not before `wanted`. */
static uint32_t
bisect(const struct bench *b, uint64_t wanted)
{
	size_t low = 0, high = b->npoints;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->positions[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return b->owners[low == b->npoints ? 0 : low];
}

/* The sum of the owners shows that both did the work. */
static void
measure_look_ups(const struct bench *b, struct figures *f)
{
	for (int run = 0; run < RUNS; run++) {
		uint64_t sum = 0, sum_of_bisect = 0;
		double start = now_ns();

		for (size_t i = 0; i < LOOK_UPS; i++)
			sum += ring_owner_at(b->ring, b->wanted[i]);
		keep_best(&f->look_up, (now_ns() - start) / LOOK_UPS);
		start = now_ns();
		for (size_t i = 0; i < LOOK_UPS; i++)
			sum_of_bisect += bisect(b, b->wanted[i]);
		keep_best(&f->bisect, (now_ns() - start) / LOOK_UPS);
		if (sum != sum_of_bisect) {
			fprintf(stderr, "ring_bench: owners differ\n");
			exit(EXIT_FAILURE);
		}
	}
}

static int
compare(const void *a, const void *b)
{
	const struct ring_point *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return (x->owner > y->owner) - (x->owner < y->owner);
}

static void
measure_builds(struct bench *b, struct figures *f)
{
	size_t bytes = b->npoints * sizeof(*b->work);

	for (int run = 0; run < RUNS; run++) {
		struct ring *ring;
		double start = now_ns();

		ring = build(b);
		keep_best(&f->build, now_ns() - start);
		ring_free(&ring);
		memcpy(b->work, b->shuffled, bytes);
		start = now_ns();
		ring_sort(b->work, b->work + b->npoints, b->npoints);
		keep_best(&f->sort, now_ns() - start);
		memcpy(b->work, b->shuffled, bytes);
		start = now_ns();
		qsort(b->work, b->npoints, sizeof(*b->work), compare);
		keep_best(&f->qsort, now_ns() - start);
	}
	f->bytes = (double)ring_bytes(b->ring) / (double)b->npoints;
}

/* Whole look-ups of keys of 20 bytes, hash and all. */
static void
measure_keys(const struct bench *b)
{
	static const enum hash_kind kinds[] = {HASH_FNV1A_64, HASH_XXH3,
	    HASH_SIPHASH};
	static char keys[4096][21];

	for (size_t i = 0; i < 4096; i++)
		snprintf(keys[i], sizeof(keys[i]), "user:%015zu", i);
	for (size_t k = 0; k < 3; k++) {
		struct placement_spec spec = {.hash = kinds[k],
		    .hash_key = {1}};
		enum placement_error error;
		struct err err;
		struct placement *p;
		uint64_t sum = 0;
		double best = 0;

		p = placement_build(&spec, b->servers, b->nservers, &error,
		    &err);
		if (p == NULL)
			exit(EXIT_FAILURE);
		for (int run = 0; run < RUNS; run++) {
			double start = now_ns();

			for (size_t i = 0; i < LOOK_UPS; i++)
				sum += placement_owner(p,
				    span_of(keys[i % 4096], 20));
			keep_best(&best, (now_ns() - start) / LOOK_UPS);
		}
		printf("  key of 20 bytes, %-8s  %6.1f ns  (mean owner %.1f)"
		    "\n", hash_kind_name(kinds[k]), best,
		    (double)sum / RUNS / LOOK_UPS);
		placement_free(&p);
	}
}

static bool
meets(const char *what, double figure, double target, bool is_enough)
{
	if (!is_enough)
		printf("  MISSED: %s is %.2f, the target %.2f\n", what, figure,
		    target);
	return is_enough;
}

/* Whether all targets that apply to this size are met. */
static bool
judge(const struct bench *b, const struct figures *f)
{
	bool is_large = b->npoints >= 1000000, is_small = b->nservers <= 3;
	double faster = f->bisect / f->look_up;
	double sooner = f->qsort / f->build;
	bool is_met = meets("bytes a point", f->bytes, TARGET_BYTES,
	    f->bytes <= TARGET_BYTES);

	if (is_large)
		is_met &= meets("look-up, times faster", faster,
		    TARGET_LOOK_UP_LARGE, faster >= TARGET_LOOK_UP_LARGE);
	if (is_small)
		is_met &= meets("look-up, times faster", faster,
		    TARGET_LOOK_UP_SMALL, faster >= TARGET_LOOK_UP_SMALL);
	if (is_large)
		is_met &= meets("build, times faster", sooner, TARGET_BUILD,
		    sooner >= TARGET_BUILD);
	return is_met;
}

int
main(int argc, char **argv)
{
	static const size_t sizes[] = {3, 10, 100, 1000, 8192};
	bool is_checked = argc > 1 && strcmp(argv[1], "--check") == 0;
	bool is_met = true;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct bench b = {0};
		struct figures f = {0};

		prepare(&b, sizes[i]);
		measure_look_ups(&b, &f);
		measure_builds(&b, &f);
		printf("%zu servers, %zu points\n"
		    "  look-up %6.1f ns    binary search %6.1f ns   %5.1f x\n"
		    "  build %9.3f ms   qsort %9.3f ms   %5.1f x   "
		    "(sort alone %.3f ms)\n  bytes a point %.1f\n", b.nservers,
		    b.npoints, f.look_up, f.bisect, f.bisect / f.look_up,
		    f.build / 1e6, f.qsort / 1e6, f.qsort / f.build,
		    f.sort / 1e6, f.bytes);
		measure_keys(&b);
		is_met &= judge(&b, &f);
		discard(&b);
	}
	return is_checked && !is_met ? EXIT_FAILURE : EXIT_SUCCESS;
}
