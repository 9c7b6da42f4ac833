/*
 * Asking a running daemon, over its admin listener: one request of HTTP, one
 * answer, with an end to the patience. Blocks.
 */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include <stdint.h>

#include "base/endpoint.h"
#include "base/must.h"

/* Bytes of an answer's text that are kept. */
#define ASK_TEXT_MAX 65536

struct ask_answer {
	int	status;			/* of HTTP: 200, 503, ... */
	char	text[ASK_TEXT_MAX];	/* NUL-terminated, lines */
};

/*
 * Asks `method` ("GET", "POST") for `path` at `ep`, which is no host name.
 * False, with words in `err`, if there is no answer within `timeout_ms`.
 */
bool ask(const struct endpoint *ep, const char *method, const char *path,
    uint64_t timeout_ms, struct ask_answer *answer_r, struct err *err)
    MUST_CHECK;

#endif
