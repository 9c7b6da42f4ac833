/*
 * mcrouter-ch3, mcrouter-crc32, mcrouter-weighted-ch3, mcrouter-rendezvous and
 * mcrouter-weighted-rendezvous: the hash functions of mcrouter's HashRoute.
 *
 * What is hashed is the routing key: a key that starts with '/' loses all up
 * to and with its third '/' (the routing prefix "/region/cluster/"), if it has
 * three; then all from the first "|#|" on (the hash stop) is cut. To the rest
 * the route's salt (hash_seed) is appended. Only the number and the order of
 * the servers count, but for the rendezvous rules, which hash their names:
 * give the servers the route's `tags` as names. One server is never hashed
 * for.
 *
 * ch3		furc_hash over the number of servers, see mcrouter_hash.c.
 * crc32	(CRC-32 & 0x7fffffff) mod the number of servers.
 * weighted-ch3	weights from 0 to 1: furc_hash picks a server, and SpookyHash
 *		V2 of the same string (32 bits, seed 0xface2014) must be below
 *		weight x 4294967295. If not, the next try hashes the key with
 *		the number of the try appended, digits reversed; after 32 tries
 *		the last one stands. So weight 1 is where ch3 puts a key, and
 *		lowering one weight moves only that server's keys.
 * rendezvous	MurmurHash64A of the tag (seed 4193360111) and of the key (seed
 *		2718281828), folded to 64 bits and rounded to a double: the
 *		largest wins, of equals the last. No salt.
 * weighted-rendezvous	the low 53 bits of the same, as a fraction u: weight /
 *		-ln u, the largest wins, of equals the first. No salt.
 *
 * weighted-rendezvous calls the C library's log(), as mcrouter does, so it is
 * exact where that log() agrees with mcrouter's; libraries may differ in the
 * last bit, and then a key whose two best scores are that close may differ.
 *
 * Facebook's, proven against mcrouter's own source at 9d7f434 and the values
 * its tests publish: tests/vectors/mcrouter-*.tsv (their keys are routing
 * keys already). ConstShard, Latest and LoadBalancer are not here.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "ring/hashes.h"
#include "ring/mcrouter_hash.h"
#include "ring/rendezvous_order.h"
#include "ring/rule.h"
#include "ring/rule_check.h"
#include "ring/spooky.h"

#define KEY_SEED   UINT64_C(2718281828)
#define SPOOK_SEED UINT32_C(0xface2014)
#define TRIES	   32

/*
 * Bytes of a routing key that are hashed. memcached takes no key over 250, so
 * no key meets this.
 */
#define KEY_MAX_LEN 1024

struct mcrouter {			/* immutable after build */
	enum placement_kind	 kind;
	uint32_t		 n;
	size_t			 salt_len;
	const char		*salt;		/* lent by the spec */
	double			*weights;	/* owned */
	uint64_t		*tags;		/* owned: hashes of the names */
};

/* A routing key with its salt and, perhaps, the number of a try. */
struct salted {
	size_t	len;			/* without the number */
	char	text[KEY_MAX_LEN + PLACEMENT_SEED_SIZE + NUM_U64_MAX_LEN];
};

/* One look-up of a rendezvous rule. */
struct look {
	const struct mcrouter	*state;
	uint64_t		 key_hash;
};

static void
free_state(void *state)
{
	struct mcrouter *m = state;

	mem_free(m->weights);
	mem_free(m->tags);
	mem_free(m);
}

/* Whether the rule takes these weights. */
static bool
check_weights(const struct rule_build *b)
{
	bool is_ch3 = b->spec->kind == PLACEMENT_MCROUTER_WEIGHTED_CH3;

	if (!is_ch3 && b->spec->kind != PLACEMENT_MCROUTER_WEIGHTED_RENDEZVOUS)
		return rule_takes_no_weights(b);
	for (size_t i = 0; i < b->n; i++) {
		double weight = b->servers[i].weight;

		if (!(weight >= 0 && isfinite(weight)) ||
		    (is_ch3 && weight > 1))
			return rule_refuse(b, PLACEMENT_UNSUPPORTED,
			    "takes weights %s; server %zu has %g",
			    is_ch3 ? "from 0 to 1" : "of 0 or more", i + 1,
			    weight);
	}
	return true;
}

static bool
check(const struct rule_build *b)
{
	if (!rule_takes_hash(b, HASH_DEFAULT) || !rule_takes_no_tag(b) ||
	    !rule_takes_no_points(b) ||
	    !check_weights(b))
		return false;
	if (b->n > MCROUTER_FURC_MAX)
		return rule_refuse(b, PLACEMENT_STATE_CAPACITY_EXCEEDED,
		    "%zu servers are more than its %u", b->n,
		    MCROUTER_FURC_MAX);
	if (b->spec->hash_seed[0] != '\0' &&
	    (b->spec->kind == PLACEMENT_MCROUTER_RENDEZVOUS ||
	    b->spec->kind == PLACEMENT_MCROUTER_WEIGHTED_RENDEZVOUS))
		return rule_refuse(b, PLACEMENT_UNSUPPORTED,
		    "knows no salt");
	return true;
}

static bool
fill(struct mcrouter *m, const struct rule_build *b)
{
	m->kind = b->spec->kind;
	m->n = (uint32_t)b->n;
	m->salt = b->spec->hash_seed;
	m->salt_len = strnlen(m->salt, PLACEMENT_SEED_SIZE);
	m->weights = mem_zalloc(b->n, sizeof(*m->weights));
	if (m->weights == NULL)
		return false;
	m->tags = mem_zalloc(b->n, sizeof(*m->tags));
	if (m->tags == NULL)
		return false;
	for (size_t i = 0; i < b->n; i++) {
		m->weights[i] = b->servers[i].weight;
		m->tags[i] = murmur64a(b->servers[i].name, MCROUTER_SEED);
	}
	return true;
}

