/* Transactions and their storage. */
#include "proxy/txn.h"

#include <string.h>

#include "base/mem.h"

/* Txns that wait for their next use at most. */
#define KEEP_TXNS_MAX 1024

void
txn_free_spare(struct env *env)
{
	struct txn *txn;

	while ((txn = TAILQ_FIRST(&env->free_txns)) != NULL) {
		TAILQ_REMOVE(&env->free_txns, txn, next);
		mem_free(txn);
	}
	env->nfree_txns = 0;
}

/* Values that the answer may hold: what a client should not pile up. */
static uint32_t
count_values(const struct request *req)
{
	if (verb_is_get(req->verb))
		return req->nkeys;
	return req->verb == VERB_MG ? 1 : 0;
}

struct txn *
txn_new(struct env *env, const struct request *req)
{
	struct txn *txn = TAILQ_FIRST(&env->free_txns);

	if (txn != NULL) {
		TAILQ_REMOVE(&env->free_txns, txn, next);
		env->nfree_txns--;
	} else if ((txn = mem_alloc(sizeof(*txn))) == NULL) {
		return NULL;
	}
	/* Not cleared whole: the text is written before it is read. */
	memset(txn, 0, offsetof(struct txn, short_text));
	txn->store = NULL;
	txn->answer = NULL;
	txn->held = 0;
	chain_init(&txn->body);
	chain_init(&txn->out);
	txn->env = env;
	txn->began_us = env_now_us(env);
	txn->verb = req->verb;
	txn->is_noreply = req->is_noreply;
	txn->is_quiet = req->is_quiet;
	txn->is_base64 = req->is_base64;
	txn->exptime = req->exptime;
	txn->nvalues = count_values(req);
	txn->state = TXN_WAITING;
	txn->slots = &txn->one;
	return txn;
}

bool
txn_set_key(struct txn *txn, struct span key)
{
	char *text = txn->short_text;

	if (key.len > sizeof(txn->short_text)) {
		txn->store = block_new_sized(&txn->env->pool.blocks, key.len);
		if (txn->store == NULL)
			return false;
		text = txn->store->data;
	}
	memcpy(text, key.p, key.len);
	txn->text = text;
	txn->text_len = (uint32_t)key.len;
	txn->nkeys = 1;
	return true;
}

bool
txn_set_store(struct txn *txn, uint32_t nslots, uint32_t nkeys,
    struct span text)
{
	size_t slots_size = nslots * sizeof(struct slot);
	size_t keys_size = nkeys * sizeof(struct txn_key);

	MUST(txn->store == NULL);
	txn->store = block_new_sized(&txn->env->pool.blocks,
	    slots_size + keys_size + text.len + 1);
	if (txn->store == NULL)
		return false;
	txn->slots = (struct slot *)(void *)txn->store->data;
	txn->keys = (struct txn_key *)(void *)
	    (txn->store->data + slots_size);
	txn->text = txn->store->data + slots_size + keys_size;
	if (text.len > 0)
		memcpy(txn->text, text.p, text.len);
	txn->text_len = (uint32_t)text.len;
	txn->nkeys = nkeys;
	return true;
}

void
slot_init(struct slot *slot, struct txn *txn, enum verb verb)
{
	*slot = (struct slot){.txn = txn, .verb = verb};
	chain_init(&slot->values);
}

struct slot *
txn_use_one_slot(struct txn *txn, enum verb verb)
{
	slot_init(&txn->one, txn, verb);
	txn->nslots = 1;
	txn->nwaiting = 1;
	return &txn->one;
}

void
txn_release(struct txn *txn)
{
	struct env *env = txn->env;

	if (txn->client != NULL || txn->nlent > 0)
		return;
	for (uint32_t i = 0; i < txn->nslots; i++)
		chain_clear(&txn->slots[i].values, &env->pool);
	chain_clear(&txn->body, &env->pool);
	chain_clear(&txn->out, &env->pool);
	if (txn->store != NULL)
		block_unref(&txn->store);
	if (env->nfree_txns >= KEEP_TXNS_MAX) {
		mem_free(txn);
		return;
	}
	TAILQ_INSERT_HEAD(&env->free_txns, txn, next);
	env->nfree_txns++;
}
