/*
 * What happens on a connection, as it speaks for or against its server.
 *
 * A connection made before its server last went down says nothing of how the
 * server is now: a firewall may have forgotten it, or the server restarted.
 * It is replaced before its next use, and its failures spoil no trial.
 */
#include "proxy/upstream.h"

#include "base/log.h"
#include "route/verdict.h"

bool
upstream_is_outdated(const struct upstream *up)
{
	return health_count(&up->server->health, HEALTH_OPENINGS) !=
	    up->openings;
}

/* The server's pool in the present table; NULL: it is in none. */
static const struct pool *
pool_of(const struct upstream *up)
{
	/* No other server has the id while an upstream has this one. */
	return up->conn.env->table->by_id[up->server->id].pool;
}

/* Whether a line of a kind that could flood the log may be written. */
static bool
passes_gate(const struct upstream *up)
{
	struct env *env = up->conn.env;
	unsigned dropped;

	return log_gate_pass(&env->gate, env_now_ms(env), &dropped);
}

static void
report_down(const struct upstream *up, enum reason reason)
{
	const struct server *server = up->server;

	log_warn("server %s is down: %s pool=%s openings=%llu", server->name,
	    reason_words(reason), server->pool, (unsigned long long)
	    health_count(&server->health, HEALTH_OPENINGS));
	env_alarm(up->conn.env, ALARM_BREAKER);
}

static void
report_spared(const struct upstream *up, enum reason reason)
{
	if (passes_gate(up))
		log_warn("server %s looks down (%s), but stays in use: most "
		    "servers of its pool look dead, so suspect this host's "
		    "network pool=%s", up->server->name,
		    reason_words(reason), up->server->pool);
}

void
upstream_note_failure(struct upstream *up, enum reason reason)
{
	struct env *env = up->conn.env;
	struct server *server = up->server;

	if (!reason_is_servers_fault(reason) || (upstream_is_outdated(up) &&
	    health_state(&server->health) == HEALTH_TRIAL))
		return;
	atomic_store_explicit(&server->health.why, reason_words(reason),
	    memory_order_relaxed);
	switch (verdict_failed(server, pool_of(up), env_now_ms(env),
	    env_random(env))) {
	case VERDICT_NONE:
		return;
	case VERDICT_DOWN:
		report_down(up, reason);
		return;
	case VERDICT_SPARED:
		report_spared(up, reason);
		return;
	}
	NEVER();
}

void
upstream_note_success(struct upstream *up)
{
	struct server *server = up->server;
	bool was_on_trial = health_state(&server->health) == HEALTH_TRIAL;

	if (health_succeeded(&server->health) &&
	    (was_on_trial || passes_gate(up)))
		log_info("server %s is up again pool=%s", server->name,
		    server->pool);
}
