/*
 * The reading side of a client.
 *
 * Commands are taken one by one from the bytes at hand. A value that is there
 * whole goes straight to its server's queue; one that is not gathers in its
 * txn, so that a slow client never holds up a server's connection.
 */
#include "proxy/client_read.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "proto/answer.h"
#include "proxy/dispatch.h"
#include "proxy/target.h"

#define BODY_END "\r\n"
#define BODY_END_LEN 2

/* The bytes at hand: where they lie, and what is not taken yet. */
struct input {
	struct block	*block;		/* lent */
	struct span	 rest;
};

static struct span
take(struct input *in, uint64_t n)
{
	struct span taken;

	if (n > in->rest.len)
		n = in->rest.len;
	taken = span_of(in->rest.p, (size_t)n);
	in->rest = span_of(in->rest.p + n, in->rest.len - (size_t)n);
	return taken;
}

static const struct limits *
limits_of(const struct client *client)
{
	return &client->conn.env->table->limits;
}

static void
count_command(struct client *client, const struct request *req)
{
	struct stats_cell *stats = client->conn.env->stats;
	enum verb_shape shape;

	stats_bump(stats, STATS_COMMANDS);
	/* The most frequent ones are counted without a look at the table. */
	if (req->verb == VERB_GET || req->verb == VERB_GETS) {
		stats_add(stats, STATS_CMD_GET, req->nkeys);
		return;
	}
	shape = verb_shape(req->verb);
	if (shape == VERB_SHAPE_GAT)
		stats_add(stats, STATS_CMD_GET, req->nkeys);
	else if (req->verb == VERB_MG)
		stats_bump(stats, STATS_CMD_GET);
	else if (req->has_body)
		stats_bump(stats, STATS_CMD_SET);
	if (shape == VERB_SHAPE_GAT || shape == VERB_SHAPE_TOUCH)
		stats_bump(stats, STATS_CMD_TOUCH);
	if (shape == VERB_SHAPE_META || shape == VERB_SHAPE_META_SET ||
	    shape == VERB_SHAPE_META_NOOP)
		stats_bump(stats, STATS_CMD_META);
}

static void
skip(struct client *client, uint64_t n)
{
	if (n == 0)
		return;
	client->phase = CLIENT_SKIPPING;
	client->left = (uint32_t)n;
}

static void
refuse(struct client *client, const char *error)
{
	stats_bump(client->conn.env->stats, STATS_COMMANDS_REFUSED);
	if (error != NULL)
		client_say(client, span_str(error));
}

/* A meta command's errors are said even in quiet mode. */
static const char *
bad_chunk(bool is_noreply)
{
	return is_noreply ? NULL : ANSWER_BAD_CHUNK;
}

/* The whole body is at hand. */
static void
take_whole_body(struct client *client, const struct request *req,
    struct input *in)
{
	struct span body = take(in, req->body_len + BODY_END_LEN);

	if (memcmp(body.p + req->body_len, BODY_END, BODY_END_LEN) == 0)
		dispatch_store(client, req, in->block, body);
	else
		refuse(client, bad_chunk(req->is_noreply));
}

/* The line of a storage command has been taken; its body comes next. */
static void
begin_body(struct client *client, const struct request *req, struct input *in)
{
	uint64_t size = req->body_len + BODY_END_LEN;

	stats_note(client->conn.env->stats, STATS_VALUES_STORED,
	    req->body_len);
	if (req->body_len > limits_of(client)->value_size) {
		skip(client, size);
		dispatch_too_large(client, req);
	} else if (in->rest.len >= size) {
		take_whole_body(client, req, in);
	} else if (dispatch_begin(client, req) != NULL) {
		client->phase = CLIENT_IN_BODY;
		client->left = (uint32_t)size;
		client->is_bad_body = false;
	} else {
		skip(client, size);
		client_refuse_for_memory(client, req->is_noreply);
	}
}

/*
 * Whether a first command is what logs in: a set of a password. Nothing in
 * it tells it from any other set, so it is the listener that must say so.
 */
static bool
is_login(struct client *client, const struct request *req)
{
	const struct conf_listener *listener;

	if (req->verb != VERB_SET)
		return false;
	listener = target_listener(client);
	return listener != NULL && listener->auth == CONF_AUTH_ACCEPT;
}

/* A password is neither looked at nor passed on. */
static void
accept_login(struct client *client, const struct request *req)
{
	stats_bump(client->conn.env->stats, STATS_LOGINS);
	skip(client, req->body_len + BODY_END_LEN);
	if (!req->is_noreply)
		client_say(client, span_str(ANSWER_STORED));
}

static void
carry_out(struct client *client, const struct request *req, struct input *in)
{
	bool is_first = !client->has_spoken;

	client->has_spoken = true;
	count_command(client, req);
	if (is_first && is_login(client, req))
		accept_login(client, req);
	else if (req->has_body)
		begin_body(client, req, in);
	else
		dispatch_command(client, req);
}

static void
finish_body(struct client *client)
{
	struct txn *txn = TAILQ_LAST(&client->txns, txn_list);
	const char *error;

	client->phase = CLIENT_AT_LINE;
	if (!client->is_bad_body) {
		dispatch_filled(client, txn);
		return;
	}
	error = bad_chunk(txn->is_noreply);
	client_drop(client, txn);
	refuse(client, error);
}

