/*
 * buckets: 65,536 slots whose owners are computed beforehand, so that a
 * look-up is one hash and one reading of an array of 128 KiB.
 *
 * The assignment is that of turnstone's HashRing: a server of weight w has
 * w x points_per_weight positions (150 unless given), of "name:i", i from 0,
 * the FNV-1a (32 bits) of it mod 65536. Positions collide often; there the
 * smallest name in byte order wins, so the order of servers has no effect.
 * Bucket b belongs to the first position strictly greater than b, wrapping.
 * Weights are not divided by their common divisor. With so few positions that
 * can differ, more points make the shares no better from some hundred a
 * server on, and a pool of many thousand servers leaves some without a bucket.
 *
 * turnstone takes a key's bucket from the first four hexadecimal digits of its
 * identifiers, and says nothing of other keys. For the keys of memcached the
 * rule is ours: bucket = mix(FNV-1a-32(key)) >> 16, where mix is the finish of
 * MurmurHash3 (32 bits). FNV's top bits alone are poor for short keys.
 *
 * Proven against turnstone's own HashRing at bc4f1c2, ten whole assignments:
 * tests/vectors/turnstone.tsv. The bucket of a key: values of our own, there
 * to keep it as it is.
 */
#include "ring/buckets.h"

#include "base/mem.h"
#include "ring/hashes.h"
#include "ring/ketama_members.h"
#include "ring/rule.h"

/* A position that no server claimed. */
#define UNCLAIMED UINT32_MAX

struct buckets {			/* immutable after build */
	uint16_t	owners[BUCKETS_COUNT];
	uint32_t	counts[];		/* buckets of each server */
};

/* One position for a server, unless one of a smaller name has it. */
static void
claim(uint32_t *position, const struct placement_server *servers,
    uint32_t server)
{
	if (*position == UNCLAIMED ||
	    span_cmp(servers[server].name, servers[*position].name) < 0)
		*position = server;
}

static void
claim_all(uint32_t *positions, const struct ketama_members *members)
{
	const struct rule_build *b = members->build;
	uint64_t per = rule_points(b->spec, BUCKETS_POINTS_PER_WEIGHT);

	for (uint32_t i = 0; i < members->n; i++) {
		uint64_t count = (uint64_t)b->servers[i].weight * per;

		for (uint64_t r = 0; r < count; r++) {
			uint32_t hash = hashes_fnv1a_32_unsigned(
			    ketama_point_name(&members->list[i], ':', r));

			claim(&positions[hash % BUCKETS_COUNT], b->servers,
			    i);
		}
	}
}

/* Every bucket to the first position after it, once round. */
static void
assign(struct buckets *buckets, const uint32_t *positions)
{
	uint32_t next = UNCLAIMED;

	for (uint32_t b = 0; next == UNCLAIMED; b++)
		next = positions[b];
	for (uint32_t b = BUCKETS_COUNT; b-- > 0;) {
		buckets->owners[b] = (uint16_t)next;
		buckets->counts[next]++;
		if (positions[b] != UNCLAIMED)
			next = positions[b];
	}
}

static bool
fill(struct buckets *buckets, const struct ketama_members *members)
{
	uint32_t *positions = mem_resize(NULL, BUCKETS_COUNT,
	    sizeof(*positions));

	if (positions == NULL)
		return rule_no_memory(members->build);
	for (uint32_t b = 0; b < BUCKETS_COUNT; b++)
		positions[b] = UNCLAIMED;
	claim_all(positions, members);
	assign(buckets, positions);
	mem_free(positions);
	return true;
}

