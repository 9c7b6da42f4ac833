/*
 * Reading from servers: bytes -> replies -> slots.
 *
 * A reply is passed through as it came, after each line of it has been read
 * and found to fit its request. What does not fit means that the server is
 * out of step, and costs it the connection.
 *
 * Consecutive bytes for one slot are gathered in a run and appended at once.
 */
#include "proxy/upstream.h"

#include <string.h>

#include "proto/answer.h"
#include "proxy/client.h"
#include "proxy/settle.h"
#include "proxy/tally.h"

/* So many bytes within the request's time-out make a reply that flows. */
#define FLOW_MIN 65536

/* Replies up to this size that end early are put together in one place. */
#define JOINED_COPY_MAX 1024

struct reader {
	struct upstream	*up;
	struct block	*block;		/* where the bytes lie; lent */
	struct span	 rest;		/* not read yet */
	struct span	 run;		/* read, due to the first slot */
	enum reason	 fault;		/* of what cannot be a reply */
};

/* Whether anybody waits for the bytes of the slot's reply. */
static bool
is_wanted(const struct slot *slot)
{
	const struct txn *txn = slot->txn;

	return slot->state == SLOT_SENT && txn->client != NULL &&
	    !txn->is_noreply && txn->answer == NULL && !txn->has_error;
}

/* Without memory the reply is dropped; it still keeps its place. */
static void
give_up(struct upstream *up, struct slot *slot)
{
	upstream_abandon(up, slot);
	settle_failure(slot, up->server, up->on_down, REASON_NO_MEMORY);
}

/*
 * The end of a reply whose turn has come goes straight to the client. Quiet
 * ones may still be hidden, and those of several slots are merged.
 */
static bool
deliver_run(struct reader *r, struct slot *slot)
{
	struct txn *txn = slot->txn;

	if (r->run.len == 0 || !is_wanted(slot) || txn->is_quiet ||
	    txn->slots != &txn->one ||
	    !client_take(txn->client, txn, r->block, r->run))
		return false;
	r->run.len = 0;
	return true;
}

/* Keeps a run until its turn comes; that may be long. */
static bool
keep_run(struct chain *chain, const struct reader *r, struct span run)
{
	struct chain_pool *pool = &r->up->conn.env->pool;

	return run.len < CHAIN_SHARE_MIN ? chain_pack(chain, pool, run) :
	    chain_add(chain, pool, r->block, run);
}

static void
append_run(struct reader *r)
{
	struct slot *slot = STAILQ_FIRST(&r->up->sent);
	struct span run = r->run;

	r->run.len = 0;
	if (run.len == 0 || !is_wanted(slot))
		return;
	if (keep_run(slot_chain(slot), r, run))
		client_hold(slot->txn, run.len);
	else
		give_up(r->up, slot);
}

/* Takes `n` bytes of the rest; they are due to the slot if `is_due`. */
static void
take(struct reader *r, size_t n, bool is_due)
{
	if (!is_due)
		append_run(r);
	else if (r->run.len == 0)
		r->run = span_of(r->rest.p, n);
	else
		r->run.len += n;
	r->rest = span_of(r->rest.p + n, r->rest.len - n);
}

/*
 * The place among the slot's keys of the one that a VALUE line names, or
 * TXN_NO_KEY. The server answers keys in the order asked and leaves out those
 * it has not.
 */
static uint32_t
find_key(const struct slot *slot, struct span key)
{
	const struct txn *txn = slot->txn;
	uint32_t at = slot->at_key;

	if (txn->keys == NULL)
		return span_eq(txn_key(txn), key) ? at : TXN_NO_KEY;
	while (at != TXN_NO_KEY && !span_eq(txn_key_at(txn, at), key))
		at = txn->keys[at].next;
	return at;
}

/*
 * Notes that the value of the present key has been read. Only of values that
 * are kept the key learns, for these will be merged.
 */
static void
value_done(struct slot *slot, size_t len)
{
	struct txn *txn = slot->txn;

	if (txn->keys == NULL) {
		slot->at_key = TXN_NO_KEY;
	} else {
		if (is_wanted(slot))
			txn->keys[slot->at_key].reply_len = (uint32_t)len;
		slot->at_key = txn->keys[slot->at_key].next;
	}
	slot->whole += len;
}

/*
 * Whether the last of `body`, of which `left` bytes follow, are those of a
 * body's end, as far as they are there.
 */
