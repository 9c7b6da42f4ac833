/* Weighted rendezvous with bounded load. */
#include "ring/rendezvous_bounded.h"

#include "base/mem.h"
#include "ring/rendezvous.h"

#define FACTOR_MIN 100
#define FACTOR_MAX 1000000

struct rendezvous_bounded {			/* worker-local */
	const struct placement_server	*servers;	/* lent */
	uint32_t			 n;
	uint32_t			 factor;	/* percent */
	uint64_t			 weights;	/* of all */
	uint64_t			 total;		/* load of all */
	uint64_t			 loads[];
};

struct rendezvous_bounded *
rendezvous_bounded_new(const struct rule_build *build, uint32_t factor)
{
	struct rendezvous_bounded *bounded;
	uint64_t weights;
	size_t size;

	if (!rule_takes_whole_weights(build, UINT32_MAX, &weights))
		return NULL;
	if (factor < FACTOR_MIN || factor > FACTOR_MAX) {
		(void)rule_refuse(build, PLACEMENT_UNSUPPORTED,
		    "a bound goes from %d to %d percent, not %u", FACTOR_MIN,
		    FACTOR_MAX, factor);
		return NULL;
	}
	size = sizeof(*bounded) + build->n * sizeof(bounded->loads[0]);
	bounded = mem_zalloc(1, size);
	if (bounded == NULL) {
		(void)rule_no_memory(build);
		return NULL;
	}
	bounded->servers = build->servers;
	bounded->n = (uint32_t)build->n;
	bounded->factor = factor;
	bounded->weights = weights;
	return bounded;
}

void
rendezvous_bounded_free(struct rendezvous_bounded **bounded)
{
	mem_free(*bounded);
	*bounded = NULL;
}

uint64_t
rendezvous_bounded_bound(const struct rendezvous_bounded *bounded,
    uint32_t server)
{
	/* Loads below 2^64 times weights below 2^32: 128 bits hold it. */
	unsigned __int128 share = (unsigned __int128)(bounded->total + 1) *
	    (uint64_t)bounded->servers[server].weight * bounded->factor;
	unsigned __int128 whole = (unsigned __int128)bounded->weights * 100;

	return (uint64_t)((share + whole - 1) / whole);
}

/* How one server stands for the key, whatever its load. */
static struct rendezvous_rank
rank(const struct rendezvous_bounded *bounded, uint64_t key_state,
    uint32_t server)
{
	const struct placement_server *s = &bounded->servers[server];

	return rendezvous_weighted_rank(rendezvous_hash(key_state, s->name),
	    s->weight);
}

static bool
beats(const struct rendezvous_rank *a, const struct rendezvous_rank *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	return a->tie > b->tie;
}

uint32_t
rendezvous_bounded_acquire(struct rendezvous_bounded *bounded,
    struct span key)
{
	uint64_t key_state = rendezvous_key_state(key);
	struct rendezvous_rank best = {0, 0};
	uint32_t winner = PLACEMENT_NONE;

	for (uint32_t i = 0; i < bounded->n; i++) {
		struct rendezvous_rank entry;

		if (bounded->loads[i] >= rendezvous_bounded_bound(bounded, i))
			continue;
		entry = rank(bounded, key_state, i);
		if (winner == PLACEMENT_NONE || beats(&entry, &best)) {
			best = entry;
			winner = i;
		}
	}
	/* The bounds add up to more than the load. */
	MUST(winner != PLACEMENT_NONE);
	bounded->loads[winner]++;
	bounded->total++;
	return winner;
}

void
rendezvous_bounded_release(struct rendezvous_bounded *bounded,
    uint32_t server)
{
	MUST(server < bounded->n && bounded->loads[server] > 0);
	bounded->loads[server]--;
	bounded->total--;
}

uint64_t
rendezvous_bounded_load(const struct rendezvous_bounded *bounded,
    uint32_t server)
{
	MUST(server < bounded->n);
	return bounded->loads[server];
}
