/* Why a reload moves more than it must. */
#include "cli/plan_pool.h"

#include "ring/gcd.h"

/* What a rule makes points of, and knows servers by. */
struct traits {
	/* Points follow the share of all weights: one change touches all. */
	bool	is_normalised;
	/* Servers are their place in the list, or one slot of all. */
	bool	is_by_position;
	/* Their names do not count at all. */
	bool	is_nameless;
	/* Weights are divided by their greatest common divisor. */
	bool	is_divided;
};

static struct traits
traits_of(enum placement_kind kind)
{
	switch (kind) {
	case PLACEMENT_RING:
		return (struct traits){.is_divided = true};
	case PLACEMENT_MODULA:
		return (struct traits){.is_by_position = true,
			.is_nameless = true, .is_divided = true};
	case PLACEMENT_KETAMA:
	case PLACEMENT_LIBMEMCACHED_KETAMA:
	case PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED:
	case PLACEMENT_LIBMEMCACHED_SPY:
	case PLACEMENT_LIBMEMCACHED_SPY_WEIGHTED:
	case PLACEMENT_TWEMPROXY_KETAMA:
	case PLACEMENT_ENVOY_RING:
	case PLACEMENT_DALLI:
	case PLACEMENT_SPYMEMCACHED_KETAMA_WEIGHTED:
	case PLACEMENT_NODE_HASHRING:
	case PLACEMENT_NODE_HASHRING_COMPAT:
	case PLACEMENT_NODE_MEMCACHED:
		return (struct traits){.is_normalised = true};
	case PLACEMENT_TWEMPROXY_MODULA:
	case PLACEMENT_HAPROXY_CONSISTENT:
		return (struct traits){.is_by_position = true};
	case PLACEMENT_LIBMEMCACHED_MODULA:
	case PLACEMENT_MEMCACHED_JUMP:
	case PLACEMENT_MCROUTER_CH3:
	case PLACEMENT_MCROUTER_CRC32:
	case PLACEMENT_MCROUTER_WEIGHTED_CH3:
	case PLACEMENT_PYTHON_MEMCACHED:
	case PLACEMENT_CACHE_MEMCACHED_FAST:
	case PLACEMENT_SPYMEMCACHED_MODULA:
		return (struct traits){
			.is_by_position = true, .is_nameless = true};
	case PLACEMENT_MEMCACHED_RING:
	case PLACEMENT_MEMCACHED_RING_KETAMA:
	case PLACEMENT_MEMCACHED_RING_TWEMPROXY:
	case PLACEMENT_MEMCACHED_RING_EVCACHE:
	case PLACEMENT_RENDEZVOUS:
	case PLACEMENT_WEIGHTED_RENDEZVOUS:
	case PLACEMENT_BUCKETS:
	case PLACEMENT_MCROUTER_RENDEZVOUS:
	case PLACEMENT_MCROUTER_WEIGHTED_RENDEZVOUS:
	case PLACEMENT_PYMEMCACHE:
	case PLACEMENT_PYMEMCACHE_BYTES:
	case PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA:
	case PLACEMENT_SPYMEMCACHED_KETAMA:
	case PLACEMENT_CONSISTENT_HASH_RING_RS:
	case PLACEMENT_CONSISTENT_HASH_RING_RS_I32:
	case PLACEMENT_ZIG_HASHRING:
		return (struct traits){0};
	}
	NEVER();
}

static enum placement_kind
kind_of(const struct plan_pool *plan)
{
	return plan->after->conf->placement.kind;
}

/* Of weights that the rule took, and so are whole numbers. */
static uint64_t
divisor_of(const struct pool *pool)
{
	uint64_t divisor = 0;

	for (size_t i = 0; i < pool->conf->nservers; i++)
		divisor = gcd(divisor,
		    (uint64_t)pool->conf->servers[i].weight);
	return divisor;
}

static bool
why_settings(const struct plan_pool *plan, struct err *words_r)
{
	err_set(words_r, "the placement or one of its options changes, which "
	    "places keys anew");
	return plan->update->is_other_spec;
}

static bool
why_renamed(const struct plan_pool *plan, struct err *words_r)
{
	if (traits_of(kind_of(plan)).is_nameless)
		return false;
	for (size_t i = 0; i < plan->nservers; i++) {
		const struct plan_server *s = &plan->servers[i];

		if (!s->is_renamed)
			continue;
		err_set(words_r, "placement goes by names, and %.200s is "
		    "called %.200s now: keep the name to keep its keys",
		    s->before->name, s->after->name);
		return true;
	}
	return false;
}

