/*
 * libmemcached's distributions (Data Differential; also the base of
 * php-memcached, pylibmc and many more).
 *
 *	libmemcached-modula	hash mod the number of servers; its default
 *	libmemcached-ketama	DISTRIBUTION_CONSISTENT, BEHAVIOR_KETAMA
 *	libmemcached-ketama-weighted
 *				BEHAVIOR_KETAMA_WEIGHTED; php-memcached's
 *				OPT_LIBKETAMA_COMPATIBLE
 *	libmemcached-spy	DISTRIBUTION_CONSISTENT_KETAMA_SPY
 *	libmemcached-spy-weighted
 *				the same after KETAMA_WEIGHTED
 *
 * Servers keep the configuration's order. One server alone owns every key.
 *
 * Names: the host if the port is 11211, else host:port; spy writes /host:port
 * always. The host is the string that the client was given: "localhost" and
 * "127.0.0.1" are two servers. A unix socket is its path with port 0.
 *
 * Not weighted: 100 points a server, the hash of "name-0" to "name-99" by the
 * hash that keys get, one_at_a_time unless told otherwise. As soon as one
 * server weighs more than 1, libmemcached makes the ring a weighted one and
 * leaves the hash of keys alone, and so do we.
 *
 * Weighted: points from MD5, four a digest; about 160 a server of average
 * weight, the exact number by weighted_points() below. With equal weights
 * that is 160, but 156 for 25, 47, 50, 55, 61, 71, 94, 100 ... servers: an
 * artefact of single precision that must be kept. A server far lighter than
 * the others may get no point and no key. Keys are hashed by MD5 unless told
 * otherwise.
 *
 * A key belongs to the first point at or after its hash; of equal points the
 * server listed first has it.
 *
 * Not here: hsieh (libmemcached is distributed without it), and the state of
 * a client whose hash was set after its servers were added (points by the old
 * hash, keys by the new one).
 *
 * Proven against libmemcached 1.1.4 on x86-64: look-ups under ten hashes and
 * whole rings, tests/vectors/libmemcached-*.tsv, rings.tsv and points.tsv.
 */
#include <stddef.h>

#include "base/mem.h"
#include "ring/hashes_choice.h"
#include "ring/hashes_md5.h"
#include "ring/ketama_members.h"
#include "ring/ketama_ring.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

/* Points of a server in a ring without weights. */
#define PLAIN_POINTS 100

static const struct hashes_choice choices[] = {
	{HASH_ONE_AT_A_TIME, hashes_one_at_a_time,
	    hashes_one_at_a_time_unsigned},
	{HASH_MD5, md5_le32, md5_le32},
	{HASH_CRC, hashes_crc32_15bit, hashes_crc32_15bit},
	{HASH_FNV1_64, hashes_fnv1_64, hashes_fnv1_64_unsigned},
	{HASH_FNV1A_64, hashes_fnv1a_64, hashes_fnv1a_64_unsigned},
	{HASH_FNV1_32, hashes_fnv1_32, hashes_fnv1_32_unsigned},
	{HASH_FNV1A_32, hashes_fnv1a_32, hashes_fnv1a_32_unsigned},
	{HASH_MURMUR, hashes_murmur, hashes_murmur},
	{HASH_JENKINS, hashes_jenkins, hashes_jenkins},
	{HASH_MURMUR3, hashes_murmur3, hashes_murmur3},
};

static const struct hashes_offer offer = {
	choices, sizeof(choices) / sizeof(choices[0])
};

/* What sets the ring distributions apart. */
struct flavour {
	enum ketama_spelling	spelling;
	bool			is_weighted;	/* whatever the weights are */
	enum hash_kind		hash;		/* of keys, by default */
};

static bool
any_weight_above_one(const struct ketama_members *members)
{
	for (size_t i = 0; i < members->n; i++)
		if (members->list[i].weight > 1)
			return true;
	return false;
}

/*
 * Every assignment rounds to single precision; the order of the steps decides
 * between 160 and 156. The last one changes nothing here and is the rule's.
 */
