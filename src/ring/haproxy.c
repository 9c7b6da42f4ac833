/*
 * haproxy-consistent: HAProxy's `hash-type consistent`.
 *
 * A server is its numeric id (`hash-key id`, the default): its place in the
 * configuration, counted from 1, as HAProxy gives it; or, where servers have
 * explicit ids there, those, given here as the names (`name: 7`), all or none.
 * It has weight x 16 points, A(id x 4096 + r), r from 0, where A is the
 * avalanche of haproxy_hash.h, a bijection, so that no two points are equal.
 * Weights are whole, from 1 to 256.
 *
 * A key is hashed by sdbm (the default), djb2, wt6 or crc32 (the whole CRC),
 * and then by A if `hash_avalanche` is set. It belongs to the nearer of its
 * two neighbours, not to the next point: the one before it wins if it is at
 * most as far. A server that is down has its points taken out there; so a
 * walk here meets points in order of their distance, either way round, which
 * gives the same.
 *
 * Proven against HAProxy 2.6.12: tests/vectors/haproxy-chash.tsv. Not here:
 * the other hash-keys (addr, addr-port, guid, id32) and hash-balance-factor.
 */
#include "base/mem.h"
#include "base/num.h"
#include "ring/continuum32.h"
#include "ring/haproxy_hash.h"
#include "ring/hashes_choice.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

#define POINTS_PER_WEIGHT 16
#define WEIGHT_MAX	  256

/* From here on ids would share their points with others: 2^32 / 4096. */
#define ID_END	  (UINT32_C(1) << 20)
#define ID_STRIDE 4096

static const struct hashes_choice choices[] = {
	{HASH_SDBM, haproxy_sdbm, haproxy_sdbm},
	{HASH_DJB2, haproxy_djb2, haproxy_djb2},
	{HASH_WT6, haproxy_wt6, haproxy_wt6},
	{HASH_CRC32, hashes_crc32, hashes_crc32},
};

static const struct hashes_offer offer = {
	choices, sizeof(choices) / sizeof(choices[0])
};

struct haproxy {			/* immutable after build */
	const struct placement_server	*servers;	/* lent */
	struct continuum32		*continuum;	/* owned */
	hashes_fn			*hash;
	bool				 has_avalanche;
};

static void
free_state(void *state)
{
	struct haproxy *h = state;

	continuum32_free(&h->continuum);
	mem_free(h);
}

/* Whether the name is a number, written the one way numbers are written. */
static bool
is_number(struct span name)
{
	uint64_t number;

	return num_parse_u64(name, &number) &&
	    (name.p[0] != '0' || name.len == 1);
}

/* Sets whether names are ids; false if they are no good as such. */
static bool
check_ids(const struct rule_build *b, bool *are_ids_r)
{
	size_t numbers = 0;
	uint64_t id;

	for (size_t i = 0; i < b->n; i++)
		numbers += is_number(b->servers[i].name);
	*are_ids_r = numbers > 0;
	if (numbers > 0 && numbers < b->n)
		return rule_refuse(b, PLACEMENT_UNSUPPORTED,
		    "names that are numbers are ids, and either all servers "
		    "have one or none");
	for (size_t i = 0; i < numbers; i++) {
		if (!num_parse_u64_max(b->servers[i].name, ID_END - 1, &id) ||
		    id == 0)
			return rule_refuse(b, PLACEMENT_UNSUPPORTED,
			    "ids go from 1 to %u; server %zu has another",
			    ID_END - 1, i + 1);
	}
	if (b->n >= ID_END)
		return rule_refuse(b, PLACEMENT_STATE_CAPACITY_EXCEEDED,
		    "%zu servers are more than there are ids", b->n);
	return true;
}

static uint32_t
id_of(const struct rule_build *b, uint32_t server, bool are_ids)
{
	uint64_t id = (uint64_t)server + 1;

	if (are_ids)
		MUST(num_parse_u64(b->servers[server].name, &id));
	return (uint32_t)id;
}

static bool
fill(struct haproxy *h, const struct rule_build *b)
{
	uint64_t weights;
	bool are_ids;

	h->servers = b->servers;
	h->has_avalanche = b->spec->hash_avalanche;
	h->hash = hashes_choose(b, &offer, HASH_SDBM);
	if (h->hash == NULL || !rule_takes_no_points(b) ||
	    !check_ids(b, &are_ids) ||
	    !rule_takes_whole_weights(b, WEIGHT_MAX, &weights))
		return false;
	h->continuum = continuum32_new(b->spec, weights * POINTS_PER_WEIGHT,
	    b->error_r, b->err);
	if (h->continuum == NULL)
		return false;
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t count = (uint32_t)b->servers[i].weight *
		    POINTS_PER_WEIGHT;
		uint32_t first = id_of(b, i, are_ids) * ID_STRIDE;

		for (uint32_t r = 0; r < count; r++)
			continuum32_add(h->continuum,
			    haproxy_avalanche(first + r), i);
	}
	return continuum32_seal(h->continuum, CONTINUUM32_KEEP_ALL,
	    b->error_r, b->err);
}

