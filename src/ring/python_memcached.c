/*
 * python-memcached: the placement of Python's memcache.Client.
 *
 * The servers, in the configuration's order, are written down as often as
 * their weights say; h is bits 16 to 30 of the key's CRC-32, and 0 counts as
 * 1; a key belongs to slot h mod the number of slots. Names do not count. So
 * at most 32,767 slots are ever used.
 *
 * When a server is down, the client tries again, up to ten times, with the
 * hash of the text of h followed by the number of the try. That order is from
 * its source only and not followed here: the servers' order by index is.
 *
 * Proven against python-memcached 1.59: tests/vectors/python-memcached.tsv.
 */
#include "base/mem.h"
#include "ring/hashes.h"
#include "ring/rule.h"
#include "ring/rule_check.h"
#include "ring/slots.h"

static void *
build(const struct rule_build *b)
{
	if (!rule_takes_hash(b, HASH_DEFAULT) || !rule_takes_no_points(b))
		return NULL;
	return slots_new(b, 1);
}

static uint32_t
owner(const void *state, struct span key)
{
	uint32_t h = hashes_crc32_15bit(key);

	return slots_owner(state, h == 0 ? 1 : h);
}

static uint64_t
points(const void *state, uint32_t server)
{
	return slots_of(state, server);
}

static size_t
bytes(const void *state)
{
	return slots_bytes(state);
}

const struct placement_rule placement_python_memcached_rule = {
	.build = build,
	.owner = owner,
	.free = mem_free,
	.ignores_addresses = true,
	.points = points,
	.bytes = bytes,
};
