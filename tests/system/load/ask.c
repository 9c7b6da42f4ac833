/* The requests of the load: what is asked, and in which mixture. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "talk_state.h"

/* xorshift64. */
static uint32_t
draw(struct talk *talk, uint32_t below)
{
	talk->random ^= talk->random << 13;
	talk->random ^= talk->random >> 7;
	talk->random ^= talk->random << 17;
	return (uint32_t)((talk->random >> 16) % below);
}

static void PRINTF_LIKE(2, 3)
put(struct talk *talk, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(talk->out + talk->out_len,
	    BUFFER_SIZE - talk->out_len, fmt, ap);
	va_end(ap);
	talk->out_len += (size_t)n;
}

static void
put_value(struct talk *talk, const char *value, size_t len)
{
	memcpy(talk->out + talk->out_len, value, len);
	talk->out_len += len;
	put(talk, "\r\n");
}

static struct request *
queue(struct talk *talk, enum kind kind)
{
	unsigned at = (talk->oldest + talk->outstanding++) % TALK_DEPTH_MAX;

	talk->ring[at] = (struct request){.kind = kind};
	return &talk->ring[at];
}

static void
ask_get(struct talk *talk, unsigned nkeys)
{
	struct request *req = queue(talk, KIND_GET);
	char key[VALUE_KEY_SIZE];

	put(talk, "get");
	req->nkeys = nkeys;
	for (unsigned i = 0; i < nkeys; i++) {
		req->keys[i] = draw(talk, talk->nkeys);
		value_key(key, req->keys[i]);
		put(talk, " %s", key);
	}
	put(talk, "\r\n");
}

static void
ask_set(struct talk *talk, bool is_noreply)
{
	char key[VALUE_KEY_SIZE], value[VALUE_MAX_LEN];
	uint32_t n = draw(talk, talk->nkeys);
	size_t len = value_make(value, n, draw(talk, 1000000));

	value_key(key, n);
	put(talk, "set %s 0 0 %zu%s\r\n", key, len,
	    is_noreply ? " noreply" : "");
	put_value(talk, value, len);
	if (is_noreply)
		talk->tally->requests++;
	else
		queue(talk, KIND_SET);
}

static void
ask_meta_set(struct talk *talk)
{
	char key[VALUE_KEY_SIZE], value[VALUE_MAX_LEN];
	uint32_t n = draw(talk, talk->nkeys);
	size_t len = value_make(value, n, draw(talk, 1000000));

	value_key(key, n);
	put(talk, "ms %s %zu T0\r\n", key, len);
	put_value(talk, value, len);
	queue(talk, KIND_META_SET);
}

static void
ask_plain(struct talk *talk, enum kind kind, const char *fmt)
{
	struct request *req = queue(talk, kind);
	char key[VALUE_KEY_SIZE];

	req->nkeys = 1;
	req->keys[0] = draw(talk, talk->nkeys);
	value_key(key, req->keys[0]);
	put(talk, "%s %s", fmt, key);
	if (kind == KIND_TOUCH)
		put(talk, " 0");
	else if (kind == KIND_META_GET)
		put(talk, " k v");
	put(talk, "\r\n");
}

void
ask_one(struct talk *talk)
{
	uint32_t dice = draw(talk, 100);

	if (dice < 45)
		ask_get(talk, 1);
	else if (dice < 57)
		ask_get(talk, 2 + draw(talk, KEYS_MAX - 1));
	else if (dice < 75)
		ask_set(talk, false);
	else if (dice < 79)
		ask_set(talk, true);
	else if (dice < 82)
		ask_plain(talk, KIND_DELETE, "delete");
	else if (dice < 85)
		ask_plain(talk, KIND_TOUCH, "touch");
	else if (dice < 93)
		ask_plain(talk, KIND_META_GET, "mg");
	else if (dice < 99)
		ask_meta_set(talk);
	else {
		put(talk, "mn\r\n");
		queue(talk, KIND_NOOP);
	}
}

