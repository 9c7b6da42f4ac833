/*
 * The request parser: any bytes from a client.
 *
 * What must hold of each command it takes: its words lie within its line, its
 * key is one; nothing was said before the line was whole; and written anew
 * for a server it is the same command, always asking for a reply.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "proto/request.h"
#include "proxy/compose.h"

/* Prefixes of longer lines are not all tried. */
#define PREFIXES_MAX 512

static void
must_lie_in(struct span part, struct span line)
{
	if (part.len > 0)
		MUST(part.p >= line.p &&
		    part.p + part.len <= line.p + line.len);
}

static void
must_be_key(struct span key)
{
	MUST(key.len >= 1 && key.len <= REQUEST_KEY_MAX);
	for (size_t i = 0; i < key.len; i++)
		MUST(key.p[i] != '\0' && key.p[i] != '\r' &&
		    key.p[i] != '\n' && key.p[i] != ' ');
}

static void
check_keys(const struct request *req)
{
	struct span rest = req->keys, key;
	uint32_t n = 0;

	while (request_next_word(&rest, &key)) {
		must_be_key(key);
		n++;
	}
	MUST(n == req->nkeys && n > 0);
}

/* Both as sent to a server; of several keys the first stands for all. */
static void
check_composed(const struct request *req)
{
	char line[COMPOSE_LINE_MAX];
	size_t len = compose_request(req, line);
	struct request again;

	MUST(len <= COMPOSE_LINE_MAX);
	MUST(request_parse(span_of(line, len), &again) == REQUEST_OK);
	MUST(again.line_len == len);
	MUST(again.verb == req->verb);
	MUST(span_eq(again.key, req->key));
	MUST(again.has_body == req->has_body);
	MUST(again.body_len == req->body_len);
	MUST(again.client_flags == req->client_flags);
	MUST(again.exptime == req->exptime);
	MUST(again.cas_unique == req->cas_unique);
	MUST(again.delta == req->delta);
	MUST(again.is_base64 == req->is_base64);
	MUST(!again.is_noreply && !again.is_quiet);
}

static void
check_memory(const struct request *req)
{
	char memory[COMPOSE_LINE_MAX], line[COMPOSE_LINE_MAX];
	size_t len = compose_memory(req, memory);

	MUST(len >= req->key.len);
	if (req->verb != VERB_MG)
		return;
	len = compose_meta_miss(span_of(memory, len), line);
	MUST(len >= 4 && memcmp(line + len - 2, "\r\n", 2) == 0);
}

static void
check_taken(const struct request *req, struct span line)
{
	enum verb_shape shape = verb_shape(req->verb);
	char decoded[REQUEST_DECODED_KEY_MAX];

	must_lie_in(req->args, line);
	must_lie_in(req->key, line);
	must_lie_in(req->keys, line);
	must_lie_in(req->meta_flags, line);
	MUST(req->has_body == (shape == VERB_SHAPE_STORE ||
	    shape == VERB_SHAPE_CAS || shape == VERB_SHAPE_META_SET));
	MUST(req->body_len <= REQUEST_BODY_MAX);
	if (shape == VERB_SHAPE_PLAIN || shape == VERB_SHAPE_META_NOOP)
		return;
	must_be_key(req->key);
	if (shape == VERB_SHAPE_GET || shape == VERB_SHAPE_GAT)
		check_keys(req);
	if (req->is_base64)
		MUST(request_decode_key(req->key, decoded) > 0);
	check_composed(req);
	check_memory(req);
}

static void
check_prefixes(struct span line)
{
	size_t n = line.len < PREFIXES_MAX ? line.len : PREFIXES_MAX;
	struct request req;

	while (n-- > 0)
		MUST(request_parse(span_of(line.p, n), &req) == REQUEST_MORE);
}

/* Takes one command off `bytes`. False: there is none. */
static bool
take(struct span *bytes)
{
	struct request req;
	enum request_result result = request_parse(*bytes, &req);
	uint64_t taken;

	if (result == REQUEST_MORE) {
		MUST(bytes->len == 0 || memchr(bytes->p, '\n', bytes->len) ==
		    NULL);
		return false;
	}
	MUST(result != REQUEST_CLOSE || req.error != NULL);
	if (result == REQUEST_CLOSE)
		return false;
	MUST(req.line_len >= 1 && req.line_len <= bytes->len);
	MUST(bytes->p[req.line_len - 1] == '\n');
	check_prefixes(span_of(bytes->p, req.line_len));
	taken = req.line_len;
	if (result == REQUEST_REFUSED) {
		MUST(req.skip <= (uint64_t)REQUEST_BODY_MAX + 2);
		taken += req.skip;
	} else {
		check_taken(&req, span_of(bytes->p, req.line_len));
		if (req.has_body)
			taken += req.body_len + 2;
	}
	if (taken > bytes->len)
		taken = bytes->len;
	*bytes = span_of(bytes->p + taken, bytes->len - (size_t)taken);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span bytes = span_of((const char *)data, size);

	while (bytes.len > 0 && take(&bytes))
		continue;
	if (bytes.len > 0)
		MUST(!request_may_grow(bytes, 4096) || bytes.len <= 4096);
	return 0;
}
