/*
 * Upstreams: the queue, time-outs and failure.
 *
 * Connecting is upstream_connect.c's, reading replies upstream_read.c's, and
 * what all that says of the server upstream_health.c's.
 */
#include "proxy/upstream.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/mem.h"
#include "proxy/settle.h"
#include "proxy/slow.h"
#include "proxy/tally.h"

/* Late replies that a server may owe on one connection. */
#define ABANDONED_MAX 1024

/* A reply later than so many time-outs will not come. */
#define ABANDONED_TIMEOUTS 4

/* After this long without traffic a connection is looked at before use. */
#define IDLE_CHECK_MS 1000

/*
 * After this long it is not used again. A firewall may have forgotten it, and
 * nothing shows that before a request is lost that perhaps must not be
 * repeated. Another connection costs a round trip, no more often than this.
 */
#define IDLE_TRUST_MS 5000

static void on_event(evutil_socket_t fd, short events, void *arg);

static struct upstream *
upstream_new(struct env *env, struct server *server, uint64_t index)
{
	struct upstream *up = mem_zalloc(1, sizeof(*up));

	if (up == NULL)
		return NULL;
	up->tally = server_stats_cell(&server->stats, env->index);
	if (up->tally == NULL) {
		mem_free(up);
		return NULL;
	}
	conn_init(&up->conn, env, &env->dirty_upstreams);
	STAILQ_INIT(&up->sent);
	up->server = server_ref(server);
	up->index = index;
	up->sibling = env->upstreams[server->id];
	env->upstreams[server->id] = up;
	TAILQ_INSERT_TAIL(&env->all_upstreams, up, all_next);
	return up;
}

void
upstream_configure(struct upstream *up, const struct policy *policy)
{
	up->connect_timeout_ms = policy->connect_timeout_ms;
	up->request_timeout_ms = policy->request_timeout_ms;
	up->queue_max = policy->server_queue;
	up->queue_bytes_max = policy->server_queue_bytes;
	up->on_down = policy->on_down;
	up->join_gets = policy->join_gets;
}

struct upstream *
upstream_get(struct env *env, struct server *server,
    const struct policy *policy, uint64_t index)
{
	struct upstream *up = env->upstreams[server->id];

	while (up != NULL && up->index != index)
		up = up->sibling;
	if (up != NULL) {
		up->is_retired = false;
		return up;
	}
	up = upstream_new(env, server, index);
	if (up != NULL)
		upstream_configure(up, policy);
	return up;
}

static void
unlink_sibling(struct upstream *up)
{
	struct upstream **at = &up->conn.env->upstreams[up->server->id];

	while (*at != up)
		at = &(*at)->sibling;
	*at = up->sibling;
}

static void
set_busy(struct upstream *up)
{
	struct env *env = up->conn.env;
	bool is_busy = up->nsent > 0;

	if (is_busy == up->is_busy)
		return;
	up->is_busy = is_busy;
	up->is_touched = false;
	if (is_busy)
		TAILQ_INSERT_TAIL(&env->busy_upstreams, up, busy_next);
	else
		TAILQ_REMOVE(&env->busy_upstreams, up, busy_next);
}

/* The socket is closed, or about to be. */
static void
count_close(struct upstream *up)
{
	if (up->conn.fd == -1)
		return;
	stats_bump(up->conn.env->stats, STATS_SERVER_CLOSES);
	server_bump(up->tally, SERVER_CLOSES);
	server_add(up->tally, SERVER_CONNECTIONS, (uint64_t)-1);
}

static void
bury(struct upstream *up)
{
	struct env *env = up->conn.env;

	MUST(up->nsent == 0);
	count_close(up);
	conn_close(&up->conn);
	TAILQ_REMOVE(&env->all_upstreams, up, all_next);
	unlink_sibling(up);
	server_unref(&up->server);
	env_bury(env, &up->grave, up);
}

void
upstream_retire(struct upstream *up)
{
	up->is_retired = true;
	if (up->nsent == 0)
		bury(up);
}

enum reason
upstream_refusal(struct upstream *up)
{
	if (up->nsent < up->queue_max &&
	    up->conn.out.len < up->queue_bytes_max)
		return REASON_NONE;
	stats_bump(up->conn.env->stats, STATS_SERVER_QUEUE_FULL);
	return REASON_QUEUE_FULL;
}

void
upstream_send(struct upstream *up, struct slot *slot)
{
	struct env *env = up->conn.env;

	MUST(slot->state == SLOT_IDLE);
	slot->state = SLOT_SENT;
	slot->is_joined = false;
	slot->sent_us = env_now_us(env);
	slot->txn->nlent++;
	STAILQ_INSERT_TAIL(&up->sent, slot, next);
	up->nsent++;
	upstream_note_line(up, slot);
	set_busy(up);
	conn_dirty(&up->conn);
	up->nqueued++;
}

