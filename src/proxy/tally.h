/*
 * What is counted of requests on their way: their time by kind of command,
 * their failures by server, and each server's share.
 *
 * Most requests of a turn have much in common: when they came, when they were
 * sent, how large their values are. Such runs are counted as one, in places of
 * the worker's own, and shown to those who read statistics once the turn has
 * no more of them: before any answer leaves, so that whoever has an answer
 * finds it counted.
 */
#ifndef PROXY_TALLY_H
#define PROXY_TALLY_H

#include "proxy/env.h"
#include "proxy/reason.h"
#include "proxy/txn.h"
#include "proxy/upstream.h"

/* Shows the answers counted so far. */
void tally_show_answers(struct env *env);

/*
 * Shows all that the worker has counted, for one who asks in the middle of a
 * turn. Not while replies are read.
 */
void tally_show_all(struct env *env);

/* Shows all that is counted at an upstream. */
void tally_show_upstream(struct upstream *up);

/* Shows the run of replies that were sent at one time. */
void tally_show_replies(struct upstream *up);

/* Shows the run of values that have one size. */
void tally_show_values(struct upstream *up);

/* A request for `server` (NULL: there is none) failed. */
void tally_failure(struct env *env, struct server *server, enum reason reason);

/* Notes how long the client waited for the txn, whose answer leaves now. */
static inline void
tally_answered(const struct txn *txn)
{
	struct env *env = txn->env;

	if (txn->began_us != env->answered.of ||
	    txn->verb != env->answered_verb) {
		tally_show_answers(env);
		env->answered.of = txn->began_us;
		env->answered_verb = txn->verb;
	}
	env->answered.n++;
}

/* Counts a reply in time to what was sent then. */
static inline void
tally_reply(struct upstream *up, uint64_t sent_us)
{
	if (sent_us != up->replies.of) {
		tally_show_replies(up);
		up->replies.of = sent_us;
	}
	up->replies.n++;
}

/* Counts a value that the server answers. */
static inline void
tally_value(struct upstream *up, uint64_t size)
{
	if (size != up->values.of) {
		tally_show_values(up);
		up->values.of = size;
	}
	up->values.n++;
}

#endif
