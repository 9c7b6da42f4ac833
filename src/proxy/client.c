/*
 * Clients: their answers in order, and their life and death.
 *
 * Reading commands is client_read.c's.
 */
#include "proxy/client.h"

#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "proto/answer.h"
#include "proxy/client_read.h"
#include "proxy/tally.h"

/* What a reply may weigh as long as the client has shown none. */
#define FIRST_VALUE_GUESS 65536

static void
update_events(struct client *client)
{
	short wanted = 0;

	if (client->state == CLIENT_OPEN && !client->is_held_up)
		wanted |= EV_READ;
	if (client->conn.out.len > 0)
		wanted |= EV_WRITE;
	if (!conn_want(&client->conn, wanted))
		client_close(client, REASON_NO_MEMORY);
}

static void
on_event(evutil_socket_t fd, short events, void *arg)
{
	struct client *client = arg;

	(void)fd;
	client->conn.env->nready++;
	if (events & EV_WRITE)
		conn_dirty(&client->conn);
	if (events & EV_READ) {
		client_read(client);
		if (client->state != CLIENT_DEAD)
			update_events(client);
	}
}

bool
client_start(struct env *env, int fd, struct doorway *doorway)
{
	struct client *client = mem_zalloc(1, sizeof(*client));

	if (client == NULL) {
		close(fd);
		return false;
	}
	conn_init(&client->conn, env, &env->dirty_clients);
	conn_open(&client->conn, fd, on_event, client);
	client->doorway = doorway;
	client->serial = env->nserved++;
	client->active_ms = env_now_ms(env);
	client->value_guess = FIRST_VALUE_GUESS;
	TAILQ_INIT(&client->txns);
	TAILQ_INSERT_TAIL(&env->clients, client, all_next);
	stats_bump(env->stats, STATS_CLIENTS_OPENED);
	update_events(client);
	return true;
}

void
client_drop(struct client *client, struct txn *txn)
{
	TAILQ_REMOVE(&client->txns, txn, next);
	client->ntxns--;
	client->held -= txn->held;
	client->values_asked -= txn->nvalues;
	txn->client = NULL;
	txn_release(txn);
}

static void
stop_waiting(struct client *client)
{
	if (!client->is_waiting)
		return;
	client->is_waiting = false;
	TAILQ_REMOVE(&client->conn.env->waiting, client, waiting_next);
}

void
client_close(struct client *client, enum reason reason)
{
	struct env *env = client->conn.env;

	if (client->state == CLIENT_DEAD)
		return;
	client->state = CLIENT_DEAD;
	log_debug("client closed: %s pending=%u", reason_words(reason),
	    client->ntxns);
	stop_waiting(client);
	while (!TAILQ_EMPTY(&client->txns))
		client_drop(client, TAILQ_FIRST(&client->txns));
	conn_close(&client->conn);
	TAILQ_REMOVE(&env->clients, client, all_next);
	doorway_leave(client->doorway, env->proxy);
	stats_bump(env->stats, STATS_CLIENTS_CLOSED);
	if (reason == REASON_NO_MEMORY)
		stats_bump(env->stats, STATS_NO_MEMORY);
	env_bury(env, &client->grave, client);
}

/* Closes it if it has had all that it is to have. */
static void
close_if_finished(struct client *client)
{
	if (client->state == CLIENT_LAST && TAILQ_EMPTY(&client->txns) &&
	    client->conn.out.len == 0)
		client_close(client, client->reason);
}

void
client_finish(struct client *client, enum reason reason)
{
	struct txn *last = TAILQ_LAST(&client->txns, txn_list);

	if (client->state != CLIENT_OPEN)
		return;
	client->state = CLIENT_LAST;
	client->reason = reason;
	client->is_held_up = false;
	stop_waiting(client);
	/* A body that will not come makes no command. */
	if (last != NULL && last->state == TXN_FILLING)
		client_drop(client, last);
	/* Flushing looks whether that was all. */
	conn_dirty(&client->conn);
}

void
client_hang_up(struct client *client, enum reason reason)
{
	while (!TAILQ_EMPTY(&client->txns))
		client_drop(client, TAILQ_FIRST(&client->txns));
	client_finish(client, reason);
	/* It may have been finishing already. */
	conn_dirty(&client->conn);
}

