/* Looking for idle clients. */
#include "proxy/idle.h"

#include "proxy/client.h"

/* Looks while the time passes once; the worst that a client gains. */
#define LOOKS 8

/* To look more often than this would cost more than it is worth. */
#define INTERVAL_MIN_MS 20

uint64_t
idle_interval_ms(const struct env *env)
{
	uint64_t ms = env->table->limits.client_idle_ms / LOOKS;

	if (env->table->limits.client_idle_ms == 0 ||
	    TAILQ_EMPTY(&env->clients))
		return 0;
	return ms < INTERVAL_MIN_MS ? INTERVAL_MIN_MS : ms;
}

/*
 * Whether it waits for us, or we for its reader. A command that it began and
 * does not end is nothing that anybody waits for.
 */
static bool
has_something_under_way(const struct client *client)
{
	const struct txn *first = TAILQ_FIRST(&client->txns);

	return client->conn.out.len > 0 ||
	    (first != NULL && first->state != TXN_FILLING);
}

void
idle_close_clients(struct env *env)
{
	uint64_t idle_ms = env->table->limits.client_idle_ms;
	uint64_t now_ms = env_now_ms(env);
	struct client *client, *next;

	if (idle_ms == 0)
		return;
	for (client = TAILQ_FIRST(&env->clients); client != NULL;
	    client = next) {
		next = TAILQ_NEXT(client, all_next);
		if (now_ms - client->active_ms < idle_ms ||
		    has_something_under_way(client))
			continue;
		stats_bump(env->stats, STATS_CLIENTS_IDLE_CLOSED);
		client_close(client, REASON_IDLE);
	}
}
