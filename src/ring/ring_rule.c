/* The native ring as a placement rule. */
#include "ring/ring.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

static void *
build(const struct rule_build *b)
{
	return ring_build(b->spec, b->servers, b->n, b->error_r, b->err);
}

static uint32_t
owner(const void *state, struct span key)
{
	return ring_owner(state, key);
}

static void
walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	ring_walk(state, key, visit, arg);
}

static void
free_state(void *state)
{
	struct ring *ring = state;

	ring_free(&ring);
}

/* Each point ends an arc; past the last one, the first one's owner follows. */
static bool
arc(const void *state, size_t i, struct placement_arc *arc_r)
{
	size_t n = ring_points(state);

	if (i > n)
		return false;
	arc_r->last = i == n ? UINT64_MAX : ring_point_position(state, i);
	arc_r->owner = ring_point_owner(state, i == n ? 0 : i);
	return true;
}

static uint64_t
points(const void *state, uint32_t server)
{
	return ring_server_points(state, server);
}

static size_t
bytes(const void *state)
{
	return ring_bytes(state);
}

const struct placement_rule placement_ring_rule = {
	.build = build,
	.owner = owner,
	.walk = walk,
	.free = free_state,
	.arc = arc,
	.ignores_addresses = true,
	.points = points,
	.bytes = bytes,
};
