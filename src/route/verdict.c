/* How many servers a pool can spare. */
#include "route/verdict.h"

/* Sequentially consistent, as the exchange in health.c that it pairs with. */
static uint64_t
count_down(const struct pool *pool)
{
	uint64_t n = 0;

	for (size_t i = 0; i < pool->nservers; i++)
		n += atomic_load(&pool->servers[i]->health.state) ==
		    HEALTH_DOWN;
	return n;
}

static enum verdict
spare(struct health *health)
{
	return health_spare(health) ? VERDICT_SPARED : VERDICT_NONE;
}

enum verdict
verdict_failed(struct server *server, const struct pool *pool,
    uint64_t now_ms, uint32_t jitter)
{
	struct health *health = &server->health;

	if (!health_failed(health))
		return VERDICT_NONE;
	if (pool != NULL && count_down(pool) >= pool->policy.max_down)
		return spare(health);
	if (!health_open(health, now_ms, jitter))
		return VERDICT_NONE;
	/* Another worker may have taken the last place meanwhile. */
	if (pool != NULL && count_down(pool) > pool->policy.max_down)
		return spare(health);
	return VERDICT_DOWN;
}