static bool
why_divisor(const struct plan_pool *plan, struct err *words_r)
{
	uint64_t before, after;

	if (!traits_of(kind_of(plan)).is_divided ||
	    !plan->update->is_rescaled || plan->update->is_other_spec)
		return false;
	before = divisor_of(plan->before);
	after = divisor_of(plan->after);
	err_set(words_r, "the greatest common divisor of the weights goes "
	    "from %llu to %llu, so servers of unchanged weight get another "
	    "number of points", (unsigned long long)before,
	    (unsigned long long)after);
	return before != after;
}

static bool
has_weight_above_one(const struct pool *pool)
{
	for (size_t i = 0; i < pool->conf->nservers; i++) {
		if (pool->conf->servers[i].weight > 1)
			return true;
	}
	return false;
}

/* libmemcached's rings without weights become others with the first one. */
static bool
why_switched(const struct plan_pool *plan, struct err *words_r)
{
	enum placement_kind kind = kind_of(plan);

	err_set(words_r, "the first weight above 1 makes %s another ring, "
	    "of other points; so does the last one that goes",
	    placement_kind_name(kind));
	return (kind == PLACEMENT_LIBMEMCACHED_KETAMA ||
	    kind == PLACEMENT_LIBMEMCACHED_SPY) &&
	    has_weight_above_one(plan->before) !=
	    has_weight_above_one(plan->after) && !plan->update->is_other_spec;
}

static bool
why_normalised(const struct plan_pool *plan, struct err *words_r)
{
	struct err ignored;

	err_set(words_r, "%s gives each server points by its part of all "
	    "weights, so servers of unchanged weight get another number of "
	    "points", placement_kind_name(kind_of(plan)));
	return traits_of(kind_of(plan)).is_normalised &&
	    plan->update->is_rescaled && !plan->update->is_other_spec &&
	    !why_switched(plan, &ignored);
}

static bool
why_position(const struct plan_pool *plan, struct err *words_r)
{
	err_set(words_r, "%s knows servers by their position, or divides by "
	    "how many there are, so a change renumbers others",
	    placement_kind_name(kind_of(plan)));
	return traits_of(kind_of(plan)).is_by_position &&
	    !plan->update->is_other_spec;
}

/* Points that come take from servers that others' points go to. */
static bool
why_exchange(const struct plan_pool *plan, struct err *words_r)
{
	size_t grow = 0, shrink = 0, reweighted = 0;

	for (size_t i = 0; i < plan->nservers; i++) {
		const struct plan_server *s = &plan->servers[i];
		double before = s->before == NULL ? 0 : s->before->weight;
		double after = s->after == NULL ? 0 : s->after->weight;

		grow += after > before;
		shrink += after < before;
		reweighted += s->is_reweighted;
	}
	err_set(words_r, "several servers change at once: some take keys "
	    "from those that leave or shrink, and give keys to those that "
	    "come or grow");
	return ((grow > 0 && shrink > 0) || reweighted > 1) &&
	    !plan->update->is_other_spec;
}

/* Nothing else explains it. */
static bool
why_collision(const struct plan_pool *plan, struct err *words_r)
{
	struct err ignored;

	for (unsigned why = 0; why < PLAN_WHY_COLLISION; why++) {
		if (plan_pool_why(plan, (enum plan_why)why, &ignored))
			return false;
	}
	err_set(words_r, "points of different servers have the same place, "
	    "and %s lets one of them have it",
	    placement_kind_name(kind_of(plan)));
	return true;
}

const char *
plan_why_name(enum plan_why why)
{
	static const char *const names[] = {
#define X(member, name) [PLAN_WHY_##member] = (name),
		PLAN_WHYS(X)
#undef X
	};

	return names[why];
}

bool
plan_pool_why(const struct plan_pool *plan, enum plan_why why,
    struct err *words_r)
{
	if (plan->update == NULL || plan->needless <= 0)
		return false;
	switch (why) {
	case PLAN_WHY_SETTINGS:
		return why_settings(plan, words_r);
	case PLAN_WHY_RENAMED:
		return why_renamed(plan, words_r);
	case PLAN_WHY_DIVISOR:
		return why_divisor(plan, words_r);
	case PLAN_WHY_NORMALISED:
		return why_normalised(plan, words_r);
	case PLAN_WHY_SWITCHED:
		return why_switched(plan, words_r);
	case PLAN_WHY_POSITION:
		return why_position(plan, words_r);
	case PLAN_WHY_EXCHANGE:
		return why_exchange(plan, words_r);
	case PLAN_WHY_COLLISION:
		return why_collision(plan, words_r);
	}
	NEVER();
}
