/*
 * Dispatch of commands with one key; dispatch_keys.c has those with several.
 */
#include "proxy/dispatch.h"

#include <string.h>

#include "base/clock.h"
#include "proto/answer.h"
#include "proxy/compose.h"
#include "proxy/dispatch_keys.h"
#include "proxy/local.h"
#include "proxy/settle.h"
#include "proxy/slow.h"
#include "proxy/target.h"
#include "proxy/upstream.h"

/* A txn in the client's queue, or NULL if memory is short, which is said. */
static struct txn *
begin(struct client *client, const struct request *req)
{
	struct txn *txn = txn_new(client->conn.env, req);

	if (txn == NULL) {
		client_refuse_for_memory(client, req->is_noreply);
		return NULL;
	}
	client_add(client, txn);
	return txn;
}

/*
 * What may be asked again, or answered in the server's stead, and what the
 * reply repeats.
 */
static bool
is_worth_remembering(const struct request *req)
{
	return verb_is_get(req->verb) || req->verb == VERB_MG ||
	    req->verb == VERB_ME || req->has_echo;
}

static bool
remember(struct txn *txn, const struct request *req)
{
	char memory[COMPOSE_LINE_MAX];

	if (!is_worth_remembering(req)) {
		slow_note_key(txn, req->key);
		return true;
	}
	return txn_set_key(txn, span_of(memory, compose_memory(req, memory)));
}

/* Sends `line` for the slot, or settles why not. */
static void
send_line(struct slot *slot, struct target *target, struct span line)
{
	struct upstream *up = target->up;

	if (chain_copy(&up->conn.out, &slot->txn->env->pool, line))
		upstream_send(up, slot);
	else
		settle_failure(slot, target->server, target->on_down,
		    REASON_NO_MEMORY);
}

/* Sends a get in the line of others. False: there is none, or it is no get. */
static bool
send_joined(struct slot *slot, struct target *target, const struct request *req)
{
	if (verb_shape(req->verb) != VERB_SHAPE_GET)
		return false;
	slot->line_len = strlen(verb_name(req->verb)) + 1 + req->key.len;
	return upstream_join(target->up, slot);
}

/* The request line, as the target is to have it. */
static size_t
compose_for(const struct target *target, const struct request *req,
    char line[COMPOSE_LINE_MAX])
{
	struct compose_cap cap;

	if (target->max_ttl_s == 0)
		return compose_request(req, line);
	cap.max_s = (int64_t)target->max_ttl_s;
	cap.wall_s = (int64_t)(clock_wall_ms() / 1000);
	return compose_capped(req, &cap, line);
}

static void
dispatch_one(struct client *client, const struct request *req)
{
	char line[COMPOSE_LINE_MAX];
	struct txn *txn = begin(client, req);
	struct target target;
	struct slot *slot;
	enum reason reason;

	if (txn == NULL)
		return;
	slot = txn_use_one_slot(txn, req->verb);
	reason = target_find(client, target_key(req->key, req->is_base64,
	    line), &target);
	/* Also where nothing can be sent: the answer repeats some of it. */
	if (!remember(txn, req))
		reason = REASON_NO_MEMORY;
	if (reason != REASON_NONE) {
		settle_failure(slot, target.server, target.on_down, reason);
		return;
	}
	if (send_joined(slot, &target, req))
		return;
	send_line(slot, &target, span_of(line, compose_for(&target, req,
	    line)));
}

void
dispatch_command(struct client *client, const struct request *req)
{
	switch (verb_shape(req->verb)) {
	case VERB_SHAPE_GET:
	case VERB_SHAPE_GAT:
		if (req->nkeys > 1)
			dispatch_keys(client, req);
		else
			dispatch_one(client, req);
		return;
	case VERB_SHAPE_DELETE:
	case VERB_SHAPE_COUNT:
	case VERB_SHAPE_TOUCH:
	case VERB_SHAPE_META:
		dispatch_one(client, req);
		return;
	case VERB_SHAPE_META_NOOP:
	case VERB_SHAPE_PLAIN:
		local_answer(client, req);
		return;
	case VERB_SHAPE_STORE:
	case VERB_SHAPE_CAS:
	case VERB_SHAPE_META_SET:
		break;
	}
	NEVER();
}

/* Appends line and body to what the server is sent, both or neither. */
static bool
append_store(struct upstream *up, struct span line, struct block *block,
    struct span body)
{
	struct chain_pool *pool = &up->conn.env->pool;
	struct chain *out = &up->conn.out;
	size_t before = out->len;

	if (!chain_copy(out, pool, line))
		return false;
	if (chain_add(out, pool, block, body))
		return true;
	chain_cut(out, before, pool);
	return false;
}

