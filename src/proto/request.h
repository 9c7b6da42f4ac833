/*
 * Requests: bytes from a client -> one view of a command.
 *
 * The grammar is memcached 1.6.40's and later, as docs/protocol.md has it.
 * The parser is pure and copies nothing: its spans point into the bytes it
 * was given. It answers the same whether it sees a command at once or grow
 * byte by byte.
 */
#ifndef PROTO_REQUEST_H
#define PROTO_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/scan.h"
#include "base/span.h"
#include "proto/verb.h"

#define REQUEST_KEY_MAX 250

/* A line other than get, gets, gat or gats must end within this. */
#define REQUEST_LINE_MAX 2048

/* Tokens that a meta command may have. */
#define REQUEST_META_TOKENS_MAX 20

/*
 * Of ms fewer: memcached 1.6.18 takes 19, one of which is kept for the T that
 * a gutter's line may get, and it runs the value of a line that has more as
 * commands. ms has no more than 15 flags.
 */
#define REQUEST_META_SET_TOKENS_MAX 18

/*
 * Bytes of their flags. More would make a line that servers hang up on when
 * it reaches them in two pieces.
 */
#define REQUEST_META_FLAGS_MAX 1600

/* Bytes of a value that can be announced at all. */
#define REQUEST_BODY_MAX 2147483645

enum request_result {
	REQUEST_OK,		/* a command to carry out */
	REQUEST_MORE,		/* the line has no end yet */
	REQUEST_REFUSED,	/* a bad line: `error` is the answer */
	REQUEST_CLOSE,		/* not our protocol: hang up, say nothing */
};

/* One command. Spans are lent by the bytes parsed. */
struct request {
	enum verb	 verb;
	size_t		 line_len;	/* with the line's end */
	struct span	 args;		/* after the verb, without the end */
	struct span	 key;		/* the first or only key, as written */
	struct span	 keys;		/* GET, GAT: from the first key on */
	uint32_t	 nkeys;
	bool		 has_body;	/* `body_len` and CR LF follow */
	uint64_t	 body_len;
	bool		 is_noreply;
	bool		 is_quiet;	/* meta flag q */
	bool		 is_base64;	/* meta flag b: the key is base64 */
	bool		 has_echo;	/* meta flag k or O: repeat it */
	uint32_t	 client_flags;	/* STORE, CAS */
	int64_t		 exptime;	/* STORE, CAS, GAT, TOUCH */
	uint64_t	 cas_unique;	/* CAS */
	uint64_t	 delta;		/* COUNT */
	struct span	 meta_flags;	/* META*: the flags, as written */
	/* REQUEST_REFUSED only: */
	const char	*error;		/* the line to answer; NULL: none */
	uint64_t	 skip;		/* bytes after the line to swallow */
};

/*
 * Parses the command that starts at `bytes`. Sets what applies in `req_r`,
 * save with REQUEST_MORE. Does not look at a body.
 */
enum request_result request_parse(struct span bytes, struct request *req_r)
    MUST_CHECK;

/*
 * What a connection that begins with this byte speaks, in words, or NULL if
 * it may be the text protocol. Later on the byte means nothing.
 */
const char *request_foreign(char first) MUST_CHECK;

/*
 * Whether an unfinished line may still grow at its present length; `max` is
 * the configured bound of the lines that may be long.
 */
bool request_may_grow(struct span unfinished, size_t max) MUST_CHECK;

/*
 * The next word of `rest` (which it takes it from), skipping blanks; false
 * at the end.
 */
static inline bool
request_next_word(struct span *rest, struct span *word_r)
{
	const char *p = rest->p, *end = rest->p + rest->len, *blank;

	while (p < end && *p == ' ')
		p++;
	if (p == end)
		return false;
	blank = scan_to_blank(p, end);
	*word_r = span_of(p, (size_t)(blank - p));
	*rest = span_of(blank, (size_t)(end - blank));
	return true;
}

/* The first of the flags `rest` with this letter; false: there is none. */
static inline bool
request_find_flag(struct span rest, char letter, struct span *flag_r)
{
	while (request_next_word(&rest, flag_r)) {
		if (flag_r->p[0] == letter)
			return true;
	}
	return false;
}

/* Bytes that request_decode_key() may write. */
#define REQUEST_DECODED_KEY_MAX 189

/*
 * The bytes of a base64 key, at most REQUEST_DECODED_KEY_MAX, which is what
 * 250 letters hold; 0 if it is not base64.
 */
size_t request_decode_key(struct span key, char *out) MUST_CHECK;

#endif
