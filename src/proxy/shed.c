/* Choosing whom to shed. */
#include "proxy/shed.h"

#include "base/log.h"
#include "proxy/client.h"

/* Closing a client that holds less than this helps nobody. */
#define SHED_MIN 16384

/* Who sends nothing more of a command for so long has stopped within it. */
#define STOPPED_MS 2000

/* How often a worker wakes the others. */
#define ALARM_INTERVAL_MS 50

static size_t
holds(const struct client *client)
{
	return client->conn.out.len + client->held + client->scanned;
}

/* Whether the rest of a command is still to come. */
static bool
is_within_command(const struct client *client)
{
	switch (client->phase) {
	case CLIENT_AT_LINE:
		return client->scanned > 0 && !client->is_held_up;
	case CLIENT_IN_BODY:
		return true;
	case CLIENT_SKIPPING:
		return false;
	}
	NEVER();
}

/* Why it holds memory that it need not, or REASON_NONE. */
static enum reason
fault(const struct client *client, uint64_t now_ms)
{
	if ((client->conn.wanted & EV_WRITE) != 0)
		return REASON_TOO_SLOW;
	if (is_within_command(client) &&
	    now_ms - client->active_ms >= STOPPED_MS)
		return REASON_STOPPED;
	return REASON_NONE;
}

/* Who holds most of those that need not, or NULL. */
static struct client *
slowest(struct env *env)
{
	struct client *client, *worst = NULL;

	TAILQ_FOREACH(client, &env->clients, all_next) {
		if (holds(client) < SHED_MIN ||
		    fault(client, env_now_ms(env)) == REASON_NONE)
			continue;
		if (worst == NULL || holds(client) > holds(worst))
			worst = client;
	}
	return worst;
}

static void
shed(struct env *env, struct client *client)
{
	enum reason reason = fault(client, env_now_ms(env));
	unsigned dropped;

	if (log_gate_pass(&env->gate, env_now_ms(env), &dropped))
		log_warn("client closed: %s listener=%s bytes=%zu "
		    "similar_lines_dropped=%u", reason_words(reason),
		    client->doorway->listen, holds(client), dropped);
	stats_bump(env->stats, STATS_CLIENTS_SHED);
	client_close(client, reason);
}

/*
 * A worker all of whose clients read nothing has no turns, and so would shed
 * none of them.
 */
static void
call_on_others(struct env *env)
{
	uint64_t now_ms = env_now_ms(env);

	if (env->proxy->nworkers == 1 ||
	    now_ms - env->memory_alarm_ms < ALARM_INTERVAL_MS)
		return;
	env->memory_alarm_ms = now_ms;
	env_alarm(env, ALARM_MEMORY);
}

void
shed_slow_clients(struct env *env)
{
	struct budget *budget = env->pool.blocks.budget;
	struct client *client;

	if (!budget_is_tight(budget))
		return;
	/* Perhaps it is only what waits for its next use. */
	block_pool_empty(&env->pool.blocks);
	while (budget_is_tight(budget) && (client = slowest(env)) != NULL) {
		shed(env, client);
		block_pool_empty(&env->pool.blocks);
	}
	if (budget_is_tight(budget))
		call_on_others(env);
}
