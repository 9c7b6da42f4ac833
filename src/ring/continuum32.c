/*
 * A continuum of 32-bit points. See the header for what it promises.
 *
 * The points lie sorted in one array, value and owner side by side, so that
 * the cache line which settles the search also holds the answer. Before them
 * comes an index by the top bits of the hash:
 *
 *	index[b]      number of the first point >= b << shift
 *	index[b + 1]  where the points that start with b end
 *
 * With as many slots as points, a slot holds about one of them when values
 * are spread evenly, and the search inside it ends in a step or two. Values
 * that crowd (a 15-bit hash puts them all into one slot) are found by
 * bisection, still in log(n) steps.
 */
#include "ring/continuum32.h"

#include "base/err.h"
#include "base/mem.h"
#include "ring/rule.h"

/* Slots below which bisection is not worth its jumps. */
#define LINEAR_MAX 8

/* Digits of the radix sort: three of eleven bits cover a value. */
#define DIGIT_BITS  11
#define DIGITS	    (1u << DIGIT_BITS)
#define DIGIT_MASK  (DIGITS - 1)
#define DIGIT_COUNT 3

struct point {
	uint32_t	value;
	uint32_t	owner;
};

struct continuum32 {
	struct point	*points;
	size_t		 npoints;	/* added so far; all, once sealed */
	size_t		 capacity;
	uint32_t	*index;		/* NULL until sealed */
	unsigned	 shift;		/* of a hash, to its slot */
};

static bool
fail_no_memory(uint64_t npoints, enum placement_error *error_r,
    struct err *err)
{
	*error_r = PLACEMENT_STATE_CAPACITY_EXCEEDED;
	err_set(err, "no memory for a ring of %llu points",
	    (unsigned long long)npoints);
	return false;
}

struct continuum32 *
continuum32_new(const struct placement_spec *spec, uint64_t npoints,
    enum placement_error *error_r, struct err *err)
{
	uint32_t max = spec->max_points;
	struct continuum32 *ring;

	if (max == 0)
		max = CONTINUUM32_POINTS_MAX;
	if (npoints == 0) {
		*error_r = PLACEMENT_UNSUPPORTED;
		err_set(err, "no server gets a single point on the ring");
		return NULL;
	}
	if (npoints > max) {
		*error_r = PLACEMENT_STATE_CAPACITY_EXCEEDED;
		err_set(err, "the servers need %llu points, max_points is %u",
		    (unsigned long long)npoints, max);
		return NULL;
	}
	ring = mem_zalloc(1, sizeof(*ring));
	if (ring != NULL) {
		ring->capacity = (size_t)npoints;
		ring->points = mem_zalloc(ring->capacity,
		    sizeof(*ring->points));
	}
	if (ring == NULL || ring->points == NULL) {
		mem_free(ring);
		(void)fail_no_memory(npoints, error_r, err);
		return NULL;
	}
	return ring;
}

void
continuum32_add(struct continuum32 *ring, uint32_t value, uint32_t owner)
{
	MUST(ring->index == NULL);
	MUST(ring->npoints < ring->capacity);
	ring->points[ring->npoints++] = (struct point){value, owner};
}

