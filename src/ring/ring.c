/*
 * The native ring.
 *
 *	0                       circle of 2^64 positions                  2^64
 *	|---*------*--*-------*--------*---*-------*------*----*----------|
 *	    p0     p1 p2      p3       p4  p5      p6     p7   p8
 *	|------|------|------|------|------|------|------|------|---------|
 *	 slice 0       2             4             6             8
 *
 * The index cuts the circle into as many equal slices as there are points and
 * holds, for each slice, the first point in it or after it. A key's slice is
 * one multiplication away, and since positions are spread evenly its owner is
 * a step or two from that point. Entry i of the index sits in point i.
 *
 * Order of points: position, then owner hash, replica number, server index.
 * They are emitted in the order of the last three, and the sort by position
 * keeps the order of equals; so nothing but the position is ever compared.
 */
#include "ring/ring.h"

#include "base/mem.h"
#include "ring/gcd.h"
#include "ring/ring_hash.h"
#include "ring/ring_sort.h"
#include "ring/rule.h"

struct ring {			/* immutable after build */
	struct ring_hash	 hash;
	struct ring_point	*points;	/* owned, in order */
	uint32_t		 npoints;
	uint32_t		 nservers;
	uint32_t		 points_per_weight;
	uint64_t		 divisor;
	const struct placement_server *servers;	/* lent, outlives us */
};

static const double weight_max = 9007199254740992.0;	/* 2^53 */

/* The divisor of all weights; 0 when one is no whole number: `err`. */
static uint64_t
find_divisor(const struct placement_server *servers, size_t n,
    struct err *err)
{
	uint64_t divisor = 0;

	for (size_t i = 0; i < n; i++) {
		double w = servers[i].weight;

		if (!(w >= 1 && w <= weight_max) || (double)(uint64_t)w != w) {
			struct span name = servers[i].name;

			err_set(err, "server \"%.*s\" has weight %g; "
			    "placement ring takes whole numbers from 1",
			    (int)(name.len > 200 ? 200 : name.len), name.p, w);
			return 0;
		}
		divisor = gcd((uint64_t)w, divisor);
	}
	return divisor;
}

/* Points of all servers together, or UINT64_MAX if that does not fit. */
static uint64_t
count_points(const struct ring *ring)
{
	uint64_t sum = 0, points;

	for (uint32_t i = 0; i < ring->nservers; i++) {
		uint64_t w = (uint64_t)ring->servers[i].weight / ring->divisor;

		if (__builtin_mul_overflow(w, ring->points_per_weight,
		    &points) || __builtin_add_overflow(sum, points, &sum))
			return UINT64_MAX;
	}
	return sum;
}

/* Sets how many points there will be, unless there are too many. */
static bool
check_cap(struct ring *ring, uint32_t max_points, struct err *err)
{
	uint64_t npoints = count_points(ring);

	if (npoints > max_points) {
		err_set(err, "the ring would need %s%llu points (%u servers, "
		    "%u points a unit of weight, weights divided by %llu), "
		    "more than max_points %u",
		    npoints == UINT64_MAX ? "over " : "",
		    (unsigned long long)npoints, ring->nservers,
		    ring->points_per_weight, (unsigned long long)ring->divisor,
		    max_points);
		return false;
	}
	ring->npoints = (uint32_t)npoints;
	return true;
}

/*
 * Fills in the points of servers order[0..n-1], which have the same owner
 * hash, by replica number and index; how many.
 */
static size_t
emit_group(const struct ring *ring, const struct ring_point *order, size_t n,
    struct ring_point *out)
{
	struct ring_hash_points hash;
	size_t len = 0, before = SIZE_MAX;

	if (n == 1) {
		uint64_t count = ring_server_points(ring, order->owner);

		ring_hash_points_init(&hash, &ring->hash,
		    ring->servers[order->owner].name);
		for (uint64_t r = 0; r < count; r++) {
			out[r].position = ring_hash_point(&hash, r);
			out[r].owner = order->owner;
		}
		return count;
	}
	for (uint64_t r = 0; len != before; r++) {
		before = len;
		for (size_t i = 0; i < n; i++) {
			uint32_t owner = order[i].owner;

			if (r >= ring_server_points(ring, owner))
				continue;
			ring_hash_points_init(&hash, &ring->hash,
			    ring->servers[owner].name);
			out[len].position = ring_hash_point(&hash, r);
			out[len++].owner = owner;
		}
	}
	return len;
}

/*
 * Fills in all points by owner hash, replica number and index. `order` has
 * room for twice the servers.
 */
static void
emit_points(struct ring *ring, struct ring_point *order)
{
	size_t n = ring->nservers, len = 0;

	for (uint32_t i = 0; i < n; i++) {
		order[i].position = ring_hash_owner(&ring->hash,
		    ring->servers[i].name);
		order[i].owner = i;
	}
	ring_sort(order, order + n, n);
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		while (end < n && order[end].position == order[i].position)
			end++;
		len += emit_group(ring, order + i, end - i,
		    ring->points + len);
	}
	MUST(len == ring->npoints);
}

/* The slice of the circle, of as many as there are points, of a position. */
static size_t
slice_of(uint64_t position, uint32_t npoints)
{
	return (size_t)((position >> 32) * npoints >> 32);
}

static void
fill_index(struct ring *ring)
{
	uint32_t at = 0;

	for (size_t slice = 0; slice < ring->npoints; slice++) {
		while (at < ring->npoints && slice_of(
		    ring->points[at].position, ring->npoints) < slice)
			at++;
		ring->points[slice].first = at;
	}
}