static void *
build(const struct rule_build *b)
{
	struct haproxy *h = mem_zalloc(1, sizeof(*h));

	if (h == NULL) {
		(void)rule_no_memory(b);
		return NULL;
	}
	if (!fill(h, b)) {
		free_state(h);
		return NULL;
	}
	return h;
}

/* The two points that are nearest to a hash, and how far they are. */
struct neighbours {
	const struct continuum32	*ring;
	size_t				 count;
	uint32_t			 hash;
	size_t				 before;	/* number of a point */
	size_t				 after;
};

static struct neighbours
neighbours_of(const struct haproxy *h, struct span key)
{
	struct neighbours near;
	uint32_t hash = h->hash(key);

	near.ring = h->continuum;
	near.count = continuum32_count(h->continuum);
	near.hash = h->has_avalanche ? haproxy_avalanche(hash) : hash;
	near.after = continuum32_successor(h->continuum, near.hash);
	near.before = (near.after > 0 ? near.after : near.count) - 1;
	return near;
}

/* Whether the one before is nearer; distances wrap around. */
static bool
before_is_nearer(const struct neighbours *near)
{
	uint32_t back = near->hash -
	    continuum32_value(near->ring, near->before);
	uint32_t ahead = continuum32_value(near->ring, near->after) -
	    near->hash;

	return back <= ahead;
}

static uint32_t
owner(const void *state, struct span key)
{
	struct neighbours near = neighbours_of(state, key);

	return continuum32_point_owner(near.ring,
	    before_is_nearer(&near) ? near.before : near.after);
}

static void
walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	struct neighbours near = neighbours_of(state, key);
	size_t point;

	/* Every point is met once, by whichever side comes to it first. */
	for (size_t left = near.count; left > 0; left--) {
		if (before_is_nearer(&near)) {
			point = near.before;
			near.before = (point > 0 ? point : near.count) - 1;
		} else {
			point = near.after;
			near.after = point + 1 < near.count ? point + 1 : 0;
		}
		if (visit(arg, continuum32_point_owner(near.ring, point)))
			return;
	}
}

static struct placement_arc
arc_until(const struct haproxy *h, uint64_t last, size_t point)
{
	return (struct placement_arc){(last << 32) + UINT32_MAX,
	    continuum32_point_owner(h->continuum, point)};
}

/* Arcs end half-way between two points; the half-way itself is before. */
static bool
arc(const void *state, size_t i, struct placement_arc *arc_r)
{
	const struct haproxy *h = state;
	const struct continuum32 *ring = h->continuum;
	size_t end = continuum32_count(ring) - 1;
	uint64_t first = continuum32_value(ring, 0), value, middle;
	uint64_t gap = (UINT64_C(1) << 32) + first -
	    continuum32_value(ring, end);

	/* Where the last point's half ends, perhaps after wrapping. */
	middle = continuum32_value(ring, end) + gap / 2;
	if (i > end + 1)
		return false;
	if (middle > UINT32_MAX) {
		if (i == 0) {
			*arc_r = arc_until(h, middle - UINT32_MAX - 1, end);
			return true;
		}
		i--;
	}
	if (i > end || (i == end && middle > UINT32_MAX)) {
		*arc_r = arc_until(h, UINT32_MAX, i > end ? 0 : end);
		return true;
	}
	if (i < end) {
		value = continuum32_value(ring, i);
		middle = value + (continuum32_value(ring, i + 1) - value) / 2;
	}
	*arc_r = arc_until(h, middle, i);
	return true;
}

static uint64_t
points(const void *state, uint32_t server)
{
	const struct haproxy *h = state;

	return (uint64_t)h->servers[server].weight * POINTS_PER_WEIGHT;
}

static size_t
bytes(const void *state)
{
	const struct haproxy *h = state;

	return continuum32_bytes(h->continuum);
}

const struct placement_rule placement_haproxy_consistent_rule = {
	.build = build,
	.owner = owner,
	.walk = walk,
	.free = free_state,
	.arc = arc,
	.ignores_addresses = true,
	.points = points,
	.bytes = bytes,
};
