/*
 * Clients: one accepted connection, the commands read from it, and their
 * answers in the same order.
 */
#ifndef PROXY_CLIENT_H
#define PROXY_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/must.h"
#include "proxy/conn.h"
#include "proxy/doorway.h"
#include "proxy/reason.h"
#include "proxy/txn.h"

/* Commands that one client may have under way. */
#define CLIENT_PENDING_MAX 1024

enum client_state {
	CLIENT_OPEN,
	CLIENT_LAST,	/* reads no more; closes once all is answered */
	CLIENT_DEAD,	/* closed; freed at the end of the turn */
};

enum client_phase {
	CLIENT_AT_LINE,
	CLIENT_IN_BODY,		/* of the newest txn, which is FILLING */
	CLIENT_SKIPPING,	/* a body that nobody wants */
};

/*
 * There may be many, mostly idle: no member is larger than it must be.
 * Numbers of 32 bits hold what they count, REQUEST_BODY_MAX and an end of
 * line included.
 */
struct client {				/* worker-local */
	struct conn		 conn;
	struct grave		 grave;
	struct doorway		*doorway;	/* its listener; outlives it */
	enum client_state	 state : 8;
	enum client_phase	 phase : 8;
	enum reason		 reason : 8;	/* why it is closing */
	bool			 is_held_up;	/* has input it may not take */
	bool			 is_waiting;	/* may take it now: listed */
	bool			 has_spoken;	/* said its first command */
	bool			 is_bad_body;	/* it does not end in CR LF */
	TAILQ_ENTRY(client)	 all_next;
	TAILQ_ENTRY(client)	 waiting_next;
	struct txn_list		 txns;		/* oldest first */
	uint32_t		 ntxns;
	uint32_t		 serial;	/* its number at this worker */
	uint64_t		 generation;	/* of `entrance` */
	uint32_t		 entrance;	/* index in that table */
	uint32_t		 left;		/* bytes of a body or a skip */
	uint32_t		 scanned;	/* kept, without a newline */
	uint32_t		 value_guess;	/* likely bytes of a reply */
	size_t			 held;		/* bytes of its txns */
	uint64_t		 active_ms;	/* last bytes, either way */
	uint64_t		 values_asked;	/* that may still come */
};

/*
 * Serves the socket `fd`, which it takes also on failure and which came by
 * `doorway`. False without memory.
 */
bool client_start(struct env *env, int fd, struct doorway *doorway) MUST_CHECK;

/* Closes it at once; what it waits for is read and dropped. */
void client_close(struct client *client, enum reason reason);

/* Answers nothing more; what was said already still leaves. Then closes. */
void client_hang_up(struct client *client, enum reason reason);

/* Reads no more, answers what is under way, then closes. */
void client_finish(struct client *client, enum reason reason);

/* Appends a txn; it takes its place in the order of answers. */
void client_add(struct client *client, struct txn *txn);

/* Lets go of a txn of its queue, answered or not. */
void client_drop(struct client *client, struct txn *txn);

/* Says `text` in turn. Closes the client if there is no memory. */
void client_say(struct client *client, struct span text);

/*
 * There is no memory for a command: counts it, and says so if it may. Closes
 * the client if there is not even memory for that.
 */
void client_refuse_for_memory(struct client *client, bool is_noreply);

/* The txn has become TXN_DONE: delivers what is due now. */
void client_advance(struct client *client);

/*
 * Takes the end of the reply of `txn`, which lies in `block`, if its turn
 * has come and nothing of it waits. False, also without memory: not taken.
 */
bool client_take(struct client *client, struct txn *txn, struct block *block,
    struct span bytes) MUST_CHECK;

/* Passes on what has come of the first txn's reply, before it is done. */
void client_stream(struct client *client, struct txn *txn);

/* Counts bytes that wait on behalf of `txn`: its body's or its reply's. */
void client_hold(struct txn *txn, size_t bytes);

/* Takes up input that had to wait, if it may. */
void client_resume(struct client *client);

/* Whether another command may be taken from it now. */
bool client_may_go_on(const struct client *client);

/* Writes what is due. End of a turn. */
void client_flush(struct client *client);

#endif
