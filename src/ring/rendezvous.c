/*
 * rendezvous and weighted-rendezvous: our own rules beside the ring.
 *
 * Each server's name is hashed together with the key; the best score owns the
 * key. There is no ring to build, the spread is as even as the hash, and a
 * server that leaves hands its keys evenly to all others; but a look-up reads
 * every server's name. The order of a walk is the order of scores, so the
 * first R of it are the top R.
 *
 * rendezvous: mix64(FNV-1a-64(00 key FF 01 name FF)), the largest wins, the
 * first of equals. It knows no weights.
 *
 * weighted-rendezvous: score = -L / weight, the smallest wins, equal scores by
 * the larger hash, then the first. L approximates the logarithm of the hash as
 * a fraction, ln((hash >> 11) + 1) - 53 ln 2, by a fixed series of our own:
 * the C library's log() may differ in its last bit from machine to machine,
 * and then a key would, too. Any weight > 0 will do, fractions as well.
 *
 * Both are the rules of Poise's policies of these names (poise-core, its
 * default FNV builder, identities and keys as str), to the bit:
 * tests/vectors/poise.tsv, made by poise-core itself.
 */
#include "ring/rendezvous.h"

#include <math.h>

#include "base/mem.h"
#include "ring/hash.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

#define LN_2 0.693147180559945309417232121458176568

/* Terms of the series, as Poise has it. */
#define LN_TERMS 13

struct rendezvous {			/* immutable after build */
	const struct placement_server	*servers;	/* lent */
	uint32_t			 n;
	bool				 is_weighted;
};

/* One look-up. */
struct rendezvous_look {
	const struct rendezvous	*state;
	uint64_t		 key_state;
};

uint64_t
rendezvous_key_state(struct span key)
{
	uint64_t h = hash_fnv1a_64_byte(HASH_FNV1A_64_BASIS, 0x00);

	h = hash_fnv1a_64_bytes(h, key);
	h = hash_fnv1a_64_byte(h, 0xff);
	return hash_fnv1a_64_byte(h, 0x01);
}

uint64_t
rendezvous_hash(uint64_t key_state, struct span name)
{
	uint64_t h = hash_fnv1a_64_bytes(key_state, name);

	return hash_mix64(hash_fnv1a_64_byte(h, 0xff));
}

/*
 * About ln of the hash as a fraction in (0, 1]: with s = m x 2^e, 1 <= m < 2,
 * ln m is twice the area tangent of (m - 1) / (m + 1).
 */
static double
log_of_fraction(uint64_t hash)
{
	uint64_t s = (hash >> 11) + 1;
	int e = 63 - __builtin_clzll(s);
	double m = (double)s / (double)(UINT64_C(1) << e);
	double z = (m - 1.0) / (m + 1.0);
	double square = z * z, power = z, sum = 0.0;

	for (int i = 0; i < LN_TERMS; i++) {
		sum += power / (double)(2 * i + 1);
		power *= square;
	}
	return 2.0 * sum - (double)(53 - e) * LN_2;
}

struct rendezvous_rank
rendezvous_weighted_rank(uint64_t hash, double weight)
{
	/* Never below 0: cut short, the series is less than the logarithm. */
	double loss = -log_of_fraction(hash) / weight;

	/* The smallest loss is the largest score. */
	return (struct rendezvous_rank){~rendezvous_score(loss), hash};
}

static bool
check_weights(const struct rule_build *b)
{
	if (b->spec->kind == PLACEMENT_RENDEZVOUS)
		return rule_takes_no_weights(b);
	for (size_t i = 0; i < b->n; i++) {
		double weight = b->servers[i].weight;

		if (!(weight > 0 && isfinite(weight)))
			return rule_refuse(b, PLACEMENT_UNSUPPORTED,
			    "takes weights above 0; server %zu has %g",
			    i + 1, weight);
	}
	return true;
}

static void *
build(const struct rule_build *b)
{
	struct rendezvous *state;

	if (!rule_takes_hash(b, HASH_FNV1A_64) ||
	    !rule_takes_no_points(b) || !check_weights(b))
		return NULL;
	state = mem_alloc(sizeof(*state));
	if (state == NULL) {
		(void)rule_no_memory(b);
		return NULL;
	}
	state->servers = b->servers;
	state->n = (uint32_t)b->n;
	state->is_weighted = b->spec->kind == PLACEMENT_WEIGHTED_RENDEZVOUS;
	return state;
}

static struct rendezvous_rank
rank(const void *arg, uint32_t server)
{
	const struct rendezvous_look *look = arg;
	struct span name = look->state->servers[server].name;

	return (struct rendezvous_rank){
	    rendezvous_hash(look->key_state, name), 0};
}

static struct rendezvous_rank
weighted_rank(const void *arg, uint32_t server)
{
	const struct rendezvous_look *look = arg;
	const struct placement_server *s = &look->state->servers[server];

	return rendezvous_weighted_rank(
	    rendezvous_hash(look->key_state, s->name), s->weight);
}

static struct rendezvous_contest
contest_of(const struct rendezvous_look *look)
{
	const struct rendezvous *r = look->state;

	return (struct rendezvous_contest){
	    r->n, r->is_weighted ? weighted_rank : rank, look};
}

static uint32_t
owner(const void *state, struct span key)
{
	struct rendezvous_look look = {state, rendezvous_key_state(key)};
	struct rendezvous_contest contest = contest_of(&look);

	return rendezvous_winner(&contest);
}

static void
walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	struct rendezvous_look look = {state, rendezvous_key_state(key)};
	struct rendezvous_contest contest = contest_of(&look);

	rendezvous_walk(&contest, visit, arg);
}

const struct placement_rule placement_rendezvous_rule = {
	.build = build,
	.owner = owner,
	.walk = walk,
	.free = mem_free,
	.ignores_addresses = true,
};
