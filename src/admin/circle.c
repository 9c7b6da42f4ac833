/* Where keys and servers lie on the circle of hashes. */
#include "admin/circle.h"

#include "base/mem.h"
#include "ring/ring_hash.h"
#include "ring/ring_shares.h"
#include "ring/rule.h"

#define WHOLE 18446744073709551616.0	/* 2^64 */

/* Made-up keys: so many, or fewer where each asks many servers. */
#define KEYS_USUAL (1u << 16)
#define KEYS_FEW   (1u << 14)
#define MANY	   64

static double
part_of(uint64_t position)
{
	return (double)position / WHOLE;
}

/* All arcs, as long as they fit; 0 if they do not. */
static size_t
copy_arcs(const struct placement *p, struct circle_arc *arcs_r)
{
	struct placement_arc arc;
	size_t n = 0;

	for (size_t i = 0; placement_arc_at(p, i, &arc); i++) {
		if (n > 0 && arcs_r[n - 1].server == arc.owner)
			n--;
		if (n == CIRCLE_ARCS_MAX)
			return 0;
		arcs_r[n++] = (struct circle_arc){
		    arc.last == UINT64_MAX ? 1 : part_of(arc.last + 1),
		    arc.owner};
		if (arc.last == UINT64_MAX)
			break;
	}
	return n;
}

/* The arc that ends at or after `position`. */
static bool
arc_of(const struct placement *p, uint64_t position,
    struct placement_arc *arc_r)
{
	size_t low = 0, high = 1;

	/* How many there are, only asking tells. */
	while (placement_arc_at(p, high, arc_r) && arc_r->last < position) {
		low = high + 1;
		high *= 2;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (placement_arc_at(p, middle, arc_r) &&
		    arc_r->last < position)
			low = middle + 1;
		else
			high = middle;
	}
	return placement_arc_at(p, low, arc_r);
}

/* Slices, each with the server that has its middle. */
static size_t
slice_arcs(const struct placement *p, struct circle_arc *arcs_r)
{
	uint64_t step = UINT64_MAX / CIRCLE_ARCS_MAX + 1;
	struct placement_arc arc;

	for (size_t i = 0; i < CIRCLE_ARCS_MAX; i++) {
		if (!arc_of(p, i * step + step / 2, &arc))
			return 0;
		arcs_r[i] = (struct circle_arc){
		    (double)(i + 1) / CIRCLE_ARCS_MAX, arc.owner};
	}
	return CIRCLE_ARCS_MAX;
}

size_t
circle_arcs(const struct placement *placement, struct circle_arc *arcs_r)
{
	size_t n;

	if (!ring_has_circle(placement))
		return 0;
	n = copy_arcs(placement, arcs_r);
	return n > 0 ? n : slice_arcs(placement, arcs_r);
}

bool
circle_find(const struct placement *placement, struct span key,
    struct circle_key *key_r)
{
	const struct placement_spec *spec = placement_spec_of(placement);
	struct placement_arc arc;
	struct ring_hash hash;
	struct err err;
	uint64_t position;

	if (spec->kind != PLACEMENT_RING || !ring_hash_init(&hash, spec, &err))
		return false;
	position = ring_hash_key(&hash, placement_key_part(placement, key));
	if (!arc_of(placement, position, &arc))
		return false;
	/* Past the last point, the first one follows. */
	if (arc.last == UINT64_MAX && !placement_arc_at(placement, 0, &arc))
		return false;
	*key_r = (struct circle_key){part_of(position), part_of(arc.last)};
	return true;
}

static int32_t
sample_shares(const struct placement *p, double *shares_r)
{
	size_t n = placement_servers(p);
	uint32_t nkeys = n > MANY ? KEYS_FEW : KEYS_USUAL;
	uint64_t *counts = mem_zalloc(n, sizeof(*counts));

	if (counts == NULL)
		return CIRCLE_NO_MEMORY;
	ring_shares_sampled(p, nkeys, counts);
	for (size_t i = 0; i < n; i++)
		shares_r[i] = (double)counts[i] / nkeys;
	mem_free(counts);
	return (int32_t)nkeys;
}

int32_t
circle_shares(const struct placement *placement, double *shares_r)
{
	size_t n = placement_servers(placement);
	struct ring_extent *extents = mem_zalloc(n, sizeof(*extents));
	bool is_exact;

	if (extents == NULL)
		return CIRCLE_NO_MEMORY;
	is_exact = ring_shares_exact(placement, extents);
	for (size_t i = 0; is_exact && i < n; i++)
		shares_r[i] = ring_extent_share(extents[i]);
	mem_free(extents);
	return is_exact ? 0 : sample_shares(placement, shares_r);
}
