/* A ring of numbered nodes with bounded load. */
#include "ring/cpp_bounded.h"

#include <math.h>

#include "base/mem.h"
#include "ring/continuum64.h"
#include "ring/hash.h"

struct cpp_bounded {			/* worker-local */
	struct continuum64	*continuum;	/* owned */
	uint32_t		 nodes;
	double			 slack;
	uint64_t		 total;		/* load of all */
	uint64_t		 loads[];
};

static bool
check(const struct cpp_bounded_spec *spec, enum placement_error *error_r,
    struct err *err)
{
	uint64_t npoints = (uint64_t)spec->nodes * spec->points;

	*error_r = PLACEMENT_UNSUPPORTED;
	if (npoints == 0 || !(spec->slack >= 0 && spec->slack <= 1e6)) {
		err_set(err, "a bounded ring needs nodes, points and a slack "
		    "of 0 or more; not %u, %u and %g", spec->nodes,
		    spec->points, spec->slack);
		return false;
	}
	*error_r = PLACEMENT_STATE_CAPACITY_EXCEEDED;
	if (npoints > CONTINUUM64_POINTS_MAX) {
		err_set(err, "%u nodes of %u points are more than %u points",
		    spec->nodes, spec->points, CONTINUUM64_POINTS_MAX);
		return false;
	}
	*error_r = PLACEMENT_OK;
	return true;
}

static bool
fill(struct cpp_bounded *ring, const struct cpp_bounded_spec *spec,
    const struct rule_build *build)
{
	ring->nodes = spec->nodes;
	ring->slack = spec->slack;
	ring->continuum = continuum64_new(build,
	    (uint64_t)spec->nodes * spec->points);
	if (ring->continuum == NULL)
		return false;
	for (uint64_t node = 0; node < spec->nodes; node++)
		for (uint64_t v = 0; v < spec->points; v++)
			continuum64_add(ring->continuum,
			    hash_mix64(node << 32 | v), (uint32_t)node);
	return continuum64_seal(ring->continuum, CONTINUUM64_KEEP_ALL, build);
}

struct cpp_bounded *
cpp_bounded_new(const struct cpp_bounded_spec *spec,
    enum placement_error *error_r, struct err *err)
{
	static const struct placement_spec no_spec;
	struct rule_build build = {&no_spec, NULL, spec->nodes, error_r, err};
	struct cpp_bounded *ring;

	if (!check(spec, error_r, err))
		return NULL;
	ring = mem_zalloc(1, sizeof(*ring) +
	    spec->nodes * sizeof(ring->loads[0]));
	if (ring == NULL) {
		(void)rule_no_memory(&build);
		return NULL;
	}
	if (!fill(ring, spec, &build))
		cpp_bounded_free(&ring);
	return ring;
}

void
cpp_bounded_free(struct cpp_bounded **ring)
{
	if (*ring == NULL)
		return;
	continuum64_free(&(*ring)->continuum);
	mem_free(*ring);
	*ring = NULL;
}

uint64_t
cpp_bounded_capacity(const struct cpp_bounded *ring)
{
	return (uint64_t)ceil((1.0 + ring->slack) *
	    (double)(ring->total + 1) / ring->nodes);
}

/* One search for a node with room. */
struct search {
	const struct cpp_bounded	*ring;
	uint64_t			 capacity;
	uint32_t			 node;
};

static bool
has_room(void *arg, uint32_t node)
{
	struct search *search = arg;

	search->node = node;
	return search->ring->loads[node] < search->capacity;
}

uint32_t
cpp_bounded_acquire(struct cpp_bounded *ring, uint64_t key)
{
	struct search search = {ring, cpp_bounded_capacity(ring), 0};
	size_t first = continuum64_successor(ring->continuum,
	    hash_mix64(key));

	/* Every node has a point, and their capacities exceed the load. */
	MUST(continuum64_walk(ring->continuum, first, has_room, &search));
	ring->loads[search.node]++;
	ring->total++;
	return search.node;
}

void
cpp_bounded_release(struct cpp_bounded *ring, uint32_t node)
{
	MUST(node < ring->nodes && ring->loads[node] > 0);
	ring->loads[node]--;
	ring->total--;
}

uint64_t
cpp_bounded_load(const struct cpp_bounded *ring, uint32_t node)
{
	MUST(node < ring->nodes);
	return ring->loads[node];
}