static uint64_t
weighted_points(uint32_t weight, uint64_t weight_sum, size_t nservers)
{
	float share = (float)weight / (float)weight_sum;
	float points = share * 160.0F;

	points = points / 4.0F;
	points = points * (float)nservers;
	points = points + 1e-10F;
	return ketama_four_times_floor(points);
}

/* The ring of `members`, whose points are not counted yet. */
static struct continuum32 *
make_ring(struct ketama_members *members, bool is_weighted,
    uint64_t weight_sum, hashes_fn *hash)
{
	for (size_t i = 0; i < members->n; i++) {
		struct ketama_member *member = &members->list[i];

		member->npoints = is_weighted
		    ? weighted_points(member->weight, weight_sum, members->n)
		    : PLAIN_POINTS;
	}
	return is_weighted ? ketama_ring_md5(members)
			   : ketama_ring_hashed(members, hash);
}

static void *
build_ring(const struct rule_build *build, const struct flavour *flavour)
{
	hashes_fn *hash = hashes_choose(build, &offer, flavour->hash);
	struct ketama_members members;
	struct ketama_ring *ring;
	bool is_weighted;
	uint64_t sum;

	if (hash == NULL || !rule_takes_no_points(build) ||
	    !rule_takes_whole_weights(build, UINT32_MAX, &sum))
		return NULL;
	if (!ketama_members_init(&members, build, flavour->spelling))
		return NULL;
	is_weighted = flavour->is_weighted || any_weight_above_one(&members);
	ring = ketama_ring_new(&members,
	    make_ring(&members, is_weighted, sum, hash), hash);
	ketama_members_fini(&members);
	return ring;
}

static void *
build_ketama(const struct rule_build *build)
{
	struct flavour flavour = {KETAMA_SHORT, false, HASH_ONE_AT_A_TIME};

	return build_ring(build, &flavour);
}

static void *
build_ketama_weighted(const struct rule_build *build)
{
	struct flavour flavour = {KETAMA_SHORT, true, HASH_MD5};

	return build_ring(build, &flavour);
}

static void *
build_spy(const struct rule_build *build)
{
	struct flavour flavour = {KETAMA_SPY, false, HASH_ONE_AT_A_TIME};

	return build_ring(build, &flavour);
}

static void *
build_spy_weighted(const struct rule_build *build)
{
	struct flavour flavour = {KETAMA_SPY, true, HASH_MD5};

	return build_ring(build, &flavour);
}

#define RING_RULE(builder)                                                     \
	{                                                                      \
		.build = (builder), .owner = ketama_ring_owner,                \
		.walk = ketama_ring_walk, .free = ketama_ring_free,            \
		.arc = ketama_ring_arc, .points = ketama_ring_points,          \
		.bytes = ketama_ring_bytes,                                    \
	}

const struct placement_rule placement_libmemcached_ketama_rule =
    RING_RULE(build_ketama);
const struct placement_rule placement_libmemcached_ketama_weighted_rule =
    RING_RULE(build_ketama_weighted);
const struct placement_rule placement_libmemcached_spy_rule =
    RING_RULE(build_spy);
const struct placement_rule placement_libmemcached_spy_weighted_rule =
    RING_RULE(build_spy_weighted);

struct modula {			/* immutable after build */
	hashes_fn	*hash;
	uint32_t	 nservers;
};

static void *
build_modula(const struct rule_build *build)
{
	hashes_fn *hash = hashes_choose(build, &offer, HASH_ONE_AT_A_TIME);
	struct modula *modula;

	/* libmemcached takes weights here and forgets them. */
	if (hash == NULL || !rule_takes_no_points(build) ||
	    !rule_takes_no_weights(build))
		return NULL;
	modula = mem_zalloc(1, sizeof(*modula));
	if (modula == NULL) {
		(void)rule_no_memory(build);
		return NULL;
	}
	modula->hash = hash;
	modula->nservers = (uint32_t)build->n;
	return modula;
}

static uint32_t
modula_owner(const void *state, struct span key)
{
	const struct modula *modula = state;

	return modula->nservers == 1 ? 0
				     : modula->hash(key) % modula->nservers;
}

const struct placement_rule placement_libmemcached_modula_rule = {
	.build = build_modula,
	.owner = modula_owner,
	.free = mem_free,
	.ignores_addresses = true,
};
