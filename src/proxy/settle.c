/* The route step. */
#include "proxy/settle.h"

#include <stdio.h>
#include <string.h>

#include "proto/answer.h"
#include "proxy/client.h"
#include "proxy/compose.h"
#include "proxy/dispatch.h"
#include "proxy/tally.h"

/* Bytes of a long reply that are gathered before any is passed on. */
#define STREAM_MIN 65536

/* Longest line that the proxy says in a server's stead. */
#define ERROR_LINE_MAX 512

static void
count_get(struct txn *txn, bool is_hit)
{
	stats_bump(txn->env->stats,
	    is_hit ? STATS_GET_HITS : STATS_GET_MISSES);
}

/* Which counter a reply moves: by verb, then for a hit and for a miss. */
static void
count_reply(const struct slot *slot, enum reply_word word)
{
	struct txn *txn = slot->txn;
	struct stats_cell *stats = txn->env->stats;
	bool is_miss = word == REPLY_NOT_FOUND || word == REPLY_NF;

	if (reply_is_error(word))
		return;
	if (verb_is_get(txn->verb))
		count_get(txn, slot->whole > 0);
	else if (txn->verb == VERB_MG)
		count_get(txn, word != REPLY_EN);
	else if (txn->verb == VERB_DELETE || txn->verb == VERB_MD)
		stats_bump(stats, is_miss ? STATS_DELETE_MISSES :
		    STATS_DELETE_HITS);
	else if (txn->verb == VERB_INCR)
		stats_bump(stats, is_miss ? STATS_INCR_MISSES :
		    STATS_INCR_HITS);
	else if (txn->verb == VERB_DECR)
		stats_bump(stats, is_miss ? STATS_DECR_MISSES :
		    STATS_DECR_HITS);
	else if (txn->verb == VERB_TOUCH)
		stats_bump(stats, is_miss ? STATS_TOUCH_MISSES :
		    STATS_TOUCH_HITS);
	else if (txn->verb == VERB_CAS)
		stats_bump(stats, is_miss ? STATS_CAS_MISSES :
		    word == REPLY_EXISTS ? STATS_CAS_BADVAL : STATS_CAS_HITS);
}

/* What memcached keeps to itself in quiet mode. */
static bool
is_hidden_by_quiet(enum verb verb, enum reply_word word)
{
	if (verb == VERB_MG)
		return word == REPLY_EN;
	if (verb == VERB_MA)
		return word == REPLY_HD || word == REPLY_VA;
	return word == REPLY_HD;
}

static void
drop_output(struct txn *txn)
{
	chain_clear(&txn->out, &txn->env->pool);
	if (txn->client != NULL)
		txn->client->held -= txn->held;
	txn->held = 0;
}

/*
 * Replaces what there is by one line, or by none where none is wanted;
 * without memory for it the client is closed.
 */
static void
answer_with(struct txn *txn, struct span line)
{
	drop_output(txn);
	if (txn->is_noreply)
		return;
	if (chain_pack(&txn->out, &txn->env->pool, line))
		client_hold(txn, line.len);
	else if (txn->client != NULL)
		client_close(txn->client, REASON_NO_MEMORY);
}

/* Remembers how much a reply may weigh. */
static void
learn_size(struct client *client, size_t reply_size)
{
	uint32_t size = (uint32_t)reply_size;

	if (size > client->value_guess)
		client->value_guess = size;
	else
		client->value_guess -= (client->value_guess - size) / 8;
}

static void
finish(struct txn *txn)
{
	txn->state = TXN_DONE;
	if (txn->client != NULL && txn->nvalues > 0)
		learn_size(txn->client,
		    (txn->streamed + txn->out.len) / txn->nvalues);
	if (txn->answer != NULL)
		answer_with(txn, span_str(txn->answer));
	if (txn->client != NULL)
		client_advance(txn->client);
}

/* Puts the values of all slots in the order of the keys. */
static bool
merge_values(struct txn *txn)
{
	struct chain_pool *pool = &txn->env->pool;
	uint32_t hits = 0, i = 0;

	while (i < txn->nkeys) {
		uint32_t slot = txn->keys[i].slot;
		size_t run = 0;

		for (; i < txn->nkeys && txn->keys[i].slot == slot; i++) {
			run += txn->keys[i].reply_len;
			hits += txn->keys[i].reply_len > 0;
		}
		if (!chain_move_n(&txn->out, &txn->slots[slot].values, run,
		    pool))
			return false;
	}
	stats_add(txn->env->stats, STATS_GET_HITS, hits);
	stats_add(txn->env->stats, STATS_GET_MISSES, txn->nkeys - hits);
	return chain_copy(&txn->out, pool, span_str(ANSWER_END));
}

/* The last sibling has its outcome. */
static void
finish_several(struct txn *txn)
{
	if (txn->client == NULL || txn->has_error) {
		finish(txn);
		return;
	}
	if (txn->verb == VERB_FLUSH_ALL)
		answer_with(txn, span_str(ANSWER_OK));
	else if (!merge_values(txn))
		answer_with(txn, span_str(ANSWER_NO_MEMORY));
	finish(txn);
}

/* One outcome of several: goes on when all are there. */
static void
one_less(struct txn *txn)
{
	MUST(txn->nwaiting > 0);
	if (--txn->nwaiting == 0)
		finish_several(txn);
}

static bool
is_several(const struct txn *txn)
{
	return txn->slots != &txn->one;
}

/* As memcached's own failing get: one error line, and nothing else. */
static void
fail_several(struct txn *txn, struct span line)
{
	if (txn->has_error)
		return;
	txn->has_error = true;
	/* Freed first: it may be they that left no memory for the line. */
	for (uint32_t i = 0; i < txn->nslots; i++)
		chain_clear(&txn->slots[i].values, &txn->env->pool);
	answer_with(txn, line);
}

