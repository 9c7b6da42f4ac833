/*
 * Bounded load in whole numbers.
 *
 * A whole load is below ceil(x) exactly when it is below x. So with the
 * capacity being next x weight x factor / (sum x ONE), rounded up,
 *
 *	load < capacity  <=>  load x (sum x ONE) < next x (weight x factor)
 *
 * where next = total + 1 and factor = ONE + slack: two products to compare,
 * nothing to divide, nothing rounded.
 */
#include "ring/bounded.h"

#include "base/mem.h"

#define ONE BOUNDED_SLACK_ONE

/* The largest weight that is exact in a double, as everywhere in ring/. */
#define WEIGHT_MAX (UINT64_C(1) << 53)

__extension__ typedef unsigned __int128 u128;

struct bounded {		/* worker-local */
	const struct placement	*placement;	/* lent, outlives us */
	uint64_t		*loads;		/* owned, as the next */
	uint64_t		*weights;	/* at most 2^53 */
	u128			 divisor;	/* sum x ONE, under 2^106 */
	uint64_t		 factor;	/* under 2^33 */
	uint64_t		 total;		/* the sum of all loads */
};

static bool
are_weights_whole(const struct placement *p)
{
	for (size_t i = 0; i < placement_servers(p); i++) {
		double w = placement_server_at(p, i)->weight;

		if (w > (double)WEIGHT_MAX || (double)(uint64_t)w != w)
			return false;
	}
	return true;
}

/* In whole units, or in millionths when some weight is a fraction. */
static uint64_t
whole_weight(double weight, bool is_whole)
{
	if (is_whole)
		return (uint64_t)weight;
	weight = weight * 1e6 + 0.5;
	if (weight < 1)
		return 1;
	return weight > (double)WEIGHT_MAX ? WEIGHT_MAX : (uint64_t)weight;
}

struct bounded *
bounded_new(const struct placement *placement, uint32_t slack)
{
	size_t n = placement_servers(placement);
	bool is_whole = are_weights_whole(placement);
	struct bounded *b = mem_zalloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->loads = mem_zalloc(n, sizeof(*b->loads));
	b->weights = mem_zalloc(n, sizeof(*b->weights));
	if (b->loads == NULL || b->weights == NULL) {
		bounded_free(&b);
		return NULL;
	}
	b->placement = placement;
	b->factor = (uint64_t)ONE + slack;
	for (size_t i = 0; i < n; i++) {
		b->weights[i] = whole_weight(
		    placement_server_at(placement, i)->weight, is_whole);
		b->divisor += (u128)b->weights[i] * ONE;
	}
	return b;
}

void
bounded_free(struct bounded **bounded)
{
	if (*bounded == NULL)
		return;
	mem_free((*bounded)->loads);
	mem_free((*bounded)->weights);
	mem_free(*bounded);
	*bounded = NULL;
}

/* 192 bits: high x 2^64 + low. */
struct product {
	u128		high;
	uint64_t	low;
};

static struct product
multiply(u128 a, uint64_t b)
{
	u128 low = (u128)(uint64_t)a * b;

	return (struct product){(a >> 64) * b + (low >> 64), (uint64_t)low};
}

/* Whether `load` is below the capacity of `server` for one more request. */
static bool
is_below_capacity(const struct bounded *b, uint32_t server, uint64_t load)
{
	struct product used = multiply(b->divisor, load);
	struct product room = multiply((u128)b->weights[server] * b->factor,
	    b->total + 1);

	return used.high < room.high ||
	    (used.high == room.high && used.low < room.low);
}

static bool
has_room(void *arg, uint32_t server)
{
	const struct bounded *b = arg;

	return is_below_capacity(b, server, b->loads[server]);
}

uint32_t
bounded_acquire(struct bounded *b, struct span key)
{
	uint32_t server;

	MUST(b->total < UINT64_MAX);
	server = placement_owner_where(b->placement, key, has_room, b);
	/* All capacities together are more than the total. */
	MUST(server != PLACEMENT_NONE);
	b->loads[server]++;
	b->total++;
	return server;
}

void
bounded_release(struct bounded *b, uint32_t server)
{
	MUST(server < placement_servers(b->placement));
	MUST(b->loads[server] > 0);
	b->loads[server]--;
	b->total--;
}

uint64_t
bounded_load(const struct bounded *b, uint32_t server)
{
	MUST(server < placement_servers(b->placement));
	return b->loads[server];
}

uint64_t
bounded_total(const struct bounded *b)
{
	return b->total;
}

uint64_t
bounded_capacity(const struct bounded *b, uint32_t server)
{
	uint64_t low = 0, high = UINT64_MAX;

	MUST(server < placement_servers(b->placement));
	/* The first load that is not below it. */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (is_below_capacity(b, server, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