/* One stable pass over the digit at `bit`, from one array to the other. */
static void
sort_by_digit(const struct point *from, struct point *to, size_t n,
    unsigned bit)
{
	uint32_t start[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		start[from[i].value >> bit & DIGIT_MASK]++;
	for (size_t d = 0; d < DIGITS; d++) {
		uint32_t count = start[d];

		start[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[start[from[i].value >> bit & DIGIT_MASK]++] = from[i];
}

/* Sorts by value, keeping the order of equals. False: no memory. */
static bool
sort_points(struct continuum32 *ring)
{
	struct point *other = mem_zalloc(ring->npoints, sizeof(*other));

	if (other == NULL)
		return false;
	for (unsigned i = 0; i < DIGIT_COUNT; i++) {
		struct point *sorted = other;

		sort_by_digit(ring->points, other, ring->npoints,
		    i * DIGIT_BITS);
		other = ring->points;
		ring->points = sorted;
	}
	mem_free(other);
	return true;
}

static void
drop_all_but_last(struct continuum32 *ring)
{
	size_t kept = 0;

	for (size_t i = 0; i < ring->npoints; i++) {
		if (kept > 0 &&
		    ring->points[kept - 1].value == ring->points[i].value)
			kept--;
		ring->points[kept++] = ring->points[i];
	}
	ring->npoints = kept;
}

/* Slots: the largest power of two that is no more than the points. */
static unsigned
slot_bits(size_t npoints)
{
	unsigned bits = 1;	/* one at least, so that the shift is legal */

	while (npoints >> (bits + 1) > 0)
		bits++;
	return bits;
}

static bool
build_index(struct continuum32 *ring)
{
	unsigned bits = slot_bits(ring->npoints);
	size_t nslots = (size_t)1 << bits, i = 0;

	ring->index = mem_zalloc(nslots + 1, sizeof(*ring->index));
	if (ring->index == NULL)
		return false;
	ring->shift = 32 - bits;
	for (size_t slot = 0; slot < nslots; slot++) {
		while (i < ring->npoints &&
		    ring->points[i].value >> ring->shift < slot)
			i++;
		ring->index[slot] = (uint32_t)i;
	}
	ring->index[nslots] = (uint32_t)ring->npoints;
	return true;
}

bool
continuum32_seal(struct continuum32 *ring, enum continuum32_equal equal,
    enum placement_error *error_r, struct err *err)
{
	MUST(ring->index == NULL);
	MUST(ring->npoints == ring->capacity);
	if (!sort_points(ring))
		return fail_no_memory(ring->npoints, error_r, err);
	switch (equal) {
	case CONTINUUM32_KEEP_ALL:
		break;
	case CONTINUUM32_KEEP_LAST:
		drop_all_but_last(ring);
		break;
	}
	if (!build_index(ring))
		return fail_no_memory(ring->npoints, error_r, err);
	return true;
}

void
continuum32_free(struct continuum32 **ring)
{
	if (*ring == NULL)
		return;
	mem_free((*ring)->index);
	mem_free((*ring)->points);
	mem_free(*ring);
	*ring = NULL;
}

size_t
continuum32_count(const struct continuum32 *ring)
{
	return ring->npoints;
}

size_t
continuum32_bytes(const struct continuum32 *ring)
{
	size_t nslots = (size_t)1 << (32 - ring->shift);

	return ring->capacity * sizeof(*ring->points) +
	    (nslots + 1) * sizeof(*ring->index);
}

uint32_t
continuum32_value(const struct continuum32 *ring, size_t i)
{
	MUST(i < ring->npoints);
	return ring->points[i].value;
}

uint32_t
continuum32_point_owner(const struct continuum32 *ring, size_t i)
{
	MUST(i < ring->npoints);
	return ring->points[i].owner;
}

/* Number of points whose value is < `hash`. */
static inline size_t
count_below(const struct continuum32 *ring, uint32_t hash)
{
	const struct point *points = ring->points;
	size_t slot = hash >> ring->shift;
	size_t low = ring->index[slot], high = ring->index[slot + 1];

	while (high - low > LINEAR_MAX) {
		size_t middle = low + (high - low) / 2;

		if (points[middle].value < hash)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < high && points[low].value < hash)
		low++;
	return low;
}

size_t
continuum32_successor(const struct continuum32 *ring, uint32_t hash)
{
	size_t i = count_below(ring, hash);

	return i < ring->npoints ? i : 0;
}

size_t
continuum32_predecessor(const struct continuum32 *ring, uint32_t hash)
{
	size_t i = hash == UINT32_MAX ? ring->npoints
				      : count_below(ring, hash + 1);

	return (i > 0 ? i : ring->npoints) - 1;
}

uint32_t
continuum32_owner(const struct continuum32 *ring, uint32_t hash)
{
	return ring->points[continuum32_successor(ring, hash)].owner;
}

bool
continuum32_walk(const struct continuum32 *ring, size_t first,
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

/* Each point ends an arc; past the last one, the first one's owner follows. */
bool
continuum32_arc(const struct continuum32 *ring, size_t i,
    struct placement_arc *arc_r)
{
	const struct point *point = &ring->points[i < ring->npoints ? i : 0];

	if (i > ring->npoints)
		return false;
	arc_r->last = UINT64_MAX;
	if (i < ring->npoints)
		arc_r->last = (uint64_t)point->value << 32 | UINT32_MAX;
	arc_r->owner = point->owner;
	return true;
}