static bool
ends_well(struct span body, uint64_t left)
{
	static const char end[] = {'\n', '\r'};

	for (size_t i = 0; i < body.len && left + i < sizeof(end); i++) {
		if (body.p[body.len - 1 - i] != end[left + i])
			return false;
	}
	return true;
}

/* The run is the end of the first slot's reply. */
static void
end_first(struct reader *r, enum reply_word word)
{
	if (!deliver_run(r, STAILQ_FIRST(&r->up->sent)))
		append_run(r);
	upstream_reply_done(r->up, word);
}

/*
 * The first slot's reply ends here, though its server's goes on with the next
 * slot of the same line: `last` ends it.
 */
static void
end_joined(struct reader *r, struct span last, enum reply_word word)
{
	struct slot *slot = STAILQ_FIRST(&r->up->sent);
	char whole[JOINED_COPY_MAX];

	/* Theirs is written once their values are merged. */
	if (slot->txn->keys != NULL && word == REPLY_END)
		last.len = 0;
	if (r->run.len + last.len <= sizeof(whole)) {
		if (r->run.len > 0)
			memcpy(whole, r->run.p, r->run.len);
		memcpy(whole + r->run.len, last.p, last.len);
		r->run = span_of(whole, r->run.len + last.len);
	} else {
		append_run(r);
		r->run = last;
	}
	end_first(r, word);
}

/* Reads on in a body. False: its end is wrong. */
static bool
read_body(struct reader *r)
{
	struct upstream *up = r->up;
	struct slot *slot = STAILQ_FIRST(&up->sent);
	size_t n = r->rest.len;

	if (n > up->body_left)
		n = (size_t)up->body_left;
	up->body_left -= n;
	if (!ends_well(span_of(r->rest.p, n), up->body_left))
		return false;
	take(r, n, true);
	if (up->body_left > 0)
		return true;
	if (up->reply.word == REPLY_VA) {
		end_first(r, REPLY_VA);
		return true;
	}
	value_done(slot, up->reply.line_len + 2 + up->reply.body_len);
	if (slot->at_key == TXN_NO_KEY && slot_has_joined(slot))
		end_joined(r, span_str(ANSWER_END), REPLY_END);
	return true;
}

/*
 * Moves on to the slot whose value begins; those before it have none. Where
 * nobody asked for it, nobody is told of a miss either.
 */
static bool
find_slot(struct reader *r)
{
	struct upstream *up = r->up;
	struct slot *slot = STAILQ_FIRST(&up->sent);
	uint32_t at;

	while ((at = find_key(slot, up->reply.key)) == TXN_NO_KEY) {
		if (!slot_has_joined(slot))
			return false;
		slot = STAILQ_NEXT(slot, next);
	}
	while (STAILQ_FIRST(&up->sent) != slot)
		end_joined(r, span_str(ANSWER_END), REPLY_END);
	slot->at_key = at;
	return true;
}

static bool
begin_value(struct reader *r, size_t line_len)
{
	struct upstream *up = r->up;

	if (up->reply.word == REPLY_VALUE && !find_slot(r))
		return false;
	up->is_mid_reply = true;
	up->reply.line_len = line_len;
	up->body_left = up->reply.body_len + 2;
	tally_value(up, up->reply.body_len);
	take(r, line_len, true);
	return true;
}

static bool
end_reply(struct reader *r, struct slot *slot, size_t line_len)
{
	enum reply_word word = r->up->reply.word;

	/* An error may stand instead of values, never after some. */
	if (reply_is_error(word) && (slot->whole > slot->kept ||
	    slot->is_joined))
		return false;
	while (slot_has_joined(slot)) {
		end_joined(r, span_of(r->rest.p, line_len), word);
		slot = STAILQ_FIRST(&r->up->sent);
	}
	take(r, line_len, slot->txn->keys == NULL || word != REPLY_END);
	end_first(r, word);
	return true;
}

/*
 * memcached at its limit says so to whoever connects, and closes. That is no
 * reply to the request that waits.
 */
static bool
is_refusal(const struct upstream *up, struct span line)
{
	static const struct span refusal =
	    SPAN_LIT("ERROR Too many open connections\r\n");

	return !up->is_proven && span_eq(line, refusal);
}

/* Of a meta reply that repeats part of its request, whether it is the same. */
static bool
fits_request(const struct slot *slot, struct span line, enum reply_word word)
{
	const struct txn *txn = slot->txn;

	/* Only of one key is as much remembered. */
	return !reply_is_meta(word) || txn->nkeys != 1 ||
	    reply_fits_meta(line, word, txn_key(txn));
}

