/*
 * Upstreams: one worker's connection to one server, and the queue of slots
 * whose replies it owes, oldest first.
 *
 * A reply is matched to its request by its place in that queue and by nothing
 * else. A slot that timed out keeps its place with nobody waiting, so that
 * its late reply is recognised and dropped.
 *
 *	 IDLE --first slot--> CONNECTING --writable--> READY
 *	   ^                       |                     |
 *	   +------- any failure: every slot is settled --+
 */
#ifndef PROXY_UPSTREAM_H
#define PROXY_UPSTREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/must.h"
#include "proto/reply.h"
#include "proxy/conn.h"
#include "proxy/reason.h"
#include "proxy/txn.h"
#include "route/table.h"

/* The gets at the end of what is to be written, none of it written yet. */
struct gets {
	struct slot		*first;		/* NULL: there are none */
	struct slot		*last;
	size_t			 n;
	size_t			 len;		/* bytes of their lines */
	bool			 is_one_line;
};

enum upstream_state { UPSTREAM_IDLE, UPSTREAM_CONNECTING, UPSTREAM_READY };

struct upstream {			/* worker-local */
	struct conn		 conn;
	struct grave		 grave;
	struct server		*server;	/* one reference */
	struct server_cell	*tally;		/* ours of the server's */
	struct upstream		*sibling;	/* of the same server */
	uint64_t		 index;		/* among the siblings */
	enum upstream_state	 state;
	bool			 is_retired;	/* dies when it owes nothing */
	bool			 is_busy;	/* on the worker's busy list */
	bool			 is_proven;	/* the connection answered */
	bool			 is_touched;	/* some of it is written */
	TAILQ_ENTRY(upstream)	 all_next;
	TAILQ_ENTRY(upstream)	 busy_next;
	struct slot_queue	 sent;		/* lent slots, oldest first */
	uint64_t		 nsent;
	uint64_t		 nabandoned;	/* of those */
	struct gets		 gets;
	uint64_t		 connect_ms;	/* when connecting began */
	uint64_t		 epoch;		/* of the server, by then */
	uint64_t		 active_ms;	/* last read, or connected */
	uint64_t		 replied_us;	/* when it last had a reply */
	uint64_t		 flow_ms;	/* last FLOW_MIN bytes read */
	uint64_t		 flow_bytes;	/* read since */
	/* The reply being read, which the first slot waits for: */
	struct reply		 reply;
	uint64_t		 body_left;	/* with CR LF; 0: at a line */
	bool			 is_mid_reply;	/* some of it has come */
	/* Counted, and not shown yet: */
	struct run		 replies;	/* to what was sent then */
	struct run		 values;	/* of that size */
	uint64_t		 nqueued;	/* requests */
	uint64_t		 nshown;	/* of `nsent`, as in flight */
	/* From the table, by value: */
	uint64_t		 connect_timeout_ms;
	uint64_t		 request_timeout_ms;
	uint64_t		 queue_max;
	uint64_t		 queue_bytes_max;
	enum on_down	 on_down;
	bool			 join_gets;
};

/*
 * The worker's upstream to `server` with that index, made if need be; NULL
 * without memory. Borrowed until the end of the turn.
 */
struct upstream *upstream_get(struct env *env, struct server *server,
    const struct policy *policy, uint64_t index) MUST_CHECK;

/* Takes over what a new table says of the pool. */
void upstream_configure(struct upstream *up, const struct policy *policy);

/* Why a request cannot be sent now, which is counted, or REASON_NONE. */
enum reason upstream_refusal(struct upstream *up);

/*
 * The request's bytes were appended to `up->conn.out`: lends the slot until
 * its reply is read. They leave at the end of the turn. A get's slot knows
 * the length of its line.
 */
void upstream_send(struct upstream *up, struct slot *slot);

/*
 * upstream_join.c: sends a get by adding its keys to the line of gets that
 * wait already, `get k1 k2 k3`, as upstream_send() would. False, and nothing
 * is done: it needs a line of its own.
 */
bool upstream_join(struct upstream *up, struct slot *slot) MUST_CHECK;

/* upstream_join.c: upstream_send() has the slot, whose line ends the queue. */
void upstream_note_line(struct upstream *up, struct slot *slot);

/* Writes what is queued, connecting first if need be. End of a turn. */
void upstream_flush(struct upstream *up);

/*
 * Closes the connection and settles every slot for `reason`. The upstream
 * may be used again, unless it is retired. Where the server closed what was
 * idle, and no byte of the queue was sent, another connection takes the queue.
 */
void upstream_fail(struct upstream *up, enum reason reason);

/* Nothing new will be sent: it dies once it owes nothing. */
void upstream_retire(struct upstream *up);

/* Settles what is overdue at `now_ms`. */
void upstream_expire(struct upstream *up, uint64_t now_ms);

/* Closes without settling anything and frees it. At shutdown only. */
void upstream_destroy(struct upstream *up);

/* The first slot's reply is complete: takes it back and passes it on. */
void upstream_reply_done(struct upstream *up, enum reply_word word);

/*
 * Nobody waits for the slot any more; it keeps its place in the queue. The
 * caller settles it.
 */
void upstream_abandon(struct upstream *up, struct slot *slot);

/*
 * upstream_connect.c: begins to connect; `callback` will hear of the socket.
 * REASON_NONE, or why that is impossible.
 */
enum reason upstream_connect(struct upstream *up, event_callback_fn callback)
    MUST_CHECK;

/* upstream_connect.c: the socket is writable: connected, or failed. */
void upstream_finish_connecting(struct upstream *up);

/* upstream_health.c: whether its server went down since it connected. */
bool upstream_is_outdated(const struct upstream *up);

/*
 * upstream_health.c: if a server went down since this was called last, closes
 * the outdated connections that are owed nothing. A server that takes only so
 * many could else answer no probe, for those that nobody uses any more have
 * the last places. When the worker was woken.
 */
void upstream_leave_outdated(struct env *env);

/* upstream_health.c: a request, or the connection, failed for `reason`. */
void upstream_note_failure(struct upstream *up, enum reason reason);

/* upstream_health.c: a reply came that was waited for. */
void upstream_note_success(struct upstream *up);

/* upstream_read.c: reads and settles what the server sent. */
void upstream_read(struct upstream *up);

#endif
