/*
 * spymemcached-ketama, spymemcached-ketama-weighted and spymemcached-modula:
 * the locators of Java's spymemcached.
 *
 * spymemcached-ketama is KetamaNodeLocator with KETAMA_HASH: 40 MD5 digests a
 * server, of "address-r", r from 0, each giving four points, its little-endian
 * words. The ring is a map: where two points are equal, the one put in later
 * takes the place. Keys are hashed by MD5, the first word; the first point at
 * or after it owns them. It knows no weights.
 *
 * spymemcached-ketama-weighted is the same locator's weighted form, with the
 * point counts of libmemcached's weighted ketama, single precision and all.
 *
 * The address is what Java makes of a socket address: "10.0.0.1:11211" for an
 * address, but "name/10.0.0.1:11211" for a host name, resolved: there what a
 * name resolves to is part of the identity. Nothing here resolves names, so
 * a server given by host name must be called by that text (`name:`), and is
 * refused without it; only localhost is taken to be 127.0.0.1. A name of its
 * own is hashed as it stands, so servers can move without moving keys. Java
 * spells addresses of IPv6 differently in its versions; name those, too.
 * (Format LIBMEMCACHED is not here: it depends on a reverse look-up.)
 *
 * spymemcached-modula is the default, ArrayModNodeLocator with NATIVE_HASH:
 * Java's String.hashCode of the key (31 h + UTF-16 unit, 32 bits), unsigned,
 * mod the number of servers. Names and weights do not count.
 *
 * Keys are text there: one that is not UTF-8 cannot come from such a client.
 * It is hashed all the same, by its bytes. When a server is down, the client
 * rehashes the key; that order is not followed here.
 *
 * Proven against spymemcached 2.12.3 (OpenJDK 17):
 * tests/vectors/spymemcached.tsv.
 */
#include "base/mem.h"
#include "ring/continuum32.h"
#include "ring/hashes_md5.h"
#include "ring/ketama_members.h"
#include "ring/ketama_ring.h"
#include "ring/load_le.h"
#include "ring/rule.h"
#include "ring/rule_check.h"
#include "ring/utf8.h"

#define POINTS_PER_SERVER 160
#define POINTS_PER_DIGEST 4

/* Whether Java's text of each server's address is known. */
static bool
check_names(const struct rule_build *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct placement_server *server = &b->servers[i];

		if (ketama_spymemcached_knows(server))
			continue;
		return rule_refuse(b, PLACEMENT_UNSUPPORTED,
		    "server %zu must be named as Java writes its resolved "
		    "address, like \"%.*s/10.0.0.1:%u\"", i + 1,
		    (int)(server->host.len > 200 ? 200 : server->host.len),
		    server->host.p, server->port);
	}
	return true;
}

/*
 * Every step is rounded to single precision, and the order of steps decides
 * between 160 and 156 points; libmemcached.c has the same figures.
 */
static uint64_t
weighted_points(double weight, uint64_t weights, size_t n)
{
	float share = (float)weight / (float)weights;
	float points = share * (float)POINTS_PER_SERVER;

	points = points / (float)POINTS_PER_DIGEST;
	points = points * (float)n;
	points = points + 1e-10F;
	return ketama_four_times_floor(points);
}

/* The points of each member; their number in all. */
static uint64_t
count_points(struct ketama_members *members, uint64_t weights)
{
	const struct rule_build *b = members->build;
	bool is_weighted =
	    b->spec->kind == PLACEMENT_SPYMEMCACHED_KETAMA_WEIGHTED;
	uint64_t sum = 0;

	for (size_t i = 0; i < members->n; i++) {
		members->list[i].npoints = !is_weighted
		    ? POINTS_PER_SERVER
		    : weighted_points(b->servers[i].weight, weights, b->n);
		sum += members->list[i].npoints;
	}
	return sum;
}

static void
add_points(struct continuum32 *ring, const struct ketama_member *member)
{
	uint8_t digest[MD5_DIGEST_LEN];

	for (uint64_t r = 0; r < member->npoints / POINTS_PER_DIGEST; r++) {
		md5_digest(ketama_point_name(member, '-', r), digest);
		for (size_t i = 0; i < POINTS_PER_DIGEST; i++)
			continuum32_add(ring, load_le32(digest + 4 * i),
			    member->server);
	}
}

/* The ring of all members' points, or NULL with the error set. */
static struct continuum32 *
make_ring(struct ketama_members *members, uint64_t weights)
{
	const struct rule_build *b = members->build;
	struct continuum32 *ring = continuum32_new(b->spec,
	    count_points(members, weights), b->error_r, b->err);

	if (ring == NULL)
		return NULL;
	for (size_t i = 0; i < members->n; i++)
		add_points(ring, &members->list[i]);
	if (!continuum32_seal(ring, CONTINUUM32_KEEP_LAST, b->error_r, b->err))
		continuum32_free(&ring);
	return ring;
}

static bool
check_weights(const struct rule_build *b, uint64_t *sum_r)
{
	*sum_r = 0;
	if (b->spec->kind == PLACEMENT_SPYMEMCACHED_KETAMA_WEIGHTED)
		return rule_takes_whole_weights(b, UINT32_MAX, sum_r);
	return rule_takes_no_weights(b);
}

static void *
ketama_build(const struct rule_build *b)
{
	struct ketama_members members;
	struct ketama_ring *ring;
	uint64_t weights;

	if (!rule_takes_hash(b, HASH_MD5) || !rule_takes_no_points(b) ||
	    !check_weights(b, &weights) || !check_names(b) ||
	    !ketama_members_init(&members, b, KETAMA_SPYMEMCACHED))
		return NULL;
	ring = ketama_ring_new(&members, make_ring(&members, weights),
	    md5_le32);
	ketama_members_fini(&members);
	return ring;
}

const struct placement_rule placement_spymemcached_ketama_rule = {
	.build = ketama_build,
	.owner = ketama_ring_owner,
	.walk = ketama_ring_walk,
	.free = ketama_ring_free,
	.arc = ketama_ring_arc,
	.points = ketama_ring_points,
	.bytes = ketama_ring_bytes,
};

struct array_mod {			/* immutable after build */
	uint32_t	n;
};

static void *
modula_build(const struct rule_build *b)
{
	struct array_mod *state;

	if (!rule_takes_no_weights(b) ||
	    !rule_takes_hash(b, HASH_DEFAULT) || !rule_takes_no_points(b))
		return NULL;
	state = mem_alloc(sizeof(*state));
	if (state == NULL) {
		(void)rule_no_memory(b);
		return NULL;
	}
	state->n = (uint32_t)b->n;
	return state;
}

/* Java's String.hashCode, over UTF-16. */
static uint32_t
string_hash(struct span key)
{
	uint32_t h = 0, code;
	size_t len;

	while (key.len > 0) {
		code = utf8_first(key, &len);
		key = span_of(key.p + len, key.len - len);
		if (code > 0xffff) {
			code -= 0x10000;
			h = 31 * h + (0xd800 | code >> 10);
			code = 0xdc00 | (code & 0x3ff);
		}
		h = 31 * h + code;
	}
	return h;
}

static uint32_t
modula_owner(const void *state, struct span key)
{
	const struct array_mod *m = state;

	return string_hash(key) % m->n;
}

const struct placement_rule placement_spymemcached_modula_rule = {
	.build = modula_build,
	.owner = modula_owner,
	.free = mem_free,
	.ignores_addresses = true,
};
