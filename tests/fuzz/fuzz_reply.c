/*
 * The reply parser: any line from a server, in answer to any command.
 *
 * The first byte chooses the command. What is taken must be a word that may
 * answer it, with its numbers within bounds.
 */
#include <stdint.h>
#include <string.h>

#include "base/must.h"
#include "proto/reply.h"
#include "proto/request.h"

static const enum verb verbs[] = {
	VERB_GET, VERB_GETS, VERB_GAT, VERB_GATS, VERB_SET, VERB_ADD,
	VERB_REPLACE, VERB_APPEND, VERB_PREPEND, VERB_CAS, VERB_DELETE,
	VERB_INCR, VERB_DECR, VERB_TOUCH, VERB_MG, VERB_MS, VERB_MD, VERB_MA,
	VERB_ME, VERB_VERSION, VERB_FLUSH_ALL,
};

static bool
has_values(enum verb verb)
{
	enum verb_shape shape = verb_shape(verb);

	return shape == VERB_SHAPE_GET || shape == VERB_SHAPE_GAT;
}

static void
check_taken(const struct reply *reply, enum verb verb, struct span line)
{
	MUST(line.len > 0 && line.p[0] != ' ');
	if (reply->word == REPLY_VALUE) {
		MUST(has_values(verb));
		MUST(reply->key.len >= 1 && reply->key.len <= REQUEST_KEY_MAX);
		MUST(reply->key.p > line.p &&
		    reply->key.p + reply->key.len < line.p + line.len);
	} else {
		MUST(reply->key.len == 0);
	}
	if (reply->word == REPLY_VA)
		MUST(verb == VERB_MG || verb == VERB_MA);
	if (reply->word == REPLY_NUMBER)
		MUST(verb == VERB_INCR || verb == VERB_DECR);
	if (reply->word == REPLY_END)
		MUST(has_values(verb) && line.len == 3);
	MUST(reply->body_len <= REQUEST_BODY_MAX);
	MUST(reply_has_body(reply->word) || reply->body_len == 0);
	if (reply_is_meta(reply->word) && reply_fits_meta(line, reply->word,
	    span_str("Zm9v b k O1")))
		MUST(reply->word != REPLY_VA);
}

/* The key is "a", CR, LF, "EN": a line may seem to end within it. */
static void
check_line_end(struct span bytes)
{
	const char *end = reply_line_end(bytes, span_str("YQ0KRU4= b k O1"));

	MUST(end == NULL || (end >= bytes.p && end < bytes.p + bytes.len &&
	    *end == '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline;
	struct reply reply;
	struct span line;
	enum verb verb;

	if (size == 0)
		return 0;
	check_line_end(span_of((const char *)data + 1, size - 1));
	verb = verbs[data[0] % (sizeof(verbs) / sizeof(verbs[0]))];
	newline = size == 1 ? NULL : memchr(data + 1, '\n', size - 1);
	line = span_of((const char *)data + 1,
	    newline == NULL ? size - 1 : (size_t)(newline - data - 1));
	if (reply_parse(line, verb, &reply))
		check_taken(&reply, verb, line);
	return 0;
}