/* Puts the points of all servers in place; false: no memory. */
static bool
fill_points(struct ring *ring)
{
	struct ring_point *scratch;

	/* Room to sort the points, or before that the servers. */
	size_t room = ring->npoints > 2 * (size_t)ring->nservers
	    ? ring->npoints
	    : 2 * (size_t)ring->nservers;

	ring->points = mem_resize(NULL, ring->npoints, sizeof(*ring->points));
	scratch = mem_resize(NULL, room, sizeof(*scratch));
	if (ring->points == NULL || scratch == NULL) {
		mem_free(scratch);
		return false;
	}
	mem_hint_large(ring->points, ring->npoints * sizeof(*ring->points));
	mem_hint_large(scratch, room * sizeof(*scratch));
	emit_points(ring, scratch);
	ring_sort(ring->points, scratch, ring->npoints);
	mem_free(scratch);
	fill_index(ring);
	return true;
}

static enum placement_error
fill_ring(struct ring *ring, const struct placement_spec *spec,
    struct err *err)
{
	uint32_t max_points =
	    spec->max_points == 0 ? RING_MAX_POINTS : spec->max_points;

	if (!ring_hash_init(&ring->hash, spec, err))
		return PLACEMENT_UNSUPPORTED;
	ring->divisor = find_divisor(ring->servers, ring->nservers, err);
	if (ring->divisor == 0)
		return PLACEMENT_UNSUPPORTED;
	if (!check_cap(ring, max_points, err))
		return PLACEMENT_STATE_CAPACITY_EXCEEDED;
	if (!fill_points(ring)) {
		err_set(err, "out of memory for a ring of %u points",
		    ring->npoints);
		return PLACEMENT_STATE_CAPACITY_EXCEEDED;
	}
	return PLACEMENT_OK;
}

struct ring *
ring_build(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n,
    enum placement_error *error_r, struct err *err)
{
	struct ring *ring;

	MUST(n >= 1 && n < PLACEMENT_NONE);
	ring = mem_zalloc(1, sizeof(*ring));
	if (ring == NULL) {
		err_set(err, "out of memory for a ring");
		*error_r = PLACEMENT_STATE_CAPACITY_EXCEEDED;
		return NULL;
	}
	ring->servers = servers;
	ring->nservers = (uint32_t)n;
	ring->points_per_weight = spec->points_per_weight == 0
	    ? RING_POINTS_PER_WEIGHT
	    : spec->points_per_weight;
	*error_r = fill_ring(ring, spec, err);
	if (*error_r != PLACEMENT_OK)
		ring_free(&ring);
	return ring;
}

void
ring_free(struct ring **ring)
{
	if (*ring == NULL)
		return;
	mem_free((*ring)->points);
	mem_free(*ring);
	*ring = NULL;
}

/* The first of points `at` to `end`, at most, that is not before `position`. */
static uint32_t
bisect(const struct ring *ring, uint32_t at, uint32_t end, uint64_t position)
{
	while (at < end) {
		uint32_t middle = at + (end - at) / 2;

		if (ring->points[middle].position < position)
			at = middle + 1;
		else
			end = middle;
	}
	return at;
}

/*
 * Points that a look-up compares without a branch: which of the first few it
 * is cannot be predicted, and one in ten needs more than these.
 */
#define AT_ONCE 2

/* Index of the first point at or clockwise from `position`. */
static uint32_t
find_point(const struct ring *ring, uint64_t position)
{
	const struct ring_point *points = ring->points;
	uint32_t n = ring->npoints;
	size_t slice = slice_of(position, n);
	uint32_t at = points[slice].first;
	uint32_t before = 0;

	if (n - at >= AT_ONCE) {
		for (uint32_t i = 0; i < AT_ONCE; i++)
			before += points[at + i].position < position;
		at += before;
		if (before < AT_ONCE)
			return at;
	}
	/* The next slice's first point is certainly not before it. */
	at = bisect(ring, at, slice + 1 < n ? points[slice + 1].first : n,
	    position);
	return at == n ? 0 : at;
}

uint32_t
ring_owner_at(const struct ring *ring, uint64_t position)
{
	return ring->points[find_point(ring, position)].owner;
}

uint32_t
ring_owner(const struct ring *ring, struct span key)
{
	return ring_owner_at(ring, ring_hash_key(&ring->hash, key));
}

void
ring_walk(const struct ring *ring, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	uint32_t first = find_point(ring, ring_hash_key(&ring->hash, key));

	for (uint32_t i = first; i < ring->npoints; i++) {
		if (visit(arg, ring->points[i].owner))
			return;
	}
	for (uint32_t i = 0; i < first; i++) {
		if (visit(arg, ring->points[i].owner))
			return;
	}
}

size_t
ring_points(const struct ring *ring)
{
	return ring->npoints;
}

uint64_t
ring_point_position(const struct ring *ring, size_t i)
{
	MUST(i < ring->npoints);
	return ring->points[i].position;
}

uint32_t
ring_point_owner(const struct ring *ring, size_t i)
{
	MUST(i < ring->npoints);
	return ring->points[i].owner;
}

uint64_t
ring_server_points(const struct ring *ring, uint32_t server)
{
	MUST(server < ring->nservers);
	return (uint64_t)ring->servers[server].weight / ring->divisor *
	    ring->points_per_weight;
}

uint64_t
ring_divisor(const struct ring *ring)
{
	return ring->divisor;
}

size_t
ring_bytes(const struct ring *ring)
{
	return ring->npoints * sizeof(*ring->points);
}
