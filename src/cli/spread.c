/* How evenly a placement spreads the hash space. */
#include "cli/spread.h"

#include <math.h>

#include "base/mem.h"
#include "ring/ring.h"
#include "ring/ring_shares.h"

/*
 * A million keys, but fewer in a pool of so many servers that a rule which
 * asks each of them about each key would take more than some seconds.
 */
#define KEYS_MAX_OF_SAMPLE (1u << 20)
#define KEYS_MIN_OF_SAMPLE (1u << 16)
#define SCORES_MAX	   (1u << 27)

const uint32_t spread_table_points[SPREAD_TABLE_ROWS] = {
	1, 10, 50, 100, 200, 500,
};

static uint32_t
sample_size(size_t nservers)
{
	size_t nkeys = SCORES_MAX / nservers;

	if (nkeys > KEYS_MAX_OF_SAMPLE)
		return KEYS_MAX_OF_SAMPLE;
	return nkeys < KEYS_MIN_OF_SAMPLE ? KEYS_MIN_OF_SAMPLE :
	    (uint32_t)nkeys;
}

static bool
measure_exactly(struct spread *s, const struct placement *p)
{
	struct ring_extent *extents = mem_zalloc(s->n, sizeof(*extents));

	if (extents == NULL)
		return false;
	if (ring_shares_exact(p, extents)) {
		for (size_t i = 0; i < s->n; i++)
			s->shares[i] = ring_extent_share(extents[i]);
	} else {
		s->nkeys = sample_size(s->n);
	}
	mem_free(extents);
	return true;
}

static bool
measure_sampled(struct spread *s, const struct placement *p)
{
	uint64_t *counts = mem_zalloc(s->n, sizeof(*counts));

	if (counts == NULL)
		return false;
	ring_shares_sampled(p, s->nkeys, counts);
	for (size_t i = 0; i < s->n; i++)
		s->shares[i] = (double)counts[i] / s->nkeys;
	mem_free(counts);
	return true;
}

static void
set_ideals(struct spread *s, const struct placement *p)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += placement_server_at(p, i)->weight;
	/* Rules take a weight of zero, but not of nothing else. */
	MUST(sum > 0);
	for (size_t i = 0; i < s->n; i++)
		s->ideals[i] = placement_server_at(p, i)->weight / sum;
}

static void
summarise(struct spread *s)
{
	double squares = 0;

	s->max_over_mean = 0;
	s->min_over_mean = INFINITY;
	for (size_t i = 0; i < s->n; i++) {
		double ratio = s->shares[i] / s->ideals[i];

		if (s->ideals[i] == 0)
			continue;
		squares += s->ideals[i] * (ratio - 1) * (ratio - 1);
		if (ratio > s->max_over_mean) {
			s->max_over_mean = ratio;
			s->heaviest = i;
		}
		if (ratio < s->min_over_mean) {
			s->min_over_mean = ratio;
			s->lightest = i;
		}
	}
	s->deviation = sqrt(squares);
}

bool
spread_init(struct spread *s, const struct placement *p)
{
	*s = (struct spread){.n = placement_servers(p)};
	s->shares = mem_zalloc(s->n, sizeof(*s->shares));
	s->ideals = mem_zalloc(s->n, sizeof(*s->ideals));
	if (s->shares == NULL || s->ideals == NULL || !measure_exactly(s, p))
		return false;
	if (s->nkeys > 0 && !measure_sampled(s, p))
		return false;
	set_ideals(s, p);
	summarise(s);
	return true;
}

void
spread_fini(struct spread *s)
{
	mem_free(s->shares);
	mem_free(s->ideals);
}

bool
spread_fits(const struct placement *ring, uint32_t points_per_weight,
    struct err *err)
{
	const struct placement_spec *spec = placement_spec_of(ring);
	uint64_t most = spec->max_points > 0 ? spec->max_points :
	    RING_MAX_POINTS;
	uint64_t units = placement_points(ring) /
	    (spec->points_per_weight > 0 ? spec->points_per_weight :
	    RING_POINTS_PER_WEIGHT);

	/* Both are at most 2^32, so the product fits. */
	err_set(err, "needs %llu points, max_points is %llu",
	    (unsigned long long)(units * points_per_weight),
	    (unsigned long long)most);
	return units * points_per_weight <= most;
}

struct placement *
spread_rebuild(const struct placement *ring, uint32_t points_per_weight)
{
	struct placement_spec spec = *placement_spec_of(ring);
	size_t n = placement_servers(ring);
	struct placement_server *servers = mem_zalloc(n, sizeof(*servers));
	enum placement_error error;
	struct placement *other;
	struct err err;

	if (servers == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++)
		servers[i] = *placement_server_at(ring, i);
	spec.points_per_weight = points_per_weight;
	other = placement_build(&spec, servers, n, &error, &err);
	mem_free(servers);
	return other;
}
