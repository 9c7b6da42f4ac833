/*
 * Whole look-ups of keys, hash and all, by our placements and by
 * libmemcached itself: the same servers, the same keys, and, where the
 * placement is libmemcached's, the same owners.
 *
 * libmemcached 1.1.4 stops itself with a few hundred servers: none are tried.
 *
 * Built where libmemcached's headers are. Each figure is the best of several
 * runs in this thread's processor time.
 */
#include <libmemcached/memcached.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ring/placement.h"

#define RUNS	 5
#define LOOK_UPS 1000000
#define KEYS	 4096
#define KEY_LEN	 20

/* Servers 10.0.x.y:11211, of equal weight, in both libraries' forms. */
struct fleet {
	size_t			 n;
	char			(*hosts)[16];
	char			(*names)[24];
	struct placement_server	*servers;
	memcached_st		*memc;
};

static char keys[KEYS][KEY_LEN + 1];

static double
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void *
take(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL) {
		fprintf(stderr, "ketama_bench: out of memory\n");
		exit(EXIT_FAILURE);
	}
	return p;
}

static void
fleet_init(struct fleet *f, size_t n)
{
	f->n = n;
	f->hosts = take(n, sizeof(*f->hosts));
	f->names = take(n, sizeof(*f->names));
	f->servers = take(n, sizeof(*f->servers));
	f->memc = memcached_create(NULL);
	memcached_behavior_set(f->memc, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
	for (size_t i = 0; i < n; i++) {
		snprintf(f->hosts[i], sizeof(f->hosts[i]), "10.0.%u.%u",
		    (unsigned)(i >> 8) & 0xff, (unsigned)i & 0xff);
		snprintf(f->names[i], sizeof(f->names[i]), "%s:11211",
		    f->hosts[i]);
		f->servers[i] = (struct placement_server){
			.name = span_str(f->names[i]),
			.host = span_str(f->hosts[i]),
			.port = 11211,
			.weight = 1,
		};
		memcached_server_add(f->memc, f->hosts[i], 11211);
	}
}

static void
fleet_fini(struct fleet *f)
{
	memcached_free(f->memc);
	free(f->hosts);
	free(f->names);
	free(f->servers);
}

static void
keep_best(double *best, double ns)
{
	if (*best == 0 || ns < *best)
		*best = ns;
}

/* Nanoseconds a look-up; the sum of the owners is for comparing. */
static double
time_libmemcached(const struct fleet *f, uint64_t *sum_r)
{
	double best = 0;

	for (int run = 0; run < RUNS; run++) {
		double start = now_ns();

		*sum_r = 0;
		for (size_t i = 0; i < LOOK_UPS; i++)
			*sum_r += memcached_generate_hash(f->memc,
			    keys[i % KEYS], KEY_LEN);
		keep_best(&best, (now_ns() - start) / LOOK_UPS);
	}
	return best;
}

static double
time_ours(const struct fleet *f, enum placement_kind kind, uint64_t *sum_r)
{
	struct placement_spec spec = {.kind = kind};
	enum placement_error error;
	struct err err;
	struct placement *p = placement_build(&spec, f->servers, f->n, &error,
	    &err);
	double best = 0;

	if (p == NULL) {
		fprintf(stderr, "ketama_bench: %s\n", err.text);
		exit(EXIT_FAILURE);
	}
	for (int run = 0; run < RUNS; run++) {
		double start = now_ns();

		*sum_r = 0;
		for (size_t i = 0; i < LOOK_UPS; i++)
			*sum_r += placement_owner(p,
			    span_of(keys[i % KEYS], KEY_LEN));
		keep_best(&best, (now_ns() - start) / LOOK_UPS);
	}
	placement_free(&p);
	return best;
}

int
main(void)
{
	static const size_t sizes[] = {3, 10, 100};

	for (size_t i = 0; i < KEYS; i++)
		snprintf(keys[i], sizeof(keys[i]), "user:%015zu", i);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t theirs_sum, ours_sum, ring_sum;
		double theirs, ours, ring;
		struct fleet f;

		fleet_init(&f, sizes[i]);
		theirs = time_libmemcached(&f, &theirs_sum);
		ours = time_ours(&f, PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED,
		    &ours_sum);
		ring = time_ours(&f, PLACEMENT_RING, &ring_sum);
		printf("%zu servers: libmemcached %.1f ns, the same placement "
		    "%.1f ns (%.1f x), native ring %.1f ns (%.1f x)\n",
		    sizes[i], theirs, ours, theirs / ours, ring,
		    theirs / ring);
		fleet_fini(&f);
		if (theirs_sum != ours_sum) {
			fprintf(stderr, "ketama_bench: owners differ\n");
			return EXIT_FAILURE;
		}
	}
	return EXIT_SUCCESS;
}
