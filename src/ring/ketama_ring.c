/* A finished ketama ring, as the rules' tables have it. */
#include "ring/ketama_ring.h"

#include "base/mem.h"

struct ketama_ring {
	struct continuum32	*continuum;	/* owned */
	hashes_fn		*hash;		/* of keys */
	size_t			 nservers;
	uint32_t		 npoints[];	/* of each server */
};

struct ketama_ring *
ketama_ring_new(const struct ketama_members *members,
    struct continuum32 *continuum, hashes_fn *hash)
{
	size_t nservers = members->build->n;
	struct ketama_ring *ring;

	if (continuum == NULL)
		return NULL;
	/* The list of members is longer than this: it cannot overflow. */
	ring = mem_zalloc(1, sizeof(*ring) + nservers * sizeof(uint32_t));
	if (ring == NULL) {
		continuum32_free(&continuum);
		(void)rule_no_memory(members->build);
		return NULL;
	}
	ring->continuum = continuum;
	ring->hash = hash;
	ring->nservers = nservers;
	/* What the continuum has room for fits into 32 bits. */
	for (size_t i = 0; i < members->n; i++)
		ring->npoints[members->list[i].server] =
		    (uint32_t)members->list[i].npoints;
	return ring;
}

uint32_t
ketama_ring_owner(const void *state, struct span key)
{
	const struct ketama_ring *ring = state;

	/* One server alone owns every key; nothing is hashed. */
	if (ring->nservers == 1)
		return 0;
	return continuum32_owner(ring->continuum, ring->hash(key));
}

void
ketama_ring_walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	const struct ketama_ring *ring = state;

	continuum32_walk(ring->continuum,
	    continuum32_successor(ring->continuum, ring->hash(key)), visit,
	    arg);
}

bool
ketama_ring_arc(const void *state, size_t i, struct placement_arc *arc_r)
{
	const struct ketama_ring *ring = state;

	return continuum32_arc(ring->continuum, i, arc_r);
}

uint64_t
ketama_ring_points(const void *state, uint32_t server)
{
	const struct ketama_ring *ring = state;

	MUST(server < ring->nservers);
	return ring->npoints[server];
}

size_t
ketama_ring_bytes(const void *state)
{
	const struct ketama_ring *ring = state;

	return continuum32_bytes(ring->continuum);
}

void
ketama_ring_free(void *state)
{
	struct ketama_ring *ring = state;

	continuum32_free(&ring->continuum);
	mem_free(ring);
}
