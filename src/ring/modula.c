/*
 * modula: our own rule of the simplest kind.
 *
 * The servers, in the configuration's order, are written down as often as
 * their weights say, weights divided by their greatest common divisor; a key
 * belongs to slot h mod the number of slots. h is the position that the
 * native ring gives the key (fnv1a_64, xxh3 or siphash, finished by mix64).
 *
 * Every server has exactly its share of slots, and a look-up is one hash and
 * one division; but when a server is added or removed nearly every key moves.
 * It is for fleets that never change. Names do not count, only the order.
 * Nobody else's rule: the presets have the modula of libmemcached and of
 * twemproxy, which this does not equal.
 */
#include "base/mem.h"
#include "ring/gcd.h"
#include "ring/ring_hash.h"
#include "ring/rule.h"
#include "ring/rule_check.h"
#include "ring/slots.h"

struct modula {			/* immutable after build */
	struct ring_hash	 hash;
	struct slots		*slots;		/* owned */
};

static void
free_state(void *state)
{
	struct modula *m = state;

	mem_free(m->slots);
	mem_free(m);
}

/* Of the weights, which were found to be whole. */
static uint64_t
common_divisor(const struct rule_build *b)
{
	uint64_t divisor = 0;

	for (size_t i = 0; i < b->n; i++)
		divisor = gcd(divisor, (uint64_t)b->servers[i].weight);
	return divisor;
}

static bool
fill(struct modula *m, const struct rule_build *b)
{
	uint64_t sum;

	if (!ring_hash_init(&m->hash, b->spec, b->err)) {
		*b->error_r = PLACEMENT_UNSUPPORTED;
		return false;
	}
	if (!rule_takes_no_points(b) ||
	    !rule_takes_whole_weights(b, UINT64_C(1) << 32, &sum))
		return false;
	m->slots = slots_new(b, common_divisor(b));
	return m->slots != NULL;
}

static void *
build(const struct rule_build *b)
{
	struct modula *m = mem_zalloc(1, sizeof(*m));

	if (m == NULL) {
		(void)rule_no_memory(b);
		return NULL;
	}
	if (!fill(m, b)) {
		free_state(m);
		return NULL;
	}
	return m;
}

static uint32_t
owner(const void *state, struct span key)
{
	const struct modula *m = state;

	return slots_owner(m->slots, ring_hash_key(&m->hash, key));
}

static uint64_t
points(const void *state, uint32_t server)
{
	const struct modula *m = state;

	return slots_of(m->slots, server);
}

static size_t
bytes(const void *state)
{
	const struct modula *m = state;

	return slots_bytes(m->slots);
}

const struct placement_rule placement_modula_rule = {
	.build = build,
	.owner = owner,
	.free = free_state,
	.ignores_addresses = true,
	.points = points,
	.bytes = bytes,
};
