/*
 * A continuum of 64-bit points. See the header for what it promises.
 *
 * The index cuts the circle into as many equal slices as there are points and
 * holds, for each slice, the first point in it or after it; entry i sits in
 * point i. Points that crowd (some of these rules hash without a finish) are
 * found by bisection, still in log(n) steps.
 */
#include "ring/continuum64.h"

#include "base/mem.h"
#include "ring/ring_sort.h"

/* Points that are tried one by one before bisecting. */
#define STEPS_MAX 8

struct continuum64 {
	struct ring_point	*points;	/* owned */
	size_t			 npoints;	/* added so far; all, sealed */
	size_t			 capacity;
	bool			 is_sealed;
	size_t			 nservers;
	uint32_t		 counts[];	/* points of each server */
};

struct continuum64 *
continuum64_new(const struct rule_build *build, uint64_t npoints)
{
	uint32_t max = build->spec->max_points;
	struct continuum64 *ring;

	MUST(npoints > 0);
	if (max == 0)
		max = CONTINUUM64_POINTS_MAX;
	if (npoints > max) {
		(void)rule_refuse(build, PLACEMENT_STATE_CAPACITY_EXCEEDED,
		    "the servers need %llu points, max_points is %u",
		    (unsigned long long)npoints, max);
		return NULL;
	}
	ring = mem_zalloc(1, sizeof(*ring) +
	    build->n * sizeof(ring->counts[0]));
	if (ring != NULL) {
		ring->nservers = build->n;
		ring->capacity = (size_t)npoints;
		ring->points = mem_zalloc(ring->capacity,
		    sizeof(*ring->points));
	}
	if (ring == NULL || ring->points == NULL) {
		mem_free(ring);
		(void)rule_no_memory(build);
		return NULL;
	}
	return ring;
}

void
continuum64_add(struct continuum64 *ring, uint64_t position, uint32_t owner)
{
	MUST(!ring->is_sealed);
	MUST(ring->npoints < ring->capacity);
	MUST(owner < ring->nservers);
	ring->counts[owner]++;
	ring->points[ring->npoints++] =
	    (struct ring_point){.position = position, .owner = owner};
}

static void
drop_all_but_last(struct continuum64 *ring)
{
	struct ring_point *points = ring->points;
	size_t kept = 0;

	for (size_t i = 0; i < ring->npoints; i++) {
		if (kept > 0 &&
		    points[kept - 1].position == points[i].position)
			ring->counts[points[--kept].owner]--;
		points[kept++] = points[i];
	}
	ring->npoints = kept;
}

static inline size_t
slice_of(const struct continuum64 *ring, uint64_t position)
{
	return (size_t)((position >> 32) * ring->npoints >> 32);
}

static void
fill_index(struct continuum64 *ring)
{
	struct ring_point *points = ring->points;
	uint32_t at = 0;

	for (size_t slice = 0; slice < ring->npoints; slice++) {
		while (at < ring->npoints &&
		    slice_of(ring, points[at].position) < slice)
			at++;
		points[slice].first = at;
	}
}

bool
continuum64_seal(struct continuum64 *ring, enum continuum64_equal equal,
    const struct rule_build *build)
{
	struct ring_point *scratch;

	MUST(!ring->is_sealed);
	MUST(ring->npoints == ring->capacity);
	scratch = mem_zalloc(ring->npoints, sizeof(*scratch));
	if (scratch == NULL)
		return rule_no_memory(build);
	ring_sort(ring->points, scratch, ring->npoints);
	mem_free(scratch);
	switch (equal) {
	case CONTINUUM64_KEEP_ALL:
		break;
	case CONTINUUM64_KEEP_LAST:
		drop_all_but_last(ring);
		break;
	}
	fill_index(ring);
	ring->is_sealed = true;
	return true;
}

void
continuum64_free(struct continuum64 **ring)
{
	if (*ring == NULL)
		return;
	mem_free((*ring)->points);
	mem_free(*ring);
	*ring = NULL;
}

size_t
continuum64_count(const struct continuum64 *ring)
{
	return ring->npoints;
}

uint64_t
continuum64_position(const struct continuum64 *ring, size_t i)
{
	MUST(i < ring->npoints);
	return ring->points[i].position;
}

uint32_t
continuum64_point_owner(const struct continuum64 *ring, size_t i)
{
	MUST(i < ring->npoints);
	return ring->points[i].owner;
}

/* The first of the points from `low` on that is not before `hash`. */
static size_t
bisect(const struct continuum64 *ring, size_t low, uint64_t hash)
{
	size_t high = ring->npoints;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ring->points[middle].position < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t
continuum64_successor(const struct continuum64 *ring, uint64_t hash)
{
	const struct ring_point *points = ring->points;
	size_t at = points[slice_of(ring, hash)].first;
	unsigned steps = 0;

	while (at < ring->npoints && points[at].position < hash) {
		at++;
		if (++steps == STEPS_MAX)
			at = bisect(ring, at, hash);
	}
	return at < ring->npoints ? at : 0;
}

uint32_t
continuum64_owner(const struct continuum64 *ring, uint64_t hash)
{
	return ring->points[continuum64_successor(ring, hash)].owner;
}

bool
continuum64_walk(const struct continuum64 *ring, size_t first,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	MUST(first < ring->npoints);
	for (size_t i = first; i < ring->npoints; i++)
		if (visit(arg, ring->points[i].owner))
			return true;
	for (size_t i = 0; i < first; i++)
		if (visit(arg, ring->points[i].owner))
			return true;
	return false;
}

bool
continuum64_arc(const struct continuum64 *ring, size_t i,
    struct placement_arc *arc_r)
{
	if (i > ring->npoints)
		return false;
	/* Behind the last point, hashes go round to the first. */
	if (i == ring->npoints)
		*arc_r = (struct placement_arc){
		    UINT64_MAX, ring->points[0].owner};
	else
		*arc_r = (struct placement_arc){
		    ring->points[i].position, ring->points[i].owner};
	return true;
}

size_t
continuum64_bytes(const struct continuum64 *ring)
{
	return ring->capacity * sizeof(*ring->points);
}

uint64_t
continuum64_points(const struct continuum64 *ring, uint32_t server)
{
	MUST(server < ring->nservers);
	return ring->counts[server];
}