/* Reads one line. False: it cannot be a reply, for the reader's fault. */
static bool
read_line(struct reader *r, const char *newline)
{
	struct upstream *up = r->up;
	struct slot *slot = STAILQ_FIRST(&up->sent);
	size_t line_len = (size_t)(newline - r->rest.p) + 1;

	if (is_refusal(up, span_of(r->rest.p, line_len))) {
		r->fault = REASON_SERVER_FULL;
		return false;
	}
	/* Nor is what comes before its get was written. */
	if (slot == NULL || slot == up->gets.first || line_len < 2 ||
	    newline[-1] != '\r' ||
	    !reply_parse(span_of(r->rest.p, line_len - 2), slot->verb,
	    &up->reply) || !fits_request(slot, span_of(r->rest.p,
	    line_len - 2), up->reply.word))
		return false;
	if (reply_has_body(up->reply.word))
		return begin_value(r, line_len);
	return end_reply(r, slot, line_len);
}

/*
 * Where the line that `r` is at ends truly, if what seemed its end is within a
 * key that it repeats; `newline` if it is not, and NULL if that is not there.
 */
static const char *
find_true_end(const struct reader *r, const char *newline)
{
	const struct slot *slot = STAILQ_FIRST(&r->up->sent);

	/* Only of one key is as much remembered. */
	if (slot == NULL || !slot->txn->is_base64 || slot->txn->nkeys != 1)
		return newline;
	return reply_line_end(r->rest, txn_key(slot->txn));
}

/* Reads all that is there. False: the server is out of step. */
static bool
read_replies(struct reader *r)
{
	const char *newline, *end;

	while (r->rest.len > 0) {
		if (r->up->body_left > 0) {
			if (!read_body(r))
				return false;
			continue;
		}
		newline = memchr(r->rest.p, '\n', r->rest.len);
		if (newline == NULL)
			return r->rest.len <= REPLY_LINE_MAX &&
			    STAILQ_FIRST(&r->up->sent) != NULL;
		if (read_line(r, newline))
			continue;
		end = find_true_end(r, newline);
		if (end == NULL)
			return r->rest.len <= REPLY_LINE_MAX;
		if (end == newline || !read_line(r, end))
			return false;
	}
	return true;
}

static void
read_bytes(struct upstream *up, struct block *block, struct span bytes)
{
	struct reader r = {.up = up, .block = block, .rest = bytes,
	    .fault = REASON_OUT_OF_STEP};
	struct slot *slot;

	/* What comes before any request was written answers none of them. */
	if (!up->is_touched || !read_replies(&r)) {
		/* The values before it were whole. */
		append_run(&r);
		upstream_fail(up, r.fault);
		return;
	}
	append_run(&r);
	tally_show_upstream(up);
	if (!conn_keep(&up->conn, block, r.rest)) {
		upstream_fail(up, REASON_NO_MEMORY);
		return;
	}
	slot = STAILQ_FIRST(&up->sent);
	if (slot != NULL && up->is_mid_reply && is_wanted(slot))
		settle_progress(slot);
	if (up->is_retired && up->nsent == 0)
		upstream_retire(up);
}

static void
count_bytes(struct upstream *up)
{
	struct env *env = up->conn.env;

	up->active_ms = env_now_ms(env);
	up->flow_bytes += env->nread;
	if (up->flow_bytes >= FLOW_MIN) {
		up->flow_ms = up->active_ms;
		up->flow_bytes = 0;
	}
	stats_add(env->stats, STATS_SERVER_BYTES_READ, env->nread);
	server_add(up->tally, SERVER_BYTES_READ, env->nread);
}

void
upstream_read(struct upstream *up)
{
	struct block *block;
	struct span bytes;

	switch (conn_read(&up->conn, up->body_left, &block, &bytes)) {
	case CONN_IO_OK:
		count_bytes(up);
		read_bytes(up, block, bytes);
		return;
	case CONN_IO_AGAIN:
		return;
	case CONN_IO_EOF:
		upstream_fail(up, REASON_SERVER_CLOSED);
		return;
	case CONN_IO_BROKEN:
		upstream_fail(up, REASON_SERVER_RESET);
		return;
	case CONN_IO_NO_MEMORY:
		upstream_fail(up, REASON_NO_MEMORY);
		return;
	}
	NEVER();
}
