/*
 * zig-hashring: the HashRing of the Zig article series (no. 124).
 *
 * Points are Wyhash (seed 0) of "name#r", r from 0, points_per_weight x weight
 * of them (200 unless given); a key belongs to the first point at or after
 * the Wyhash of its bytes, of equal points the one added first. Wyhash is
 * that of Zig 0.11 and later: older ones had another.
 *
 * Proven against the article's code with Zig 0.11.0:
 * tests/vectors/zig-hashring.tsv.
 */
#include "ring/continuum64.h"
#include "ring/ketama_members.h"
#include "ring/rule.h"
#include "ring/rule_check.h"
#include "ring/wyhash.h"

#define POINTS_PER_WEIGHT 200

static struct continuum64 *
make_ring(const struct ketama_members *members, uint64_t weights)
{
	const struct rule_build *b = members->build;
	uint64_t per = rule_points(b->spec, POINTS_PER_WEIGHT);
	struct continuum64 *ring = continuum64_new(b, rule_times(weights, per));

	if (ring == NULL)
		return NULL;
	for (size_t i = 0; i < members->n; i++) {
		uint64_t count = (uint64_t)b->servers[i].weight * per;

		for (uint64_t r = 0; r < count; r++)
			continuum64_add(ring, wyhash(ketama_point_name(
			    &members->list[i], '#', r), 0), (uint32_t)i);
	}
	if (!continuum64_seal(ring, CONTINUUM64_KEEP_ALL, b))
		continuum64_free(&ring);
	return ring;
}

static void *
build(const struct rule_build *b)
{
	struct ketama_members members;
	struct continuum64 *ring;
	uint64_t weights;

	if (!rule_takes_hash(b, HASH_DEFAULT) ||
	    !rule_takes_whole_weights(b, CONTINUUM64_WEIGHT_MAX, &weights) ||
	    !ketama_members_init(&members, b, KETAMA_AS_WRITTEN))
		return NULL;
	ring = make_ring(&members, weights);
	ketama_members_fini(&members);
	return ring;
}

static uint32_t
owner(const void *state, struct span key)
{
	return continuum64_owner(state, wyhash(key, 0));
}

static void
walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	continuum64_walk(state, continuum64_successor(state, wyhash(key, 0)),
	    visit, arg);
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

const struct placement_rule placement_zig_hashring_rule = {
	.build = build,
	.owner = owner,
	.walk = walk,
	.free = free_state,
	.arc = arc,
	.ignores_addresses = true,
	.points = points,
	.bytes = bytes,
};
