/*
 * envoy-ring: Envoy's load balancing policy ring_hash.
 *
 * Host j with weight w has the share p = w / sum of weights, in double. The
 * scale is ceil(the least p x minimum_ring_size) / the least p, but at most
 * maximum_ring_size (here ring_size_min and ring_size_max; 1024 and 8388608
 * unless given). Hosts are walked in order with two running doubles: target
 * grows by scale x p, and points are added, and counted in the other, while
 * the count is below the target. So how many points a host has depends on the
 * hosts before it. Point i is the hash of "address:port_i" in 64 bits; a key
 * belongs to the first point at or after the hash of its bytes. Envoy sorts
 * with std::sort, which leaves open which of two equal points comes first;
 * here it is the one added first.
 *
 * The hash is xxh64 with seed 0 (XX_HASH, the default; for keys, what a hash
 * policy of one header gives), or murmur64a with seed 0xc70f6907 for points
 * (MURMUR_HASH_2; its keys are hashed by xxh64, too).
 *
 * A server with a name of its own is hashed by that name alone, as Envoy does
 * with use_hostname_for_hashing. IPv6 is written in brackets, a pipe as its
 * path.
 *
 * NOT proven against a running Envoy: the rule is from its source, and
 * tests/vectors/envoy-ring-hash.tsv was computed from that rule; twelve
 * positions that Envoy's own test prints agree. MURMUR_HASH_2 has no vectors.
 * Localities, priorities and several hash policies are not here.
 */
#include <math.h>

#include "ring/continuum64.h"
#include "ring/hashes.h"
#include "ring/ketama_members.h"
#include "ring/mcrouter_hash.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

#define RING_SIZE_MIN 1024
#define RING_SIZE_MAX 8388608

#define MURMUR_SEED UINT64_C(0xc70f6907)

/* The shares of a pool, as Envoy computes them. */
struct shares {
	double	sum;		/* of the weights */
	double	scale;		/* points of the whole ring, about */
};

static bool
find_shares(const struct rule_build *b, struct shares *shares_r)
{
	uint32_t size_min = b->spec->ring_size_min;
	uint32_t size_max = b->spec->ring_size_max;
	double least = 1, share;
	uint64_t sum;

	size_min = size_min > 0 ? size_min : RING_SIZE_MIN;
	size_max = size_max > 0 ? size_max : RING_SIZE_MAX;
	if (size_min > size_max)
		return rule_refuse(b, PLACEMENT_UNSUPPORTED,
		    "ring_size_min %u is above ring_size_max %u", size_min,
		    size_max);
	if (!rule_takes_whole_weights(b, UINT32_MAX, &sum))
		return false;
	shares_r->sum = (double)sum;
	for (size_t i = 0; i < b->n; i++) {
		share = b->servers[i].weight / shares_r->sum;
		least = share < least ? share : least;
	}
	shares_r->scale = ceil(least * size_min) / least;
	if (shares_r->scale > size_max)
		shares_r->scale = size_max;
	return true;
}

/* The points of each member; their number in all. */
static uint64_t
count_points(struct ketama_members *members, const struct shares *shares)
{
	double current = 0, target = 0;

	for (size_t i = 0; i < members->n; i++) {
		struct ketama_member *member = &members->list[i];

		target += shares->scale *
		    (members->build->servers[i].weight / shares->sum);
		for (member->npoints = 0; current < target; current++)
			member->npoints++;
	}
	return (uint64_t)current;
}

static void
add_points(struct continuum64 *ring, const struct ketama_member *member,
    bool is_murmur)
{
	for (uint64_t i = 0; i < member->npoints; i++) {
		struct span name = ketama_point_name(member, '_', i);

		continuum64_add(ring, is_murmur
		    ? murmur64a(name, MURMUR_SEED)
		    : hashes_xxh64(name, 0), member->server);
	}
}

static struct continuum64 *
make_ring(struct ketama_members *members, const struct shares *shares)
{
	const struct rule_build *b = members->build;
	struct continuum64 *ring;

	ring = continuum64_new(b, count_points(members, shares));
	if (ring == NULL)
		return NULL;
	for (size_t i = 0; i < members->n; i++)
		add_points(ring, &members->list[i],
		    b->spec->hash == HASH_MURMUR64A);
	if (!continuum64_seal(ring, CONTINUUM64_KEEP_ALL, b))
		continuum64_free(&ring);
	return ring;
}

static void *
build(const struct rule_build *b)
{
	struct ketama_members members;
	struct continuum64 *ring;
	struct shares shares = {0, 0};

	if (b->spec->hash != HASH_MURMUR64A && !rule_takes_hash(b, HASH_XXH64))
		return NULL;
	if (!rule_takes_no_points(b) || !find_shares(b, &shares) ||
	    !ketama_members_init(&members, b, KETAMA_ENVOY))
		return NULL;
	ring = make_ring(&members, &shares);
	ketama_members_fini(&members);
	return ring;
}

static uint32_t
owner(const void *state, struct span key)
{
	return continuum64_owner(state, hashes_xxh64(key, 0));
}

static void
walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	continuum64_walk(state,
	    continuum64_successor(state, hashes_xxh64(key, 0)), visit, arg);
}

static void
free_state(void *state)
{
	struct continuum64 *ring = state;

	continuum64_free(&ring);
}

static bool
arc(const void *state, size_t i, struct placement_arc *arc_r)
{
	return continuum64_arc(state, i, arc_r);
}

static uint64_t
points(const void *state, uint32_t server)
{
	return continuum64_points(state, server);
}

static size_t
bytes(const void *state)
{
	return continuum64_bytes(state);
}

const struct placement_rule placement_envoy_ring_rule = {
	.build = build,
	.owner = owner,
	.walk = walk,
	.free = free_state,
	.arc = arc,
	.points = points,
	.bytes = bytes,
};