/* Takes the first slot back; its state tells whether anyone waits for it. */
static struct slot *
take_back_first(struct upstream *up)
{
	struct slot *slot = STAILQ_FIRST(&up->sent);

	STAILQ_REMOVE_HEAD(&up->sent, next);
	up->nsent--;
	if (slot->state == SLOT_ABANDONED)
		up->nabandoned--;
	slot->txn->nlent--;
	set_busy(up);
	return slot;
}

static void
log_close(struct upstream *up, enum reason reason)
{
	struct env *env = up->conn.env;
	unsigned dropped;

	if (!reason_is_servers_fault(reason) ||
	    !log_gate_pass(&env->gate, env_now_ms(env), &dropped))
		return;
	log_warn("server %s connection closed: %s pool=%s pending=%llu "
	    "similar_lines_dropped=%u", up->server->name,
	    reason_words(reason), up->server->pool,
	    (unsigned long long)up->nsent, dropped);
}

/* Forgets the connection; the queue is the caller's business. */
static void
disconnect(struct upstream *up)
{
	count_close(up);
	conn_close(&up->conn);
	up->state = UPSTREAM_IDLE;
	up->gets.first = NULL;
	up->body_left = 0;
	up->is_mid_reply = false;
	up->is_touched = false;
}

/* Nothing of the queue was sent: a new connection can take all of it. */
static void
replace(struct upstream *up)
{
	count_close(up);
	conn_close_socket(&up->conn);
	up->state = UPSTREAM_IDLE;
	conn_dirty(&up->conn);
}

/* A connection that never answered is not replaced: that could go on. */
static bool
was_closed_while_idle(const struct upstream *up, enum reason reason)
{
	return up->state == UPSTREAM_READY && up->is_proven &&
	    !up->is_touched && (reason == REASON_SERVER_CLOSED ||
	    reason == REASON_SERVER_RESET);
}

/* Settles what was queued; a retry may queue again meanwhile. */
static void
settle_all(struct upstream *up, enum reason reason)
{
	uint64_t n = up->nsent;

	while (n-- > 0) {
		struct slot *slot = take_back_first(up);

		if (slot->state == SLOT_ABANDONED) {
			slot->state = SLOT_IDLE;
			txn_release(slot->txn);
			continue;
		}
		slot->state = SLOT_IDLE;
		settle_failure(slot, up->server, up->on_down, reason);
	}
	tally_show_upstream(up);
}

void
upstream_fail(struct upstream *up, enum reason reason)
{
	/* A server may close what nobody uses. */
	if (was_closed_while_idle(up, reason)) {
		replace(up);
		return;
	}
	if (up->state != UPSTREAM_READY)
		server_bump(up->tally, SERVER_CONNECT_FAILURES);
	log_close(up, reason);
	upstream_note_failure(up, reason);
	disconnect(up);
	settle_all(up, reason);
	if (up->is_retired && up->nsent == 0)
		bury(up);
}

void
upstream_abandon(struct upstream *up, struct slot *slot)
{
	MUST(slot->state == SLOT_SENT);
	slot->state = SLOT_ABANDONED;
	up->nabandoned++;
}

void
upstream_reply_done(struct upstream *up, enum reply_word word)
{
	struct env *env = up->conn.env;
	struct slot *slot = take_back_first(up);
	enum slot_state state = slot->state;

	up->is_proven = true;
	up->is_mid_reply = false;
	slot->state = SLOT_IDLE;
	if (state == SLOT_ABANDONED) {
		stats_bump(env->stats, STATS_SERVER_LATE_REPLIES);
		server_bump(up->tally, SERVER_LATE_REPLIES);
		txn_release(slot->txn);
		return;
	}
	tally_reply(up, slot->sent_us);
	if (slow_is(env, slot))
		slow_log(up, slot, "answered");
	up->replied_us = env_now_us(env);
	upstream_note_success(up);
	settle_reply(slot, word);
}

/*
 * When the wait for a slot began. A reply that flows renews it; one that
 * trickles does not, or it could keep the connection for ever.
 */
static uint64_t
waiting_since(const struct upstream *up, const struct slot *slot)
{
	if (slot == STAILQ_FIRST(&up->sent) && up->is_mid_reply &&
	    up->flow_ms > slot_sent_ms(slot))
		return up->flow_ms;
	return slot_sent_ms(slot);
}

/*
 * The queue is in order of time, so the overdue slots are at its front,
 * behind those that were abandoned before. Only the first one's clock can
 * have been set anew, by a reply that flows; it shields nobody behind it.
 */
