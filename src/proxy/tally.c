/* Counting requests. */
#include "proxy/tally.h"

#include "stats/server_stats.h"

/* By verb; STATS_NHISTOGRAMS: not timed, for no server is asked. */
static enum stats_histogram
histogram_of(enum verb verb)
{
	switch (verb) {
	case VERB_GET:
	case VERB_GETS:
		return STATS_REQUEST_GET;
	case VERB_SET:
	case VERB_ADD:
	case VERB_REPLACE:
	case VERB_APPEND:
	case VERB_PREPEND:
	case VERB_CAS:
		return STATS_REQUEST_SET;
	case VERB_DELETE:
		return STATS_REQUEST_DELETE;
	case VERB_INCR:
	case VERB_DECR:
		return STATS_REQUEST_ARITHMETIC;
	case VERB_TOUCH:
	case VERB_GAT:
	case VERB_GATS:
		return STATS_REQUEST_TOUCH;
	case VERB_MG:
	case VERB_ME:
		return STATS_REQUEST_META_READ;
	case VERB_MS:
	case VERB_MD:
	case VERB_MA:
		return STATS_REQUEST_META_WRITE;
	case VERB_FLUSH_ALL:
		return STATS_REQUEST_OTHER;
	case VERB_MN:
	case VERB_VERSION:
	case VERB_VERBOSITY:
	case VERB_QUIT:
	case VERB_STATS:
	case VERB_CONFIG:
	case VERB_SHUTDOWN:
	case VERB_CACHE_MEMLIMIT:
	case VERB_SLABS:
	case VERB_LRU:
	case VERB_LRU_CRAWLER:
	case VERB_EXTSTORE:
	case VERB_WATCH:
	case VERB_REFRESH_CERTS:
		return STATS_NHISTOGRAMS;
	}
	NEVER();
}

void
tally_show_answers(struct env *env)
{
	struct run *run = &env->answered;
	enum stats_histogram histogram = histogram_of(env->answered_verb);

	if (run->n > 0 && histogram != STATS_NHISTOGRAMS)
		stats_note_n(env->stats, histogram, env_now_us(env) - run->of,
		    run->n);
	run->n = 0;
}

void
tally_show_replies(struct upstream *up)
{
	struct run *run = &up->replies;

	if (run->n == 0)
		return;
	server_add(up->tally, SERVER_REPLIES, run->n);
	histogram_add_n(&up->tally->time_us,
	    env_now_us(up->conn.env) - run->of, run->n);
	run->n = 0;
}

void
tally_show_values(struct upstream *up)
{
	struct run *run = &up->values;

	if (run->n == 0)
		return;
	stats_note_n(up->conn.env->stats, STATS_VALUES_READ, run->of, run->n);
	run->n = 0;
}

void
tally_show_upstream(struct upstream *up)
{
	tally_show_replies(up);
	tally_show_values(up);
	if (up->nqueued > 0) {
		stats_add(up->conn.env->stats, STATS_SERVER_REQUESTS,
		    up->nqueued);
		server_add(up->tally, SERVER_REQUESTS, up->nqueued);
		up->nqueued = 0;
	}
	server_add(up->tally, SERVER_IN_FLIGHT, up->nsent - up->nshown);
	up->nshown = up->nsent;
}

/* An upstream with something to show either reads, or has bytes to send. */
void
tally_show_all(struct env *env)
{
	struct conn *conn;

	tally_show_answers(env);
	TAILQ_FOREACH(conn, &env->dirty_upstreams, dirty_next)
		tally_show_upstream((struct upstream *)(void *)conn);
}

void
tally_failure(struct env *env, struct server *server, enum reason reason)
{
	struct server_cell *cell;

	if (server == NULL)
		return;
	cell = server_stats_cell(&server->stats, env->index);
	/* Without memory for the cell only this count is lost. */
	if (cell != NULL)
		server_bump(cell, reason_counter(reason));
}
