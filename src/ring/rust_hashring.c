/*
 * consistent-hash-ring-rs and consistent-hash-ring-rs-i32: the ring of the
 * Rust crate consistent_hash_ring with its FNV-1a (64 bits) builder.
 *
 * h(0) is the hash of the node, h(i + 1) that of h(i) as eight little-endian
 * bytes, and a node has as many points as points_per_weight (10 unless given)
 * x weight says: h(0), h(1), ... The ring is a map: where two points are
 * equal, the one put in later takes the place. A key belongs to the first
 * point at or after its hash. Text, be it a name or a key, is hashed as Rust
 * hashes a str: its bytes, then FF.
 *
 * Replicas, and so the walk: the r-th candidate is the owner of the key's hash
 * rehashed r times in the same way; if that node was taken before, the next
 * point of a node that was not. Beyond WALK_MAX servers a walk goes plainly
 * from point to point.
 *
 * consistent-hash-ring-rs is for nodes that are text: the servers' names.
 * consistent-hash-ring-rs-i32 is for nodes that are 32-bit integers, hashed
 * as four little-endian bytes: names must be such numbers.
 *
 * Proven against the crate 0.8.0: tests/vectors/consistent-hash-ring-rs.tsv.
 */
#include "base/mem.h"
#include "base/num.h"
#include "ring/continuum64.h"
#include "ring/hash.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

#define POINTS_PER_WEIGHT 10

/* Servers up to which a walk remembers which were taken. */
#define WALK_MAX 4096

struct rust_hashring {			/* immutable after build */
	uint32_t		 n;
	struct continuum64	*continuum;	/* owned */
};

static void
free_state(void *state)
{
	struct rust_hashring *r = state;

	continuum64_free(&r->continuum);
	mem_free(r);
}

/* The low `len` bytes of `number`, little-endian. */
static uint64_t
hash_number(uint64_t number, unsigned len)
{
	uint64_t h = HASH_FNV1A_64_BASIS;

	for (unsigned i = 0; i < len; i++)
		h = hash_fnv1a_64_byte(h, (uint8_t)(number >> 8 * i));
	return h;
}

static uint64_t
hash_text(struct span text)
{
	return hash_fnv1a_64_byte(
	    hash_fnv1a_64_bytes(HASH_FNV1A_64_BASIS, text), 0xff);
}

/* The node's first point; false if its name is not what the rule takes. */
static bool
hash_node(const struct rule_build *b, size_t i, uint64_t *hash_r)
{
	struct span name = b->servers[i].name;
	int64_t number;

	if (b->spec->kind == PLACEMENT_CONSISTENT_HASH_RING_RS) {
		*hash_r = hash_text(name);
		return true;
	}
	if (!num_parse_i64(name, &number) || number < INT32_MIN ||
	    number > INT32_MAX)
		return rule_refuse(b, PLACEMENT_UNSUPPORTED,
		    "the name of server %zu must be a 32-bit integer", i + 1);
	*hash_r = hash_number((uint64_t)number, 4);
	return true;
}

static bool
fill(struct rust_hashring *r, const struct rule_build *b)
{
	uint64_t per = rule_points(b->spec, POINTS_PER_WEIGHT);
	uint64_t weights, hash = 0;

	r->n = (uint32_t)b->n;
	if (!rule_takes_whole_weights(b, CONTINUUM64_WEIGHT_MAX, &weights))
		return false;
	r->continuum = continuum64_new(b, rule_times(weights, per));
	if (r->continuum == NULL)
		return false;
	for (uint32_t i = 0; i < b->n; i++) {
		uint64_t count = (uint64_t)b->servers[i].weight * per;

		if (!hash_node(b, i, &hash))
			return false;
		for (uint64_t point = 0; point < count; point++) {
			continuum64_add(r->continuum, hash, i);
			hash = hash_number(hash, 8);
		}
	}
	return continuum64_seal(r->continuum, CONTINUUM64_KEEP_LAST, b);
}

static void *
build(const struct rule_build *b)
{
	struct rust_hashring *r;

	if (!rule_takes_hash(b, HASH_FNV1A_64))
		return NULL;
	r = mem_zalloc(1, sizeof(*r));
	if (r == NULL) {
		(void)rule_no_memory(b);
		return NULL;
	}
	if (!fill(r, b)) {
		free_state(r);
		return NULL;
	}
	return r;
}

static uint32_t
owner(const void *state, struct span key)
{
	const struct rust_hashring *r = state;

	return continuum64_owner(r->continuum, hash_text(key));
}

/* The servers that a walk has visited. */
struct taken {
	uint64_t	bits[WALK_MAX / 64];
};

/* The first server from the hash on that is not taken, which it then is. */
static bool
take_next(const struct rust_hashring *r, uint64_t hash, struct taken *taken,
    uint32_t *server_r)
{
	size_t count = continuum64_count(r->continuum);
	size_t at = continuum64_successor(r->continuum, hash);

	for (size_t i = 0; i < count; i++) {
		uint32_t server = continuum64_point_owner(r->continuum, at);
		uint64_t bit = UINT64_C(1) << server % 64;

		if ((taken->bits[server / 64] & bit) == 0) {
			taken->bits[server / 64] |= bit;
			*server_r = server;
			return true;
		}
		at = at + 1 < count ? at + 1 : 0;
	}
	return false;
}

static void
walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	const struct rust_hashring *r = state;
	struct taken taken = {{0}};
	uint64_t hash = hash_text(key);
	uint32_t server;

	if (r->n > WALK_MAX) {
		continuum64_walk(r->continuum,
		    continuum64_successor(r->continuum, hash), visit, arg);
		return;
	}
	while (take_next(r, hash, &taken, &server)) {
		if (visit(arg, server))
			return;
		hash = hash_number(hash, 8);
	}
}

static bool
arc(const void *state, size_t i, struct placement_arc *arc_r)
{
	const struct rust_hashring *r = state;

	return continuum64_arc(r->continuum, i, arc_r);
}

static uint64_t
points(const void *state, uint32_t server)
{
	const struct rust_hashring *r = state;

	return continuum64_points(r->continuum, server);
}

static size_t
bytes(const void *state)
{
	const struct rust_hashring *r = state;

	return continuum64_bytes(r->continuum);
}

const struct placement_rule placement_consistent_hash_ring_rs_rule = {
	.build = build,
	.owner = owner,
	.walk = walk,
	.free = free_state,
	.arc = arc,
	.ignores_addresses = true,
	.points = points,
	.bytes = bytes,
};