static void *
build(const struct rule_build *b)
{
	struct mcrouter *m;

	if (!check(b))
		return NULL;
	m = mem_zalloc(1, sizeof(*m));
	if (m == NULL) {
		(void)rule_no_memory(b);
		return NULL;
	}
	if (!fill(m, b)) {
		(void)rule_no_memory(b);
		free_state(m);
		return NULL;
	}
	return m;
}

/* The whole key if it has no routing prefix. */
static struct span
without_prefix(struct span key)
{
	size_t slashes = 0;

	if (key.len == 0 || key.p[0] != '/')
		return key;
	for (size_t i = 0; i < key.len; i++) {
		if (key.p[i] == '/' && ++slashes == 3)
			return span_of(key.p + i + 1, key.len - i - 1);
	}
	return key;
}

static struct span
routing_key(const struct placement_spec *spec, struct span key)
{
	const char *stop;

	(void)spec;
	key = without_prefix(key);
	if (key.len == 0)
		return key;
	stop = memmem(key.p, key.len, "|#|", 3);
	return stop == NULL ? key : span_of(key.p, (size_t)(stop - key.p));
}

static struct span
salt_key(const struct mcrouter *m, struct span key, struct salted *salted)
{
	size_t len = key.len < KEY_MAX_LEN ? key.len : KEY_MAX_LEN;

	if (len > 0)
		memcpy(salted->text, key.p, len);
	memcpy(salted->text + len, m->salt, m->salt_len);
	salted->len = len + m->salt_len;
	return span_of(salted->text, salted->len);
}

/* The salted key with the number of a try, last digit first. */
static struct span
salt_try(struct salted *salted, unsigned number)
{
	size_t len = salted->len;

	do {
		salted->text[len++] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	return span_of(salted->text, len);
}

static uint32_t
weighted_ch3(const struct mcrouter *m, struct span key)
{
	struct salted salted;
	struct span s = salt_key(m, key, &salted);
	uint32_t server = 0;

	for (unsigned try = 0; try < TRIES; try++) {
		server = mcrouter_furc(s, m->n);
		if (spooky_hash32(s, SPOOK_SEED) <
		    (uint32_t)(m->weights[server] * (double)UINT32_MAX))
			return server;
		s = salt_try(&salted, try);
	}
	return server;
}

/* Both hashes folded into one. */
static uint64_t
fold(uint64_t upper, uint64_t lower)
{
	static const uint64_t m = UINT64_C(0x9ddfea08eb382d69);
	uint64_t a = (lower ^ upper) * m, b;

	a ^= a >> 47;
	b = (upper ^ a) * m;
	b ^= b >> 47;
	return b * m;
}

static struct rendezvous_rank
rank(const void *arg, uint32_t server)
{
	const struct look *look = arg;
	uint64_t hash = fold(look->state->tags[server], look->key_hash);

	return (struct rendezvous_rank){
	    rendezvous_score((double)hash), server};
}

static struct rendezvous_rank
weighted_rank(const void *arg, uint32_t server)
{
	const struct look *look = arg;
	uint64_t hash = fold(look->state->tags[server], look->key_hash);
	double u = (double)(hash & ((UINT64_C(1) << 53) - 1)) /
	    (double)(UINT64_C(1) << 53);

	/* u = 0 has a logarithm of -infinity and thus a score of 0. */
	return (struct rendezvous_rank){
	    rendezvous_score(look->state->weights[server] * (1.0 / -log(u))),
	    0};
}

static uint32_t
owner(const void *state, struct span key)
{
	const struct mcrouter *m = state;
	struct salted salted;

	if (m->n == 1)
		return 0;
	if (m->kind == PLACEMENT_MCROUTER_WEIGHTED_CH3)
		return weighted_ch3(m, key);
	key = salt_key(m, key, &salted);
	if (m->kind == PLACEMENT_MCROUTER_CRC32)
		return (hashes_crc32(key) & 0x7fffffff) % m->n;
	return mcrouter_furc(key, m->n);
}

static struct rendezvous_contest
contest_of(const struct look *look)
{
	const struct mcrouter *m = look->state;
	bool is_weighted = m->kind == PLACEMENT_MCROUTER_WEIGHTED_RENDEZVOUS;

	return (struct rendezvous_contest){
	    m->n, is_weighted ? weighted_rank : rank, look};
}

static uint32_t
rendezvous_owner(const void *state, struct span key)
{
	struct look look = {state, murmur64a(key, KEY_SEED)};
	struct rendezvous_contest contest = contest_of(&look);

	return rendezvous_winner(&contest);
}

static void
rendezvous_owners(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	struct look look = {state, murmur64a(key, KEY_SEED)};
	struct rendezvous_contest contest = contest_of(&look);

	rendezvous_walk(&contest, visit, arg);
}

/* ch3, crc32 and weighted-ch3. */
const struct placement_rule placement_mcrouter_hash_rule = {
	.build = build,
	.owner = owner,
	.free = free_state,
	.key_part = routing_key,
	.ignores_addresses = true,
};

/* rendezvous and weighted-rendezvous. */
const struct placement_rule placement_mcrouter_rendezvous_rule = {
	.build = build,
	.owner = rendezvous_owner,
	.walk = rendezvous_owners,
	.free = free_state,
	.key_part = routing_key,
	.ignores_addresses = true,
};
