/*
 * Splitting keys over servers.
 *
 * Keys and slots lie in one block of the txn. A key is linked to the next one
 * of its slot, so that each slot's keys can be written, and found again in
 * the reply, in linear time.
 */
#include "proxy/dispatch_keys.h"

#include <string.h>

#include "base/clock.h"
#include "proto/answer.h"
#include "proto/lifetime.h"
#include "proxy/compose.h"
#include "proxy/settle.h"
#include "proxy/target.h"

/* Only get and gets may have longer lines than this at a server. */
#define GAT_LINE_MAX 2000

#define NO_SLOT UINT32_MAX

struct splitter {
	struct client		*client;
	struct txn		*txn;
	size_t			 head_len;	/* of each request line */
	bool			 is_bounded;	/* lines have a limit */
	uint32_t		 unrouted;	/* slot of keys without pool */
};

static void
note_target(struct slot *slot, const struct target *target)
{
	slot->server = target->server;
	slot->on_down = target->on_down;
	slot->up = target->up;
	slot->max_ttl_s = target->max_ttl_s;
}

/* A new slot, which takes over from the server's former one, if any. */
static struct slot *
add_slot(struct splitter *s, const struct owner *owner)
{
	struct txn *txn = s->txn;
	struct slot *slot = &txn->slots[txn->nslots];
	struct target target;

	slot_init(slot, txn, txn->verb);
	slot->refusal = target_open(s->client, owner, &target);
	note_target(slot, &target);
	slot->line_len = s->head_len;
	slot->first_key = slot->last_key = TXN_NO_KEY;
	if (slot->server != NULL)
		txn->env->scratch[slot->server->id] = txn->nslots;
	else
		s->unrouted = txn->nslots;
	txn->nslots++;
	return slot;
}

/* Keys of several pools may meet in one gutter: the shortest holds there. */
static void
note_cap(struct slot *slot, const struct owner *owner)
{
	if (owner->max_ttl_s != 0 && (slot->max_ttl_s == 0 ||
	    owner->max_ttl_s < slot->max_ttl_s))
		slot->max_ttl_s = owner->max_ttl_s;
}

/* The slot that has room for one more key of this owner. */
static struct slot *
slot_for(struct splitter *s, const struct owner *owner, size_t key_len)
{
	struct txn *txn = s->txn;
	uint32_t i = owner->pool == NULL ? s->unrouted :
	    txn->env->scratch[owner->pool->servers[owner->index]->id];

	if (i == NO_SLOT || (s->is_bounded &&
	    txn->slots[i].line_len + 1 + key_len > GAT_LINE_MAX))
		return add_slot(s, owner);
	return &txn->slots[i];
}

static void
add_key(struct splitter *s, uint32_t i, struct span key)
{
	struct txn *txn = s->txn;
	struct txn_key *k = &txn->keys[i];
	struct owner owner = target_owner(s->client, key);
	struct slot *slot = slot_for(s, &owner, key.len);

	note_cap(slot, &owner);
	*k = (struct txn_key){
		.from = (uint32_t)(key.p - txn->text),
		.len = (uint8_t)key.len,
		.slot = (uint32_t)(slot - txn->slots),
		.next = TXN_NO_KEY,
	};
	if (slot->first_key == TXN_NO_KEY)
		slot->first_key = slot->at_key = i;
	else
		txn->keys[slot->last_key].next = i;
	slot->last_key = i;
	slot->line_len += 1 + key.len;
}

/* Forgets which slots this txn's servers had. */
static void
clear_scratch(struct txn *txn)
{
	for (uint32_t i = 0; i < txn->nslots; i++) {
		if (txn->slots[i].server != NULL)
			txn->env->scratch[txn->slots[i].server->id] = NO_SLOT;
	}
}

static void
split(struct splitter *s)
{
	struct span rest = span_of(s->txn->text, s->txn->text_len), key;

	for (uint32_t i = 0; request_next_word(&rest, &key); i++)
		add_key(s, i, key);
	clear_scratch(s->txn);
}

/* What gat and gats set, as the slot's server is to have it. */
static int64_t
exptime_of(const struct slot *slot)
{
	const struct txn *txn = slot->txn;

	if (slot->max_ttl_s == 0 || verb_shape(txn->verb) != VERB_SHAPE_GAT)
		return txn->exptime;
	return lifetime_cap(txn->exptime, (int64_t)slot->max_ttl_s,
	    (int64_t)(clock_wall_ms() / 1000));
}

/* Appends keys from `*i` on, as many as fit into one buffer. */
static bool
append_some(struct slot *slot, struct upstream *up, uint32_t *i)
{
	char words[COMPOSE_LINE_MAX];
	struct txn *txn = slot->txn;
	size_t n = 0;

	while (*i != TXN_NO_KEY) {
		struct span key = txn_key_at(txn, *i);

		if (n + 1 + key.len > sizeof(words))
			break;
		words[n++] = ' ';
		memcpy(words + n, key.p, key.len);
		n += key.len;
		*i = txn->keys[*i].next;
	}
	return chain_copy(&up->conn.out, &txn->env->pool, span_of(words, n));
}

