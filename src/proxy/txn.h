/*
 * Transactions: one command of a client, and its slots, the pieces of it that
 * are sent to servers.
 *
 *	client -> txn -> txn -> txn	replies leave in this order
 *	           |      |
 *	         slot   slot slot	each lent to an upstream, from the
 *	                                moment it is sent until its reply is
 *	                                read to the end
 *
 * A txn lives until its client has let go of it (answered, or gone) and no
 * upstream holds a slot of it. All of it is worker-local.
 */
#ifndef PROXY_TXN_H
#define PROXY_TXN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/chain.h"
#include "base/must.h"
#include "proto/request.h"
#include "proxy/env.h"
#include "proxy/reason.h"

enum slot_state {
	SLOT_IDLE,		/* not sent, or its outcome is settled */
	SLOT_SENT,		/* an upstream owes its reply */
	SLOT_ABANDONED,		/* the same, but nobody waits for it */
};

/* How the client's txn stands. */
enum txn_state {
	TXN_FILLING,		/* its body is still being read */
	TXN_WAITING,		/* some slot has no outcome yet */
	TXN_DONE,		/* `out` is the whole answer, or its rest */
};

#define TXN_NO_KEY UINT32_MAX

/* One key of a command that names several. */
struct txn_key {
	uint32_t	from;		/* in `text` */
	uint32_t	next;		/* key of the same slot, or NO_KEY */
	uint32_t	slot;
	uint32_t	reply_len;	/* bytes of its VALUE; 0: a miss */
	uint8_t		len;
};

struct slot {
	STAILQ_ENTRY(slot)	 next;		/* in the upstream's queue */
	struct txn		*txn;		/* always valid */
	enum slot_state		 state;
	enum verb		 verb;		/* as sent to the server */
	bool			 is_retry;	/* asked once before */
	bool			 is_joined;	/* to the line before it */
	uint32_t		 first_key;	/* of several keys: its own, */
	uint32_t		 last_key;	/* linked by `next` */
	uint32_t		 at_key;	/* next that may be answered */
	uint64_t		 sent_us;	/* the turn that sent it */
	size_t			 line_len;	/* of a get, without CR LF */
	/* Only while it is dispatched, borrowed from the table: */
	struct upstream		*up;
	struct server		*server;
	uint64_t		 max_ttl_s;	/* as struct target's */
	enum on_down	 on_down;
	enum reason		 refusal;
	struct chain		 values;	/* of several slots' txns */
	size_t			 whole;		/* bytes of whole values, */
	size_t			 kept;		/* of those, of a lost reply */
};

STAILQ_HEAD(slot_queue, slot);

struct txn {
	TAILQ_ENTRY(txn)	 next;		/* in the client's queue */
	struct env		*env;		/* lent */
	uint64_t		 began_us;	/* the turn that read it */
	struct client		*client;	/* NULL once it is gone */
	enum txn_state		 state;
	enum verb		 verb;
	bool			 is_noreply;
	bool			 is_quiet;
	bool			 is_base64;	/* its key is */
	bool			 is_started;	/* some of it was delivered */
	bool			 has_error;	/* `out` is an error line */
	uint32_t		 nslots;
	uint32_t		 nwaiting;	/* slots without an outcome */
	uint32_t		 nlent;		/* slots upstreams hold */
	struct slot		*slots;		/* `one`, or within `store` */
	struct slot		 one;
	uint32_t		 nkeys;
	struct txn_key		*keys;		/* several keys: in `store` */
	char			*text;		/* the keys' bytes */
	uint32_t		 text_len;
	int64_t			 exptime;	/* gat, gats */
	uint32_t		 nvalues;	/* that may be answered */
	size_t			 streamed;	/* bytes already delivered */
	char			 short_text[64];
	struct block		*store;		/* NULL: all fits inside */
	const char		*answer;	/* said whatever servers say */
	struct chain		 body;		/* request while FILLING */
	struct chain		 out;		/* bytes due to the client */
	size_t			 held;		/* counted at the client */
};

/* Frees the txns that wait for their next use. */
void txn_free_spare(struct env *env);

/* A txn without slots, or NULL. */
struct txn *txn_new(struct env *env, const struct request *req) MUST_CHECK;

/* Copies the only key. False without memory. */
bool txn_set_key(struct txn *txn, struct span key) MUST_CHECK;

/* The only key. */
static inline struct span
txn_key(const struct txn *txn)
{
	return span_of(txn->text, txn->text_len);
}

/* Key `i` of several. */
static inline struct span
txn_key_at(const struct txn *txn, uint32_t i)
{
	return span_of(txn->text + txn->keys[i].from, txn->keys[i].len);
}

/* Makes room for `nslots` slots, `nkeys` keys and a copy of `text`. */
bool txn_set_store(struct txn *txn, uint32_t nslots, uint32_t nkeys,
    struct span text) MUST_CHECK;

/* The single slot of a txn, set up for `verb`. */
struct slot *txn_use_one_slot(struct txn *txn, enum verb verb);

/* Sets up slot `i` of several. */
void slot_init(struct slot *slot, struct txn *txn, enum verb verb);

/* When it was sent. */
static inline uint64_t
slot_sent_ms(const struct slot *slot)
{
	return slot->sent_us / 1000;
}

/* Whether the next slot's keys stand in the same line. */
static inline bool
slot_has_joined(const struct slot *slot)
{
	const struct slot *next = STAILQ_NEXT(slot, next);

	return next != NULL && next->is_joined;
}

/* Where the reply's bytes for this slot go. */
static inline struct chain *
slot_chain(struct slot *slot)
{
	struct txn *txn = slot->txn;

	return txn->slots == &txn->one ? &txn->out : &slot->values;
}

/*
 * Frees the txn if its client has let go of it and no slot is lent. Whoever
 * ends one of the two calls it and forgets the pointer.
 */
void txn_release(struct txn *txn);

#endif
