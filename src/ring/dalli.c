/*
 * dalli: the ring of Ruby's Dalli::Client.
 *
 * Of n servers with weights w, W in all, each has floor(n x 160 x w / W)
 * points in double precision: the first four bytes, big-endian, of the SHA-1
 * of "host:port:i", i from 0. A key's position is its CRC-32, and the point
 * at or before it (not after, as elsewhere) owns it, wrapping to the last.
 * Servers far lighter than the rest may have no point and get no key. One
 * server is never hashed for. Ruby's sort leaves open which of two equal
 * points comes first; here it is the one added first, and of equals the last
 * is found.
 *
 * If dalli has a namespace, keys reach us with it, as it hashes them; and it
 * has rewritten keys over 250 bytes by then.
 *
 * When a server is down dalli looks up to twenty times more, with the CRC-32
 * of the number of the try followed by the key. That order is from its source
 * only and not followed here: a walk goes backwards from point to point.
 *
 * Proven against dalli 3.0.6: tests/vectors/dalli.tsv.
 */
#include <sha1.h>

#include "base/mem.h"
#include "ring/continuum32.h"
#include "ring/hashes.h"
#include "ring/ketama_members.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

#define POINTS_PER_SERVER 160

/* Above any weight that makes sense, and exact in a double. */
#define WEIGHT_MAX (UINT64_C(1) << 32)

struct dalli {				/* immutable after build */
	size_t			 n;
	struct continuum32	*continuum;	/* owned */
	uint32_t		*npoints;	/* owned: of each server */
};

static void
free_state(void *state)
{
	struct dalli *d = state;

	continuum32_free(&d->continuum);
	mem_free(d->npoints);
	mem_free(d);
}

/* The points of each server; their number in all. */
static uint64_t
count_points(struct dalli *d, const struct rule_build *b, uint64_t weights)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->n; i++) {
		double share = (double)b->n * POINTS_PER_SERVER *
		    b->servers[i].weight / (double)weights;

		/* What does not fit here is far above any cap. */
		d->npoints[i] = share < UINT32_MAX ? (uint32_t)share
						   : UINT32_MAX;
		sum += d->npoints[i];
	}
	return sum;
}

/* The first four bytes of the SHA-1, big-endian. */
static uint32_t
sha1_be32(struct span bytes)
{
	uint8_t d[SHA1_DIGEST_LENGTH];
	SHA1_CTX ctx;

	SHA1Init(&ctx);
	SHA1Update(&ctx, (const uint8_t *)bytes.p, bytes.len);
	SHA1Final(d, &ctx);
	return (uint32_t)d[0] << 24 | (uint32_t)d[1] << 16 |
	    (uint32_t)d[2] << 8 | d[3];
}

static void
add_points(struct dalli *d, const struct ketama_members *members)
{
	for (size_t i = 0; i < members->n; i++) {
		const struct ketama_member *member = &members->list[i];

		for (uint32_t r = 0; r < d->npoints[member->server]; r++)
			continuum32_add(d->continuum, sha1_be32(
			    ketama_point_name(member, ':', r)),
			    member->server);
	}
}

static bool
fill(struct dalli *d, const struct ketama_members *members)
{
	const struct rule_build *b = members->build;
	uint64_t weights;

	d->n = b->n;
	if (!rule_takes_whole_weights(b, WEIGHT_MAX, &weights))
		return false;
	d->npoints = mem_zalloc(b->n, sizeof(*d->npoints));
	if (d->npoints == NULL)
		return rule_no_memory(b);
	d->continuum = continuum32_new(b->spec, count_points(d, b, weights),
	    b->error_r, b->err);
	if (d->continuum == NULL)
		return false;
	add_points(d, members);
	return continuum32_seal(d->continuum, CONTINUUM32_KEEP_ALL,
	    b->error_r, b->err);
}

static struct dalli *
new_state(const struct ketama_members *members)
{
	struct dalli *d = mem_zalloc(1, sizeof(*d));

	if (d == NULL) {
		(void)rule_no_memory(members->build);
		return NULL;
	}
	if (!fill(d, members)) {
		free_state(d);
		return NULL;
	}
	return d;
}

static void *
build(const struct rule_build *b)
{
	struct ketama_members members;
	struct dalli *d;

	if (!rule_takes_hash(b, HASH_DEFAULT) || !rule_takes_no_points(b) ||
	    !ketama_members_init(&members, b, KETAMA_ADDRESS))
		return NULL;
	d = new_state(&members);
	ketama_members_fini(&members);
	return d;
}

static uint32_t
owner(const void *state, struct span key)
{
	const struct dalli *d = state;

	if (d->n == 1)
		return 0;
	return continuum32_point_owner(d->continuum,
	    continuum32_predecessor(d->continuum, hashes_crc32(key)));
}

static void
walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	const struct dalli *d = state;
	size_t count = continuum32_count(d->continuum);
	size_t at = continuum32_predecessor(d->continuum, hashes_crc32(key));

	for (size_t i = 0; i < count; i++) {
		if (visit(arg, continuum32_point_owner(d->continuum, at)))
			return;
		at = (at > 0 ? at : count) - 1;
	}
}

/* Points of value 0, before which no arc can end. */
static size_t
count_zeros(const struct continuum32 *ring)
{
	size_t last = continuum32_predecessor(ring, 0);

	return continuum32_value(ring, last) == 0 ? last + 1 : 0;
}

/* Each point starts an arc; the last one's comes round to the first. */
static bool
arc(const void *state, size_t i, struct placement_arc *arc_r)
{
	const struct dalli *d = state;
	size_t count = continuum32_count(d->continuum);

	i += count_zeros(d->continuum);
	if (i > count)
		return false;
	arc_r->owner = continuum32_point_owner(d->continuum,
	    (i > 0 ? i : count) - 1);
	arc_r->last = UINT64_MAX;
	if (i < count)
		arc_r->last =
		    ((uint64_t)continuum32_value(d->continuum, i) << 32) - 1;
	return true;
}

static uint64_t
points(const void *state, uint32_t server)
{
	const struct dalli *d = state;

	return d->npoints[server];
}

static size_t
bytes(const void *state)
{
	const struct dalli *d = state;

	return continuum32_bytes(d->continuum);
}

const struct placement_rule placement_dalli_rule = {
	.build = build,
	.owner = owner,
	.walk = walk,
	.free = free_state,
	.arc = arc,
	.points = points,
	.bytes = bytes,
};