static bool
check(const struct rule_build *b)
{
	uint32_t max = b->spec->max_points;
	uint64_t weights, npoints;

	if (!rule_takes_hash(b, HASH_DEFAULT) ||
	    !rule_takes_whole_weights(b, UINT32_MAX, &weights))
		return false;
	if (b->n > BUCKETS_COUNT)
		return rule_refuse(b, PLACEMENT_STATE_CAPACITY_EXCEEDED,
		    "%zu servers are more than its %d buckets", b->n,
		    BUCKETS_COUNT);
	max = max > 0 ? max : CONTINUUM32_POINTS_MAX;
	npoints = rule_times(weights,
	    rule_points(b->spec, BUCKETS_POINTS_PER_WEIGHT));
	if (npoints > max)
		return rule_refuse(b, PLACEMENT_STATE_CAPACITY_EXCEEDED,
		    "the servers need %llu points, max_points is %u",
		    (unsigned long long)npoints, max);
	return true;
}

struct buckets *
buckets_build(const struct rule_build *build)
{
	struct ketama_members members;
	struct buckets *buckets;

	if (!check(build) ||
	    !ketama_members_init(&members, build, KETAMA_AS_WRITTEN))
		return NULL;
	buckets = mem_zalloc(1, sizeof(*buckets) +
	    build->n * sizeof(buckets->counts[0]));
	if (buckets == NULL)
		(void)rule_no_memory(build);
	else if (!fill(buckets, &members))
		buckets_free(&buckets);
	ketama_members_fini(&members);
	return buckets;
}

void
buckets_free(struct buckets **buckets)
{
	mem_free(*buckets);
	*buckets = NULL;
}

uint32_t
buckets_owner(const struct buckets *buckets, uint16_t bucket)
{
	return buckets->owners[bucket];
}

uint16_t
buckets_of_key(struct span key)
{
	uint32_t h = hashes_fnv1a_32_unsigned(key);

	h = (h ^ h >> 16) * UINT32_C(0x85ebca6b);
	h = (h ^ h >> 13) * UINT32_C(0xc2b2ae35);
	h ^= h >> 16;
	return (uint16_t)(h >> 16);
}

bool
buckets_of_hex(struct span id, uint16_t *bucket_r)
{
	unsigned bucket = 0;

	if (id.len < 4)
		return false;
	for (size_t i = 0; i < 4; i++) {
		unsigned c = (unsigned char)id.p[i];
		unsigned letter = (c | 0x20) - 'a';

		if (c - '0' < 10)
			bucket = bucket << 4 | (c - '0');
		else if (letter < 6)
			bucket = bucket << 4 | (letter + 10);
		else
			return false;
	}
	*bucket_r = (uint16_t)bucket;
	return true;
}

static void *
build_rule(const struct rule_build *b)
{
	return buckets_build(b);
}

static uint32_t
owner(const void *state, struct span key)
{
	const struct buckets *buckets = state;

	return buckets->owners[buckets_of_key(key)];
}

/* The owners of the following buckets, once round. */
static void
walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	const struct buckets *buckets = state;
	uint16_t first = buckets_of_key(key);
	uint32_t last = UNCLAIMED;

	for (uint32_t i = 0; i < BUCKETS_COUNT; i++) {
		uint32_t server = buckets->owners[(first + i) % BUCKETS_COUNT];

		if (server != last && visit(arg, server))
			return;
		last = server;
	}
}

static bool
arc(const void *state, size_t i, struct placement_arc *arc_r)
{
	const struct buckets *buckets = state;

	if (i >= BUCKETS_COUNT)
		return false;
	arc_r->last = (uint64_t)i << 48 | ((UINT64_C(1) << 48) - 1);
	arc_r->owner = buckets->owners[i];
	return true;
}

/* Buckets of one server. */
static uint64_t
points(const void *state, uint32_t server)
{
	const struct buckets *buckets = state;

	return buckets->counts[server];
}

static size_t
bytes(const void *state)
{
	const struct buckets *buckets = state;

	return sizeof(buckets->owners);
}

const struct placement_rule placement_buckets_rule = {
	.build = build_rule,
	.owner = owner,
	.walk = walk,
	.free = mem_free,
	.arc = arc,
	.ignores_addresses = true,
	.points = points,
	.bytes = bytes,
};
