/*
 * The ring_hash distribution of memcached's own proxy (mcp.dist_ring_hash),
 * one placement for each of its modes:
 *
 *	memcached-ring		    name host:port, a point is the low half of
 *				    XXH3-64 of "name-r"
 *	memcached-ring-ketama	    host:port, four points from MD5 of "name-r"
 *	memcached-ring-twemproxy    the same, port 11211 left out
 *	memcached-ring-evcache	    the same, name host/host:port
 *
 * points_per_weight (its obuckets) points a server, 160 by default; weights do
 * not exist. A number that is no multiple of four leaves part of an MD5 ring
 * uninitialised in memcached, and is refused.
 *
 * Keys: the low half of XXH3-64 with hash_seed's seed; with hash md5 (its
 * mcp.dist_ring_hash.hash) the first four bytes of the MD5, little-endian, and
 * no seed. A key belongs to the first point at or after it. Filters are in
 * memcached_key.h.
 *
 * memcached-ring-twemproxy is what memcached makes of twemproxy: it differs
 * from twemproxy itself where that has 156 points a server, or weights.
 *
 * Proven against memcached 1.6.45: the ring* columns of
 * tests/vectors/memcached-proxy.tsv. Before that version the first mode did
 * not fill its ring, so there is nothing to be compatible with.
 */
#include "base/mem.h"
#include "ring/continuum32.h"
#include "ring/hashes.h"
#include "ring/hashes_md5.h"
#include "ring/ketama_members.h"
#include "ring/memcached_key.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

#define DEFAULT_POINTS 160

struct ring {			/* immutable after build */
	struct continuum32	*continuum;	/* owned */
	bool			 is_key_md5;
	uint64_t		 seed;		/* of XXH3 */
	uint32_t		 npoints;	/* of each server */
};

/* What sets the modes apart. */
struct mode {
	enum ketama_spelling	spelling;
	bool			is_md5;		/* points; else XXH3 */
};

static uint32_t
xxh3_low(struct span bytes)
{
	return (uint32_t)hashes_xxh3(bytes, 0);
}

static bool
takes_options(const struct rule_build *build, const struct mode *mode)
{
	uint32_t npoints = rule_points(build->spec, DEFAULT_POINTS);

	if (build->spec->hash != HASH_MD5 &&
	    !rule_takes_hash(build, HASH_XXH3))
		return false;
	if (!rule_takes_no_weights(build) || !memcached_takes_filter(build))
		return false;
	if (mode->is_md5 && npoints % 4 != 0)
		return rule_refuse(build, PLACEMENT_UNSUPPORTED,
		    "points_per_weight must be a multiple of 4 here, %u is not",
		    npoints);
	return true;
}

static struct continuum32 *
make_continuum(const struct rule_build *build, const struct mode *mode)
{
	struct ketama_members members;
	struct continuum32 *continuum;

	if (!ketama_members_init(&members, build, mode->spelling))
		return NULL;
	for (size_t i = 0; i < members.n; i++)
		members.list[i].npoints =
		    rule_points(build->spec, DEFAULT_POINTS);
	continuum = mode->is_md5 ? ketama_ring_md5(&members)
				 : ketama_ring_hashed(&members, xxh3_low);
	ketama_members_fini(&members);
	return continuum;
}

static void *
build_ring(const struct rule_build *build, const struct mode *mode)
{
	struct ring *ring;

	if (!takes_options(build, mode))
		return NULL;
	ring = mem_zalloc(1, sizeof(*ring));
	if (ring == NULL) {
		(void)rule_no_memory(build);
		return NULL;
	}
	ring->continuum = make_continuum(build, mode);
	if (ring->continuum == NULL) {
		mem_free(ring);
		return NULL;
	}
	ring->is_key_md5 = build->spec->hash == HASH_MD5;
	ring->seed = memcached_key_seed(build->spec);
	ring->npoints = rule_points(build->spec, DEFAULT_POINTS);
	return ring;
}

static void *
build_default(const struct rule_build *build)
{
	struct mode mode = {KETAMA_HOST_PORT, false};

	return build_ring(build, &mode);
}

static void *
build_ketama(const struct rule_build *build)
{
	struct mode mode = {KETAMA_HOST_PORT, true};

	return build_ring(build, &mode);
}

static void *
build_twemproxy(const struct rule_build *build)
{
	struct mode mode = {KETAMA_SHORT, true};

	return build_ring(build, &mode);
}

static void *
build_evcache(const struct rule_build *build)
{
	struct mode mode = {KETAMA_EVCACHE, true};

	return build_ring(build, &mode);
}

static uint32_t
hash_key(const struct ring *ring, struct span key)
{
	return ring->is_key_md5 ? md5_le32(key)
				: (uint32_t)hashes_xxh3(key, ring->seed);
}

static uint32_t
ring_owner(const void *state, struct span key)
{
	const struct ring *ring = state;

	return continuum32_owner(ring->continuum, hash_key(ring, key));
}

static void
ring_walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	const struct ring *ring = state;

	continuum32_walk(ring->continuum, continuum32_successor(
	    ring->continuum, hash_key(ring, key)), visit, arg);
}

static bool
ring_arc(const void *state, size_t i, struct placement_arc *arc_r)
{
	const struct ring *ring = state;

	return continuum32_arc(ring->continuum, i, arc_r);
}

static uint64_t
ring_points(const void *state, uint32_t server)
{
	const struct ring *ring = state;

	(void)server;
	return ring->npoints;
}

static size_t
ring_bytes(const void *state)
{
	const struct ring *ring = state;

	return continuum32_bytes(ring->continuum);
}

static void
free_ring(void *state)
{
	struct ring *ring = state;

	continuum32_free(&ring->continuum);
	mem_free(ring);
}

#define RING_RULE(builder)                                                     \
	{                                                                      \
		.build = (builder), .owner = ring_owner, .walk = ring_walk,    \
		.free = free_ring, .key_part = memcached_key_part,             \
		.arc = ring_arc, .points = ring_points, .bytes = ring_bytes,   \
	}

const struct placement_rule placement_memcached_ring_rule =
    RING_RULE(build_default);
const struct placement_rule placement_memcached_ring_ketama_rule =
    RING_RULE(build_ketama);
const struct placement_rule placement_memcached_ring_twemproxy_rule =
    RING_RULE(build_twemproxy);
const struct placement_rule placement_memcached_ring_evcache_rule =
    RING_RULE(build_evcache);
