/* Lines about slow requests. */
#include "proxy/slow.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "proxy/client.h"
#include "proxy/hotkeys.h"

/* Bytes of a key that are shown: it is not for the log to keep keys. */
#define KEY_SHOWN 32

#define PEER_SIZE (NI_MAXHOST + NI_MAXSERV + 1)

void
slow_note_key(struct txn *txn, struct span key)
{
	size_t len = key.len;

	if (txn->env->slow_us == SLOW_NEVER || txn->text_len > 0)
		return;
	/* A hash must be of the whole key; else it is cut when shown. */
	if (len > sizeof(txn->short_text)) {
		if (txn->env->table->insight.keys_hidden)
			return;
		len = sizeof(txn->short_text);
	}
	memcpy(txn->short_text, key.p, len);
	txn->text = txn->short_text;
	txn->text_len = (uint32_t)len;
}

/* The request's key, or the first of them; empty: not known any more. */
static struct span
key_of(const struct slot *slot)
{
	const struct txn *txn = slot->txn;
	struct span text = txn_key(txn), key;

	if (txn->keys != NULL && slot->first_key != TXN_NO_KEY)
		return txn_key_at(txn, slot->first_key);
	/* What is remembered of meta has its flags behind the key. */
	return txn->keys == NULL && request_next_word(&text, &key) ? key :
	    span_of("", 0);
}

static const char *
show_key(const struct slot *slot, char out[HOTKEYS_TEXT_SIZE])
{
	struct env *env = slot->txn->env;
	struct span key = key_of(slot);

	if (env->table->insight.keys_hidden && key.len > 0)
		snprintf(out, HOTKEYS_TEXT_SIZE, "%016llx",
		    (unsigned long long)hotkeys_hash(env->proxy->hotkeys,
		    key));
	else
		hotkeys_show_key(key, KEY_SHOWN, out);
	return out;
}

static const char *
show_peer(const struct client *client, char out[PEER_SIZE])
{
	char host[NI_MAXHOST], port[NI_MAXSERV];
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	snprintf(out, PEER_SIZE, "%s", client == NULL ? "gone" : "unix");
	if (client == NULL || getpeername(client->conn.fd,
	    (struct sockaddr *)&ss, &len) != 0 || ss.ss_family == AF_UNIX ||
	    getnameinfo((struct sockaddr *)&ss, len, host, sizeof(host), port,
	    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return out;
	snprintf(out, PEER_SIZE, "%s:%s", host, port);
	return out;
}

/*
 * Queued is what passed until the server could begin with it: until it was
 * sent, and until the reply before it on the connection had been read.
 */
void
slow_log(const struct upstream *up, const struct slot *slot,
    const char *outcome)
{
	char key[HOTKEYS_TEXT_SIZE], peer[PEER_SIZE];
	const struct txn *txn = slot->txn;
	struct env *env = txn->env;
	uint64_t now_us = env_now_us(env), turn_us = slot->sent_us;
	unsigned dropped;

	if (!log_gate_pass(&env->slow_gate, env_now_ms(env), &dropped))
		return;
	if (up->replied_us > turn_us)
		turn_us = up->replied_us;
	log_warn("slow request: %s %s after %llu ms client=%s key=%s "
	    "server=%s pool=%s queued_ms=%llu server_ms=%llu "
	    "similar_lines_dropped=%u", verb_name(txn->verb), outcome,
	    (unsigned long long)(now_us - txn->began_us) / 1000,
	    show_peer(txn->client, peer), show_key(slot, key),
	    up->server->name, up->server->pool,
	    (unsigned long long)(turn_us - txn->began_us) / 1000,
	    (unsigned long long)(now_us - turn_us) / 1000, dropped);
}