static void
expire_slots(struct upstream *up, uint64_t now_ms)
{
	struct slot *slot;

	/* An abandoned slot stays lent, so it stays in the queue. */
	STAILQ_FOREACH(slot, &up->sent, next) {
		if (slot->state == SLOT_ABANDONED)
			continue;
		if (now_ms - waiting_since(up, slot) < up->request_timeout_ms) {
			if (slot_sent_ms(slot) == waiting_since(up, slot))
				return;
			continue;
		}
		stats_bump(up->conn.env->stats, STATS_SERVER_TIMEOUTS);
		upstream_note_failure(up, REASON_TIMEOUT);
		upstream_abandon(up, slot);
		if (slow_is(up->conn.env, slot))
			slow_log(up, slot, "timed out");
		settle_failure(slot, up->server, up->on_down, REASON_TIMEOUT);
	}
}

/*
 * With the breaker open, or opened since, nothing more is waited for: it may
 * be this connection that is dead, and then the trial needs another one.
 */
static bool
owes_too_much(const struct upstream *up, uint64_t now_ms)
{
	const struct slot *first = STAILQ_FIRST(&up->sent);

	if (up->nabandoned > ABANDONED_MAX)
		return true;
	if (first == NULL || first->state != SLOT_ABANDONED)
		return false;
	return health_state(&up->server->health) == HEALTH_DOWN ||
	    upstream_is_outdated(up) || now_ms - waiting_since(up, first) >
	    ABANDONED_TIMEOUTS * up->request_timeout_ms;
}

void
upstream_expire(struct upstream *up, uint64_t now_ms)
{
	if (up->state == UPSTREAM_CONNECTING &&
	    now_ms - up->connect_ms >= up->connect_timeout_ms) {
		upstream_fail(up, REASON_CONNECT_TIMEOUT);
		return;
	}
	expire_slots(up, now_ms);
	if (owes_too_much(up, now_ms))
		upstream_fail(up, REASON_OWES_TOO_MUCH);
}

/*
 * Whether a connection that was long unused is still good: no end of file,
 * no error and no bytes that nobody asked for.
 */
static bool
is_alive(struct upstream *up)
{
	char byte;
	ssize_t n;

	n = recv(up->conn.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return n == -1 && (errno == EAGAIN || errno == EINTR);
}

/* Whether a connection may not carry the first slot, of which no byte left. */
static bool
is_useless(struct upstream *up)
{
	uint64_t now_ms = slot_sent_ms(STAILQ_FIRST(&up->sent));

	if (upstream_is_outdated(up) || now_ms >= up->active_ms + IDLE_TRUST_MS)
		return true;
	return now_ms >= up->active_ms + IDLE_CHECK_MS && !is_alive(up);
}

static void
write_out(struct upstream *up)
{
	struct env *env = up->conn.env;
	enum conn_io io;
	size_t written = 0;
	short wanted = EV_READ;

	if (up->conn.out.len > 0)
		stats_note(env->stats, STATS_SERVER_QUEUE, up->nsent);
	io = conn_flush(&up->conn, &written);
	if (written > 0) {
		up->is_touched = true;
		up->gets.first = NULL;
		stats_add(env->stats, STATS_SERVER_BYTES_WRITTEN, written);
		server_add(up->tally, SERVER_BYTES_WRITTEN, written);
	}
	switch (io) {
	case CONN_IO_AGAIN:
		wanted |= EV_WRITE;
		break;
	case CONN_IO_OK:
		break;
	case CONN_IO_EOF:
	case CONN_IO_BROKEN:
	case CONN_IO_NO_MEMORY:
		upstream_fail(up, REASON_SERVER_RESET);
		return;
	}
	if (!conn_want(&up->conn, wanted))
		upstream_fail(up, REASON_NO_MEMORY);
}

void
upstream_flush(struct upstream *up)
{
	enum reason reason;

	tally_show_upstream(up);
	if (up->state == UPSTREAM_READY && up->nsent > 0 && !up->is_touched &&
	    is_useless(up))
		replace(up);
	if (up->state == UPSTREAM_IDLE && up->nsent > 0) {
		reason = upstream_connect(up, on_event);
		if (reason != REASON_NONE) {
			upstream_fail(up, reason);
			return;
		}
	}
	if (up->state == UPSTREAM_READY)
		write_out(up);
}

static void
on_event(evutil_socket_t fd, short events, void *arg)
{
	struct upstream *up = arg;

	(void)fd;
	up->conn.env->nready++;
	if (up->state == UPSTREAM_CONNECTING) {
		upstream_finish_connecting(up);
		return;
	}
	if (events & EV_WRITE)
		conn_dirty(&up->conn);
	if (events & EV_READ)
		upstream_read(up);
}

void
upstream_destroy(struct upstream *up)
{
	while (up->nsent > 0) {
		struct slot *slot = take_back_first(up);

		txn_release(slot->txn);
	}
	bury(up);
}