void
client_add(struct client *client, struct txn *txn)
{
	txn->client = client;
	TAILQ_INSERT_TAIL(&client->txns, txn, next);
	client->ntxns++;
	client->values_asked += txn->nvalues;
}

void
client_hold(struct txn *txn, size_t bytes)
{
	txn->held += bytes;
	if (txn->client != NULL)
		txn->client->held += bytes;
}

/* A txn that is answered already, to keep the order. */
static struct txn *
add_answered(struct client *client)
{
	static const struct request nothing = {.verb = VERB_VERSION};
	struct txn *txn = txn_new(client->conn.env, &nothing);

	if (txn == NULL)
		return NULL;
	txn->state = TXN_DONE;
	client_add(client, txn);
	return txn;
}

void
client_say(struct client *client, struct span text)
{
	struct chain_pool *pool = &client->conn.env->pool;
	struct txn *txn = NULL;
	bool is_said;

	if (!TAILQ_EMPTY(&client->txns)) {
		txn = add_answered(client);
		if (txn == NULL) {
			client_close(client, REASON_NO_MEMORY);
			return;
		}
		is_said = chain_pack(&txn->out, pool, text);
	} else {
		is_said = chain_copy(&client->conn.out, pool, text);
	}
	if (!is_said) {
		client_close(client, REASON_NO_MEMORY);
		return;
	}
	if (txn != NULL)
		client_hold(txn, text.len);
	else
		conn_dirty(&client->conn);
}

void
client_refuse_for_memory(struct client *client, bool is_noreply)
{
	stats_bump(client->conn.env->stats, STATS_NO_MEMORY);
	stats_bump(client->conn.env->stats, STATS_COMMANDS_REFUSED);
	if (!is_noreply)
		client_say(client, span_str(ANSWER_NO_MEMORY));
}

bool
client_may_go_on(const struct client *client)
{
	uint64_t room = client->conn.env->table->limits.client_buffer;

	return client->ntxns < CLIENT_PENDING_MAX &&
	    client->conn.out.len + client->held < room &&
	    client->values_asked * client->value_guess < room;
}

/* There is room again: the end of the turn goes on with what it sent. */
static void
wait_if_held_up(struct client *client)
{
	if (!client->is_held_up || client->is_waiting ||
	    !client_may_go_on(client))
		return;
	client->is_waiting = true;
	TAILQ_INSERT_TAIL(&client->conn.env->waiting, client, waiting_next);
}

void
client_advance(struct client *client)
{
	struct txn *txn;

	while ((txn = TAILQ_FIRST(&client->txns)) != NULL &&
	    txn->state == TXN_DONE) {
		tally_answered(txn);
		chain_move(&client->conn.out, &txn->out,
		    &client->conn.env->pool);
		client_drop(client, txn);
	}
	conn_dirty(&client->conn);
	wait_if_held_up(client);
}

bool
client_take(struct client *client, struct txn *txn, struct block *block,
    struct span bytes)
{
	if (TAILQ_FIRST(&client->txns) != txn || txn->out.len > 0 ||
	    !chain_add(&client->conn.out, &client->conn.env->pool, block,
	    bytes))
		return false;
	txn->streamed += bytes.len;
	return true;
}

void
client_stream(struct client *client, struct txn *txn)
{
	if (TAILQ_FIRST(&client->txns) != txn)
		return;
	txn->is_started = true;
	txn->streamed += txn->out.len;
	client->held -= txn->held;
	txn->held = 0;
	chain_move(&client->conn.out, &txn->out, &client->conn.env->pool);
	conn_dirty(&client->conn);
}

void
client_resume(struct client *client)
{
	stop_waiting(client);
	client->is_held_up = false;
	client_read_kept(client);
	if (client->state != CLIENT_DEAD)
		update_events(client);
}

void
client_flush(struct client *client)
{
	struct env *env = client->conn.env;
	size_t written = 0;
	enum conn_io io = conn_flush(&client->conn, &written);

	if (written > 0)
		client->active_ms = env_now_ms(env);
	stats_add(env->stats, STATS_CLIENT_BYTES_WRITTEN, written);
	if (io != CONN_IO_OK && io != CONN_IO_AGAIN) {
		client_close(client, REASON_CLIENT_RESET);
		return;
	}
	wait_if_held_up(client);
	update_events(client);
	close_if_finished(client);
}
