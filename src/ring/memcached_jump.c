/*
 * The default distribution of memcached's own proxy, memcached-jump: the jump
 * consistent hash of Lamping and Veach (2014, arXiv:1406.2294) over XXH3-64 of
 * the key.
 *
 * Servers have no names and no weights in it, only positions: the configured
 * order is the placement, and only the last server can leave without moving
 * keys between the others. hash_seed (the pool's `seed`) and the filters are
 * in memcached_key.h.
 *
 * Proven against memcached 1.6.45: the jump* columns of
 * tests/vectors/memcached-proxy.tsv.
 */
#include "base/mem.h"
#include "ring/hashes.h"
#include "ring/memcached_key.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

struct jump {			/* immutable after build */
	uint64_t	seed;
	uint32_t	nservers;
};

static void *
build_jump(const struct rule_build *build)
{
	struct jump *jump;

	if (!rule_takes_hash(build, HASH_XXH3) ||
	    !rule_takes_no_points(build) ||
	    !rule_takes_no_weights(build) || !memcached_takes_filter(build))
		return NULL;
	jump = mem_zalloc(1, sizeof(*jump));
	if (jump == NULL) {
		(void)rule_no_memory(build);
		return NULL;
	}
	jump->seed = memcached_key_seed(build->spec);
	jump->nservers = (uint32_t)build->n;
	return jump;
}

/*
 * The last of the buckets that `hash` jumps through while buckets are added
 * one by one up to `nbuckets`; each jump is computed, not tried.
 */
static uint32_t
jump_to(uint64_t hash, uint32_t nbuckets)
{
	int64_t bucket, next = 0;

	do {
		bucket = next;
		hash = hash * UINT64_C(2862933555777941757) + 1;
		/* At most 2^32 * 2^31: it fits. */
		next = (int64_t)((double)(bucket + 1) *
		    ((double)(UINT64_C(1) << 31) /
		    (double)((hash >> 33) + 1)));
	} while (next < nbuckets);
	return (uint32_t)bucket;
}

static uint32_t
jump_owner(const void *state, struct span key)
{
	const struct jump *jump = state;

	return jump_to(hashes_xxh3(key, jump->seed), jump->nservers);
}

const struct placement_rule placement_memcached_jump_rule = {
	.build = build_jump,
	.owner = jump_owner,
	.free = mem_free,
	.key_part = memcached_key_part,
	.ignores_addresses = true,
};