/* Notes whether the last two bytes of the body are CR LF. */
static void
check_body_end(struct client *client, struct span part)
{
	static const char end[] = {'\n', '\r'};

	for (size_t i = 0; i < part.len && client->left + i < sizeof(end);
	    i++) {
		if (part.p[part.len - 1 - i] != end[client->left + i])
			client->is_bad_body = true;
	}
}

static void
take_body(struct client *client, struct input *in)
{
	struct env *env = client->conn.env;
	struct txn *txn = TAILQ_LAST(&client->txns, txn_list);
	struct span part = take(in, client->left);
	bool is_noreply = txn->is_noreply;

	client->left -= (uint32_t)part.len;
	check_body_end(client, part);
	if (chain_add(&txn->body, &env->pool, in->block, part)) {
		client_hold(txn, part.len);
		if (client->left == 0)
			finish_body(client);
		return;
	}
	client_drop(client, txn);
	client->phase = CLIENT_AT_LINE;
	skip(client, client->left);
	client_refuse_for_memory(client, is_noreply);
}

static void
log_foreign(struct client *client, const char *what)
{
	struct env *env = client->conn.env;
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	char host[NI_MAXHOST] = "unknown", port[NI_MAXSERV] = "";
	unsigned dropped;

	stats_bump(env->stats, STATS_CLIENTS_FOREIGN);
	if (!log_gate_pass(&env->gate, env_now_ms(env), &dropped))
		return;
	if (getpeername(client->conn.fd, (struct sockaddr *)&ss, &len) == 0)
		getnameinfo((struct sockaddr *)&ss, len, host, sizeof(host),
		    port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	log_warn("client %s port=%s closed: %s; use memcached's text protocol "
	    "listener=%s similar_lines_dropped=%u", host, port, what,
	    client->doorway->listen, dropped);
}

static void
hang_up_on(struct client *client, const char *what)
{
	log_foreign(client, what);
	client_finish(client, REASON_FOREIGN);
}

/* Takes one command. False: what is left makes none yet. */
static bool
take_command(struct client *client, struct input *in)
{
	const char *foreign = client->has_spoken ? NULL :
	    request_foreign(in->rest.p[0]);
	struct request req;

	if (foreign != NULL) {
		hang_up_on(client, foreign);
		return true;
	}
	switch (request_parse(in->rest, &req)) {
	case REQUEST_OK:
		take(in, req.line_len);
		carry_out(client, &req, in);
		return true;
	case REQUEST_MORE:
		if (request_may_grow(in->rest, limits_of(client)->request_line))
			return false;
		client_finish(client, REASON_LINE_TOO_LONG);
		return true;
	case REQUEST_REFUSED:
		take(in, req.line_len);
		client->has_spoken = true;
		stats_bump(client->conn.env->stats, STATS_COMMANDS);
		skip(client, req.skip);
		refuse(client, req.error);
		return true;
	case REQUEST_CLOSE:
		hang_up_on(client, req.error);
		return true;
	}
	NEVER();
}

static void
take_skipped(struct client *client, struct input *in)
{
	client->left -= (uint32_t)take(in, client->left).len;
	if (client->left == 0)
		client->phase = CLIENT_AT_LINE;
}

/* Takes what it may. False: the rest makes no command yet. */
static bool
take_some(struct client *client, struct input *in)
{
	switch (client->phase) {
	case CLIENT_AT_LINE:
		if (!client_may_go_on(client)) {
			client->is_held_up = true;
			return false;
		}
		return take_command(client, in);
	case CLIENT_IN_BODY:
		take_body(client, in);
		return true;
	case CLIENT_SKIPPING:
		take_skipped(client, in);
		return true;
	}
	NEVER();
}

static void
take_all(struct client *client, struct input *in)
{
	while (client->state == CLIENT_OPEN && in->rest.len > 0) {
		if (!take_some(client, in))
			break;
	}
	if (client->state != CLIENT_OPEN)
		return;
	client->scanned = (uint32_t)in->rest.len;
	if (!conn_keep(&client->conn, in->block, in->rest))
		client_close(client, REASON_NO_MEMORY);
}

/*
 * Whether new bytes can make a difference: a long line that comes in small
 * pieces is not searched again from its start each time.
 */
static bool
is_worth_parsing(const struct client *client, const struct input *in)
{
	size_t old = client->scanned;

	/* Of a body nothing is ever left. */
	if (old <= REQUEST_LINE_MAX ||
	    in->rest.len > limits_of(client)->request_line)
		return true;
	return memchr(in->rest.p + old, '\n', in->rest.len - old) != NULL;
}

void
client_read(struct client *client)
{
	struct env *env = client->conn.env;
	struct input in;

	switch (conn_read(&client->conn, client->left, &in.block, &in.rest)) {
	case CONN_IO_OK:
		stats_add(env->stats, STATS_CLIENT_BYTES_READ, env->nread);
		client->active_ms = env_now_ms(env);
		if (is_worth_parsing(client, &in))
			take_all(client, &in);
		else
			client->scanned = (uint32_t)in.rest.len;
		return;
	case CONN_IO_AGAIN:
		return;
	case CONN_IO_EOF:
		client_finish(client, REASON_CLIENT_GONE);
		return;
	case CONN_IO_BROKEN:
		client_close(client, REASON_CLIENT_RESET);
		return;
	case CONN_IO_NO_MEMORY:
		client_close(client, REASON_NO_MEMORY);
		return;
	}
	NEVER();
}

void
client_read_kept(struct client *client)
{
	struct input in;

	if (client->state == CLIENT_OPEN &&
	    conn_kept(&client->conn, &in.block, &in.rest))
		take_all(client, &in);
}
