/* Counting requests. */
#include "proxy/tally.h"

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
tally_answered(struct txn *txn)
{
	enum stats_histogram histogram = histogram_of(txn->verb);

	if (histogram != STATS_NHISTOGRAMS)
		stats_note(txn->env->stats, histogram,
		    env_now_us(txn->env) - txn->began_us);
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
