/*
 * node-hashring, node-hashring-compat and node-memcached: the rings of
 * Node.js's package hashring (3rd-Eden) and of its package memcached.
 *
 * Of n servers with weights w, W in all, each has floor(w / W x 40 x n) MD5
 * digests, in double precision and in this order of steps; each digest of
 * "address-r", r from 0, gives four points, its little-endian words. Doubles
 * make 39 digests, not 40, of 7, 14, 28, 49, 56, 98, 103 ... equal servers.
 * Servers far lighter than the rest may have no point and no key. Keys are
 * hashed by MD5, the first word; the first point at or after it owns them,
 * of equal points the one added first.
 *
 * node-hashring: the package's defaults; the address is host:port.
 * node-hashring-compat: its compatibility "hash_ring": only three points of
 *	each digest.
 * node-memcached: as the package memcached uses it, with the default port
 *	11211, which the address then drops.
 *
 * Keys are text there; one that is not UTF-8 cannot come from such a client,
 * and is hashed by its bytes.
 *
 * Proven against hashring 3.2.0 and the options of memcached 2.2.2:
 * tests/vectors/npm-hashring.tsv.
 */
#include "ring/continuum32.h"
#include "ring/hashes_md5.h"
#include "ring/ketama_members.h"
#include "ring/ketama_ring.h"
#include "ring/load_le.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

#define DIGESTS_PER_SERVER 40

/* What sets the three apart. */
struct flavour {
	enum ketama_spelling	spelling;
	unsigned		words;		/* points of a digest */
};

/* The points of each member; their number in all. */
static uint64_t
count_points(struct ketama_members *members, unsigned words, uint64_t weights)
{
	const struct rule_build *b = members->build;
	uint64_t sum = 0;

	for (size_t i = 0; i < members->n; i++) {
		double share = b->servers[i].weight / (double)weights;
		uint64_t digests = (uint64_t)(share * DIGESTS_PER_SERVER *
		    (double)b->n);

		members->list[i].npoints = digests * words;
		sum += members->list[i].npoints;
	}
	return sum;
}

static void
add_points(struct continuum32 *ring, const struct ketama_member *member,
    unsigned words)
{
	uint8_t digest[MD5_DIGEST_LEN];

	for (uint64_t r = 0; r < member->npoints / words; r++) {
		md5_digest(ketama_point_name(member, '-', r), digest);
		for (size_t i = 0; i < words; i++)
			continuum32_add(ring, load_le32(digest + 4 * i),
			    member->server);
	}
}

/* The ring of all members' points, or NULL with the error set. */
static struct continuum32 *
make_ring(struct ketama_members *members, unsigned words, uint64_t weights)
{
	const struct rule_build *b = members->build;
	struct continuum32 *ring = continuum32_new(b->spec,
	    count_points(members, words, weights), b->error_r, b->err);

	if (ring == NULL)
		return NULL;
	for (size_t i = 0; i < members->n; i++)
		add_points(ring, &members->list[i], words);
	if (!continuum32_seal(ring, CONTINUUM32_KEEP_ALL, b->error_r, b->err))
		continuum32_free(&ring);
	return ring;
}

static struct flavour
flavour_of(enum placement_kind kind)
{
	if (kind == PLACEMENT_NODE_MEMCACHED)
		return (struct flavour){KETAMA_SHORT, 4};
	if (kind == PLACEMENT_NODE_HASHRING_COMPAT)
		return (struct flavour){KETAMA_ADDRESS, 3};
	return (struct flavour){KETAMA_ADDRESS, 4};
}

static void *
build(const struct rule_build *b)
{
	struct flavour flavour = flavour_of(b->spec->kind);
	struct ketama_members members;
	struct ketama_ring *ring;
	uint64_t weights;

	if (!rule_takes_hash(b, HASH_MD5) || !rule_takes_no_points(b) ||
	    !rule_takes_whole_weights(b, UINT32_MAX, &weights) ||
	    !ketama_members_init(&members, b, flavour.spelling))
		return NULL;
	ring = ketama_ring_new(&members,
	    make_ring(&members, flavour.words, weights), md5_le32);
	ketama_members_fini(&members);
	return ring;
}

const struct placement_rule placement_node_hashring_rule = {
	.build = build,
	.owner = ketama_ring_owner,
	.walk = ketama_ring_walk,
	.free = ketama_ring_free,
	.arc = ketama_ring_arc,
	.points = ketama_ring_points,
	.bytes = ketama_ring_bytes,
};
