/*
 * What happens on a connection, as it speaks for or against its server.
 *
 * A connection made before its server last went down says nothing of how the
 * server is now: a firewall may have forgotten it, or the server restarted;
 * one made before its name had another address is to another host. Such a
 * connection is replaced before its next use, and its failures spoil no trial.
 */
#include "proxy/upstream.h"

#include "base/log.h"
#include "route/verdict.h"

bool
upstream_is_outdated(const struct upstream *up)
{
	return health_epoch(&up->server->health) != up->epoch;
}

/* The server's pool in the present table; NULL: it is in none. */
static const struct pool *
pool_of(const struct upstream *up)
{
	/* No other server has the id while an upstream has this one. */
	return up->conn.env->table->by_id[up->server->id].pool;
}

/*
 * Whether a line that could flood the log may be written. A gate of its own:
 * those of the connections that failed must not keep back what it means.
 */
static bool
passes_gate(const struct upstream *up, unsigned *dropped_r)
{
	struct env *env = up->conn.env;

	*dropped_r = 0;
	return log_gate_pass(&env->health_gate, env_now_ms(env), dropped_r);
}

static void
report_down(const struct upstream *up, enum reason reason)
{
	const struct server *server = up->server;

	log_warn("server %s is down: %s pool=%s openings=%llu", server->name,
	    reason_words(reason), server->pool, (unsigned long long)
	    health_count(&server->health, HEALTH_OPENINGS));
	atomic_fetch_add_explicit(&up->conn.env->proxy->noutages, 1,
	    memory_order_relaxed);
	env_alarm(up->conn.env, ALARM_BREAKER);
}

void
upstream_leave_outdated(struct env *env)
{
	/* The eventfd that woke this worker is the barrier. */
	uint64_t noutages = atomic_load_explicit(&env->proxy->noutages,
	    memory_order_relaxed);
	struct upstream *up, *next;

	if (noutages == env->noutages)
		return;
	env->noutages = noutages;
	for (up = TAILQ_FIRST(&env->all_upstreams); up != NULL; up = next) {
		next = TAILQ_NEXT(up, all_next);
		if (up->state == UPSTREAM_READY && upstream_is_outdated(up))
			upstream_retire(up);
	}
}

static void
report_spared(const struct upstream *up, enum reason reason)
{
	unsigned dropped;

	if (passes_gate(up, &dropped))
		log_warn("server %s looks down (%s), but stays in use: most "
		    "servers of its pool look dead, so suspect this host's "
		    "network pool=%s similar_lines_dropped=%u",
		    up->server->name, reason_words(reason), up->server->pool,
		    dropped);
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

/* The end of a trial is always told; that of a suspicion may come often. */
static void
report_up(const struct upstream *up, bool was_on_trial)
{
	unsigned dropped = 0;

	if (was_on_trial || passes_gate(up, &dropped))
		log_info("server %s is up again pool=%s "
		    "similar_lines_dropped=%u", up->server->name,
		    up->server->pool, dropped);
}

void
upstream_note_success(struct upstream *up)
{
	struct health *health = &up->server->health;
	bool was_on_trial = health_state(health) == HEALTH_TRIAL;

	if (health_succeeded(health))
		report_up(up, was_on_trial);
}
