/*
 * cache-memcached-fast and cache-memcached-fast-ketama: the placements of
 * Perl's Cache::Memcached::Fast.
 *
 * cache-memcached-fast is the module's default (ketama_points 0), made to
 * agree with Cache::Memcached: the servers, in the configuration's order, are
 * written down as often as their weights say, and a key belongs to slot h mod
 * the number of slots, h being bits 16 to 30 of its CRC-32. The module walks
 * a scaled continuum instead of slots, which comes to the same for whole
 * weights; fractions are refused here.
 *
 * cache-memcached-fast-ketama is the module with ketama_points P > 0, here
 * points_per_weight, which must be given as the module has no default. A
 * server has trunc(P x weight + 0.5) points, and the weight may be a fraction.
 * Its base is the CRC-32 of host, NUL, port; the points are a chain: each is
 * the CRC-32 of the base continued over the four little-endian bytes of the
 * one before, the first over four zeros. A key's position is its CRC-32, and
 * the first point at or after it owns it, of equal points the one added
 * first. (Older releases of the module continued over a counter instead.) A
 * unix socket is its path and an empty port, by the module's source.
 *
 * One server is never hashed for. If the module has a namespace, keys reach
 * us with it, as the module hashes them.
 *
 * Proven against Cache::Memcached::Fast 0.28:
 * tests/vectors/cache-memcached-fast.tsv.
 */
#include <endian.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ring/continuum32.h"
#include "ring/hashes.h"
#include "ring/ketama_members.h"
#include "ring/ketama_ring.h"
#include "ring/rule.h"
#include "ring/rule_check.h"
#include "ring/slots.h"

static void *
slots_build(const struct rule_build *b)
{
	if (!rule_takes_hash(b, HASH_DEFAULT) || !rule_takes_no_points(b))
		return NULL;
	return slots_new(b, 1);
}

static uint32_t
owner_by_slot(const void *state, struct span key)
{
	return slots_owner(state, hashes_crc32_15bit(key));
}

static uint64_t
count_slots(const void *state, uint32_t server)
{
	return slots_of(state, server);
}

static size_t
bytes_of_slots(const void *state)
{
	return slots_bytes(state);
}

const struct placement_rule placement_cache_memcached_fast_rule = {
	.build = slots_build,
	.owner = owner_by_slot,
	.free = mem_free,
	.ignores_addresses = true,
	.points = count_slots,
	.bytes = bytes_of_slots,
};

/* The points of each member, and in all; false if a weight is refused. */
static bool
count_points(struct ketama_members *members, uint64_t *sum_r)
{
	const struct rule_build *b = members->build;

	*sum_r = 0;
	for (size_t i = 0; i < members->n; i++) {
		double weight = b->servers[i].weight;
		double count = b->spec->points_per_weight * weight + 0.5;

		if (!(weight > 0 && isfinite(weight)))
			return rule_refuse(b, PLACEMENT_UNSUPPORTED,
			    "takes weights above 0; server %zu has %g",
			    i + 1, weight);
		if (count >= UINT32_MAX)
			return rule_refuse(b,
			    PLACEMENT_STATE_CAPACITY_EXCEEDED,
			    "server %zu would need %g points", i + 1, count);
		members->list[i].npoints = (uint64_t)count;
		*sum_r += members->list[i].npoints;
	}
	return true;
}

/* The CRC-32 of host, NUL, port. Spoils the member's text. */
static uint32_t
base_of(const struct ketama_member *member)
{
	size_t len = member->len;
	char *colon = memrchr(member->text, ':', len);

	/* A unix socket's path has an empty port behind it. */
	if (member->text[0] == '/')
		member->text[len++] = '\0';
	else if (colon != NULL)
		*colon = '\0';
	return hashes_crc32_more(0, span_of(member->text, len));
}

static void
add_chain(struct continuum32 *ring, const struct ketama_member *member)
{
	uint32_t base = base_of(member), point = 0;

	for (uint64_t i = 0; i < member->npoints; i++) {
		uint32_t bytes = htole32(point);

		point = hashes_crc32_more(base,
		    span_of((const char *)&bytes, sizeof(bytes)));
		continuum32_add(ring, point, member->server);
	}
}

/* The ring of all members' chains, or NULL with the error set. */
static struct continuum32 *
make_ring(struct ketama_members *members)
{
	const struct rule_build *b = members->build;
	struct continuum32 *ring;
	uint64_t sum;

	if (!count_points(members, &sum))
		return NULL;
	ring = continuum32_new(b->spec, sum, b->error_r, b->err);
	if (ring == NULL)
		return NULL;
	for (size_t i = 0; i < members->n; i++)
		add_chain(ring, &members->list[i]);
	if (!continuum32_seal(ring, CONTINUUM32_KEEP_ALL, b->error_r, b->err))
		continuum32_free(&ring);
	return ring;
}

static void *
ketama_build(const struct rule_build *b)
{
	struct ketama_members members;
	struct ketama_ring *ring;

	if (b->spec->points_per_weight == 0) {
		(void)rule_refuse(b, PLACEMENT_UNSUPPORTED,
		    "points_per_weight must be given, the client's "
		    "ketama_points");
		return NULL;
	}
	if (!rule_takes_hash(b, HASH_DEFAULT) ||
	    !ketama_members_init(&members, b, KETAMA_ADDRESS))
		return NULL;
	ring = ketama_ring_new(&members, make_ring(&members), hashes_crc32);
	ketama_members_fini(&members);
	return ring;
}

const struct placement_rule placement_cache_memcached_fast_ketama_rule = {
	.build = ketama_build,
	.owner = ketama_ring_owner,
	.walk = ketama_ring_walk,
	.free = ketama_ring_free,
	.arc = ketama_ring_arc,
	.points = ketama_ring_points,
	.bytes = ketama_ring_bytes,
};
