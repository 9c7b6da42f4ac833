/*
 * Gets that share a line.
 *
 * memcached answers each get line with a write of its own, so that ten lines
 * cost it and us several times what one line with ten keys does. Gets that
 * come together are therefore asked for together: those of several clients
 * always, those of one from JOIN_MIN on, since a client that has sent two or
 * three may look at the first answer while the last is not there yet.
 */
#include "proxy/upstream.h"

#include <string.h>

#define JOIN_MIN 4

/* A line that every server takes, CR LF included. */
#define JOINED_LINE_MAX 2000

#define LINE_END "\r\n"
#define LINE_END_LEN 2

/* Never cleared whole: there is one for each get. */
struct line {
	size_t	len;
	char	bytes[JOINED_LINE_MAX];
};

static void
put(struct line *line, struct span bytes)
{
	MUST(line->len + bytes.len <= sizeof(line->bytes));
	memcpy(line->bytes + line->len, bytes.p, bytes.len);
	line->len += bytes.len;
}

static void
put_key(struct line *line, struct span key)
{
	put(line, span_of(" ", 1));
	put(line, key);
}

static void
put_keys(struct line *line, const struct slot *slot)
{
	const struct txn *txn = slot->txn;

	if (txn->keys == NULL) {
		put_key(line, txn_key(txn));
		return;
	}
	for (uint32_t i = slot->first_key; i != TXN_NO_KEY;
	    i = txn->keys[i].next)
		put_key(line, txn_key_at(txn, i));
}

/* Whether the slot's keys still fit behind those of `gets`. */
static bool
has_room(const struct gets *gets, const struct slot *slot)
{
	return gets->first != NULL && gets->first->verb == slot->verb &&
	    gets->len + slot->line_len + LINE_END_LEN <= JOINED_LINE_MAX;
}

static bool
is_due(const struct gets *gets, const struct slot *slot)
{
	return gets->is_one_line || gets->n + 1 >= JOIN_MIN ||
	    gets->last->txn->client != slot->txn->client;
}

/* Makes one line of all that wait and the slot's. */
static bool
join_all(struct upstream *up, const struct slot *slot)
{
	struct line line;
	struct slot *s;

	line.len = 0;
	put(&line, span_str(verb_name(slot->verb)));
	for (s = up->gets.first; s != NULL; s = STAILQ_NEXT(s, next))
		put_keys(&line, s);
	put_keys(&line, slot);
	put(&line, span_of(LINE_END, LINE_END_LEN));
	if (!chain_rewrite_end(&up->conn.out, up->gets.len,
	    span_of(line.bytes, line.len)))
		return false;
	for (s = up->gets.first; s != up->gets.last; s->is_joined = true) {
		s = STAILQ_NEXT(s, next);
		stats_bump(up->conn.env->stats, STATS_GETS_JOINED);
	}
	up->gets.len = line.len;
	return true;
}

/* Adds the slot's keys to the one line that waits. */
static bool
join_one(struct upstream *up, const struct slot *slot)
{
	struct line line;

	line.len = 0;
	put_keys(&line, slot);
	put(&line, span_of(LINE_END, LINE_END_LEN));
	if (!chain_rewrite_end(&up->conn.out, LINE_END_LEN,
	    span_of(line.bytes, line.len)))
		return false;
	up->gets.len += line.len - LINE_END_LEN;
	return true;
}

bool
upstream_join(struct upstream *up, struct slot *slot)
{
	struct gets gets = up->gets;

	if (!up->join_gets || !has_room(&gets, slot) || !is_due(&gets, slot))
		return false;
	if (!(gets.is_one_line ? join_one(up, slot) : join_all(up, slot)))
		return false;
	gets = (struct gets){.first = gets.first, .last = slot,
	    .n = gets.n + 1, .len = up->gets.len, .is_one_line = true};
	upstream_send(up, slot);
	stats_bump(up->conn.env->stats, STATS_GETS_JOINED);
	slot->is_joined = true;
	up->gets = gets;
	return true;
}

void
upstream_note_line(struct upstream *up, struct slot *slot)
{
	struct gets *gets = &up->gets;

	/* What is asked again is asked alone: it may have been the reason. */
	if (verb_shape(slot->verb) != VERB_SHAPE_GET || slot->is_retry) {
		gets->first = NULL;
		return;
	}
	/* Behind a line that is full the next one is shared at once. */
	if (gets->first == NULL || gets->is_one_line || !has_room(gets, slot))
		*gets = (struct gets){.first = slot, .is_one_line =
		    gets->first != NULL && gets->is_one_line};
	gets->last = slot;
	gets->n++;
	gets->len += slot->line_len + LINE_END_LEN;
}