void
dispatch_store(struct client *client, const struct request *req,
    struct block *block, struct span body)
{
	char line[COMPOSE_LINE_MAX];
	struct txn *txn = begin(client, req);
	struct target target;
	struct slot *slot;
	enum reason reason;

	if (txn == NULL)
		return;
	slot = txn_use_one_slot(txn, req->verb);
	reason = target_find(client, target_key(req->key, req->is_base64,
	    line), &target);
	if (!remember(txn, req))
		reason = REASON_NO_MEMORY;
	if (reason == REASON_NONE && !append_store(target.up,
	    span_of(line, compose_for(&target, req, line)), block, body))
		reason = REASON_NO_MEMORY;
	if (reason != REASON_NONE) {
		settle_failure(slot, target.server, target.on_down, reason);
		return;
	}
	client_hold(txn, body.len);
	upstream_send(target.up, slot);
}

struct txn *
dispatch_begin(struct client *client, const struct request *req)
{
	char line[COMPOSE_LINE_MAX];
	struct txn *txn = txn_new(client->conn.env, req);

	if (txn == NULL)
		return NULL;
	txn->state = TXN_FILLING;
	/* Who gets it, and how it is written there, is decided at its end. */
	if (!txn_set_key(txn, span_of(line, compose_request(req, line)))) {
		txn_release(txn);
		return NULL;
	}
	client_add(client, txn);
	return txn;
}

/* The line, which is part of `txn`, has been used: its memory takes over. */
static void
recall(struct txn *txn, const struct request *req)
{
	char memory[COMPOSE_LINE_MAX];
	size_t len = compose_memory(req, memory);

	MUST(len < txn->text_len);
	memcpy(txn->text, memory, len);
	txn->text_len = (uint32_t)len;
}

void
dispatch_filled(struct client *client, struct txn *txn)
{
	char line[COMPOSE_LINE_MAX];
	struct slot *slot = txn_use_one_slot(txn, txn->verb);
	struct target target;
	struct request req;
	enum reason reason;
	bool is_request;

	is_request = request_parse(txn_key(txn), &req) == REQUEST_OK;
	MUST(is_request);
	txn->state = TXN_WAITING;
	/* What the client took for its body is no time of ours. */
	txn->began_us = env_now_us(txn->env);
	reason = target_find(client, target_key(req.key, req.is_base64,
	    line), &target);
	if (reason == REASON_NONE && !chain_copy(&target.up->conn.out,
	    &txn->env->pool, span_of(line, compose_for(&target, &req, line))))
		reason = REASON_NO_MEMORY;
	if (reason != REASON_NONE) {
		chain_clear(&txn->body, &txn->env->pool);
		settle_failure(slot, target.server, target.on_down, reason);
		return;
	}
	chain_move(&target.up->conn.out, &txn->body, &txn->env->pool);
	recall(txn, &req);
	upstream_send(target.up, slot);
}

/* memcached deletes the old item then, so that nobody takes it for new. */
static bool
replaces_always(enum verb verb)
{
	return verb == VERB_SET || verb == VERB_MS;
}

void
dispatch_too_large(struct client *client, const struct request *req)
{
	char line[COMPOSE_LINE_MAX];
	struct target target;
	struct txn *txn;
	struct slot *slot;
	enum reason reason;

	if (!replaces_always(req->verb)) {
		if (!req->is_noreply)
			client_say(client, span_str(ANSWER_TOO_LARGE));
		return;
	}
	txn = begin(client, req);
	if (txn == NULL)
		return;
	txn->answer = ANSWER_TOO_LARGE;
	slot = txn_use_one_slot(txn, req->is_base64 ? VERB_MD : VERB_DELETE);
	reason = target_find(client, target_key(req->key, req->is_base64,
	    line), &target);
	if (reason != REASON_NONE) {
		settle_failure(slot, target.server, target.on_down, reason);
		return;
	}
	send_line(slot, &target, span_of(line, req->is_base64 ?
	    compose_delete_base64(req->key, line) :
	    compose_delete(req->key, line)));
}

bool
dispatch_again(struct slot *slot)
{
	char line[COMPOSE_LINE_MAX];
	struct txn *txn = slot->txn;
	struct env *env = txn->env;
	struct target target;
	bool is_sent;

	slot->is_retry = true;
	if (txn->keys != NULL)
		is_sent = dispatch_keys_again(slot);
	else if (target_find(txn->client, txn_key(txn), &target) !=
	    REASON_NONE)
		return false;
	else {
		is_sent = chain_copy(&target.up->conn.out, &env->pool,
		    span_of(line, compose_again(txn, line)));
		if (is_sent) {
			server_bump(target.up->tally, SERVER_RETRIES);
			upstream_send(target.up, slot);
		}
	}
	if (is_sent)
		stats_bump(env->stats, STATS_SERVER_RETRIES);
	return is_sent;
}