static void
settle_sibling(struct slot *slot, enum reply_word word)
{
	struct txn *txn = slot->txn;
	struct chain *values = &slot->values;

	if (reply_is_error(word) && txn->client != NULL && !txn->has_error) {
		txn->has_error = true;
		drop_output(txn);
		/* Before it stands what came of a reply that was lost. */
		chain_drop(values, slot->whole, &txn->env->pool);
		chain_move(&txn->out, values, &txn->env->pool);
	}
	one_less(txn);
}

/*
 * A txn is held while it is worked on: for want of memory its client may be
 * closed meanwhile, and lets go of it.
 */
static void
hold(struct txn *txn)
{
	txn->nlent++;
}

static void
let_go(struct txn *txn)
{
	txn->nlent--;
	txn_release(txn);
}

static void
settle_only(struct slot *slot, enum reply_word word)
{
	struct txn *txn = slot->txn;

	count_reply(slot, word);
	if (txn->is_quiet && is_hidden_by_quiet(txn->verb, word))
		drop_output(txn);
	txn->nwaiting = 0;
	finish(txn);
}

void
settle_reply(struct slot *slot, enum reply_word word)
{
	struct txn *txn = slot->txn;

	hold(txn);
	if (is_several(txn))
		settle_sibling(slot, word);
	else
		settle_only(slot, word);
	let_go(txn);
}

/*
 * A get may be asked again, once, if the connection was lost before any of
 * its reply came; it changes nothing at the server.
 */
static bool
may_ask_again(const struct slot *slot, enum reason reason)
{
	const struct txn *txn = slot->txn;

	return (reason == REASON_SERVER_CLOSED ||
	    reason == REASON_SERVER_RESET) && !slot->is_retry &&
	    !txn->is_started &&
	    verb_shape(txn->verb) == VERB_SHAPE_GET && txn->nkeys > 0;
}

/* What had come of the lost reply is asked for again. */
static void
forget_reply(struct slot *slot)
{
	struct txn *txn = slot->txn;

	if (is_several(txn)) {
		/* Less is kept where nobody wanted it any more. */
		if (slot->values.len > slot->whole)
			chain_cut(&slot->values, slot->whole,
			    &txn->env->pool);
		return;
	}
	drop_output(txn);
	slot->whole = 0;
	slot->at_key = 0;
}

static size_t
error_line(char *out, const struct server *server, enum reason reason)
{
	int n;

	if (reason == REASON_NO_MEMORY)
		n = snprintf(out, ERROR_LINE_MAX, ANSWER_NO_MEMORY);
	else if (server == NULL)
		n = snprintf(out, ERROR_LINE_MAX, "SERVER_ERROR %s\r\n",
		    reason_words(reason));
	else
		n = snprintf(out, ERROR_LINE_MAX, "SERVER_ERROR %.250s: "
		    "%s\r\n", server->name, reason_words(reason));
	return (size_t)n;
}

/* Whether the pool's policy makes this a miss. */
static bool
counts_as_miss(const struct txn *txn, enum on_down on_down,
    enum reason reason)
{
	return on_down != ON_DOWN_ERROR && reason != REASON_NO_MEMORY &&
	    (verb_is_get(txn->verb) || txn->verb == VERB_MG);
}

static void
answer_miss(struct txn *txn)
{
	char line[COMPOSE_LINE_MAX];

	count_get(txn, false);
	if (txn->verb != VERB_MG)
		answer_with(txn, span_str(ANSWER_END));
	else if (txn->is_quiet)
		drop_output(txn);
	else
		answer_with(txn, span_of(line,
		    compose_meta_miss(txn_key(txn), line)));
}

static void
fail_sibling(struct slot *slot, const struct server *server,
    enum on_down on_down, enum reason reason)
{
	char line[ERROR_LINE_MAX];
	struct txn *txn = slot->txn;

	if (txn->client != NULL && !counts_as_miss(txn, on_down, reason))
		fail_several(txn, span_of(line,
		    error_line(line, server, reason)));
	one_less(txn);
}

static void
fail_only(struct slot *slot, const struct server *server,
    enum on_down on_down, enum reason reason)
{
	char line[ERROR_LINE_MAX];
	struct txn *txn = slot->txn;

	if (txn->client != NULL && txn->is_started) {
		/* Half a value is on its way: nothing true can follow. */
		client_hang_up(txn->client, REASON_VALUE_LOST);
		return;
	}
	if (txn->client != NULL && counts_as_miss(txn, on_down, reason))
		answer_miss(txn);
	else if (txn->client != NULL)
		answer_with(txn, span_of(line,
		    error_line(line, server, reason)));
	txn->nwaiting = 0;
	finish(txn);
}

void
settle_failure(struct slot *slot, struct server *server,
    enum on_down on_down, enum reason reason)
{
	struct txn *txn = slot->txn;

	if (txn->client != NULL && may_ask_again(slot, reason)) {
		forget_reply(slot);
		if (dispatch_again(slot))
			return;
	}
	stats_bump(txn->env->stats, reason == REASON_NO_MEMORY ?
	    STATS_NO_MEMORY : STATS_SERVER_FAILURES);
	tally_failure(txn->env, server, reason);
	hold(txn);
	if (is_several(txn))
		fail_sibling(slot, server, on_down, reason);
	else
		fail_only(slot, server, on_down, reason);
	let_go(txn);
}

void
settle_progress(struct slot *slot)
{
	struct txn *txn = slot->txn;

	if (!is_several(txn) && !txn->is_quiet && !txn->is_noreply &&
	    (txn->is_started || txn->out.len >= STREAM_MIN))
		client_stream(txn->client, txn);
}