/* Appends the request for the keys of `slot` from `i` on, or nothing. */
static bool
append_keys(struct slot *slot, struct upstream *up, uint32_t i)
{
	char head[COMPOSE_LINE_MAX];
	struct txn *txn = slot->txn;
	struct chain_pool *pool = &txn->env->pool;
	struct chain *out = &up->conn.out;
	size_t before = out->len;

	if (!chain_copy(out, pool, span_of(head,
	    compose_keys_head(txn->verb, exptime_of(slot), head))))
		return false;
	while (i != TXN_NO_KEY) {
		if (!append_some(slot, up, &i))
			goto fail;
	}
	if (chain_copy(out, pool, span_str("\r\n")))
		return true;
fail:
	chain_cut(out, before, pool);
	return false;
}

/* Its request is with its upstream, or it is settled why not. */
static void
send_or_settle(struct slot *slot)
{
	if (slot->refusal == REASON_NONE)
		upstream_send(slot->up, slot);
	else
		settle_failure(slot, slot->server, slot->on_down,
		    slot->refusal);
}

static void
send_slot(struct slot *slot)
{
	if (slot->refusal == REASON_NONE && upstream_join(slot->up, slot))
		return;
	if (slot->refusal == REASON_NONE &&
	    !append_keys(slot, slot->up, slot->first_key))
		slot->refusal = REASON_NO_MEMORY;
	send_or_settle(slot);
}

/* Lends every slot; those that cannot be sent are settled at once. */
static void
send_slots(struct txn *txn)
{
	txn->nwaiting = txn->nslots;
	/* Held, for the client may go while a slot fails. */
	txn->nlent++;
	for (uint32_t i = 0; i < txn->nslots; i++)
		send_slot(&txn->slots[i]);
	txn->nlent--;
	txn_release(txn);
}

/*
 * Slots that the keys can need: one a server, one for those without a pool,
 * and more for bounded lines.
 */
static uint32_t
slots_needed(const struct env *env, const struct request *req)
{
	size_t n = env->table->nservers + 1;

	if (verb_shape(req->verb) == VERB_SHAPE_GAT)
		n += req->keys.len / (GAT_LINE_MAX / 2) + 1;
	return n < req->nkeys ? (uint32_t)n : req->nkeys;
}

void
dispatch_keys(struct client *client, const struct request *req)
{
	char head[COMPOSE_LINE_MAX];
	struct env *env = client->conn.env;
	struct txn *txn = txn_new(env, req);
	struct splitter s = {
		.client = client,
		.txn = txn,
		.head_len = compose_keys_head(req->verb, req->exptime, head),
		.is_bounded = verb_shape(req->verb) == VERB_SHAPE_GAT,
		.unrouted = NO_SLOT,
	};

	if (txn == NULL || !txn_set_store(txn, slots_needed(env, req),
	    req->nkeys, req->keys)) {
		if (txn != NULL)
			txn_release(txn);
		client_refuse_for_memory(client, req->is_noreply);
		return;
	}
	client_add(client, txn);
	client_hold(txn, txn->store->cap);
	split(&s);
	send_slots(txn);
}

/*
 * Where the keys from `first` on go now. Not if they go to several servers:
 * a reload came between, and the slot cannot be split any more.
 */
static bool
find_common_target(const struct txn *txn, uint32_t first,
    struct target *target_r)
{
	struct target target;

	target_r->server = NULL;
	for (uint32_t i = first; i != TXN_NO_KEY; i = txn->keys[i].next) {
		if (target_find(txn->client, txn_key_at(txn, i), &target) !=
		    REASON_NONE)
			return false;
		if (target_r->server != NULL &&
		    target_r->server != target.server)
			return false;
		*target_r = target;
	}
	/* None left: all were answered, only the reply's end was lost. */
	return target_r->server != NULL;
}

bool
dispatch_keys_again(struct slot *slot)
{
	struct target target;

	if (!find_common_target(slot->txn, slot->at_key, &target) ||
	    !append_keys(slot, target.up, slot->at_key))
		return false;
	server_bump(target.up->tally, SERVER_RETRIES);
	slot->kept = slot->whole;
	upstream_send(target.up, slot);
	return true;
}

static void
send_line(struct slot *slot, struct span line)
{
	if (slot->refusal == REASON_NONE && !chain_copy(&slot->up->conn.out,
	    &slot->txn->env->pool, line))
		slot->refusal = REASON_NO_MEMORY;
	send_or_settle(slot);
}

void
dispatch_everywhere(struct client *client, const struct request *req,
    struct span line)
{
	struct env *env = client->conn.env;
	const struct pool *pool = target_pool(client, span_of("", 0));
	struct txn *txn = txn_new(env, req);
	uint32_t n = (uint32_t)pool->nservers;

	if (txn == NULL || !txn_set_store(txn, n, 0, span_of("", 0))) {
		if (txn != NULL)
			txn_release(txn);
		client_refuse_for_memory(client, req->is_noreply);
		return;
	}
	stats_bump(env->stats, STATS_CMD_FLUSH);
	client_add(client, txn);
	txn->nslots = txn->nwaiting = n;
	for (uint32_t i = 0; i < n; i++) {
		struct target target;
		struct slot *slot = &txn->slots[i];

		slot_init(slot, txn, VERB_FLUSH_ALL);
		slot->refusal = target_server(client, pool, i, &target);
		note_target(slot, &target);
		slot->on_down = ON_DOWN_ERROR;
	}
	txn->nlent++;
	for (uint32_t i = 0; i < n; i++)
		send_line(&txn->slots[i], line);
	txn->nlent--;
	txn_release(txn);
}
