/*
 * Replies: one line from a server -> what it says.
 *
 * Pure, and copies nothing. A line is judged against the request it must
 * answer: a word that cannot answer it means that the server is out of step.
 */
#ifndef PROTO_REPLY_H
#define PROTO_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"
#include "proto/verb.h"

/* The longest line that a server may send: a key, numbers, meta flags. */
#define REPLY_LINE_MAX 2048

/* Member, first word on the wire. They are tried in this order. */
#define REPLY_WORDS(X)                                                         \
	X(VALUE, "VALUE")                                                      \
	X(END, "END")                                                          \
	X(HD, "HD")                                                            \
	X(VA, "VA")                                                            \
	X(EN, "EN")                                                            \
	X(STORED, "STORED")                                                    \
	X(NOT_STORED, "NOT_STORED")                                            \
	X(EXISTS, "EXISTS")                                                    \
	X(NOT_FOUND, "NOT_FOUND")                                              \
	X(DELETED, "DELETED")                                                  \
	X(TOUCHED, "TOUCHED")                                                  \
	X(OK, "OK")                                                            \
	X(NF, "NF")                                                            \
	X(NS, "NS")                                                            \
	X(EX, "EX")                                                            \
	X(MN, "MN")                                                            \
	X(ME, "ME")                                                            \
	X(VERSION, "VERSION")                                                  \
	X(ERROR, "ERROR")                                                      \
	X(CLIENT_ERROR, "CLIENT_ERROR")                                        \
	X(SERVER_ERROR, "SERVER_ERROR")

enum reply_word {
#define X(member, name) REPLY_##member,
	REPLY_WORDS(X)
#undef X
	REPLY_NUMBER,		/* incr, decr */
};

struct reply {
	enum reply_word	word;
	struct span	key;		/* VALUE */
	uint64_t	body_len;	/* VALUE, VA: bytes before CR LF */
	size_t		line_len;	/* the reader's; not the parser's */
};

/*
 * Reads `line` (without its end) as a reply to a request with `verb`. False:
 * it cannot be one.
 */
bool reply_parse(struct span line, enum verb verb, struct reply *reply_r)
    MUST_CHECK;

/* Whether the word is one of those that answer meta commands alone. */
static inline bool
reply_is_meta(enum reply_word word)
{
	const uint32_t meta = 1u << REPLY_HD | 1u << REPLY_VA |
	    1u << REPLY_EN | 1u << REPLY_NF | 1u << REPLY_NS |
	    1u << REPLY_EX | 1u << REPLY_ME;

	return (meta >> word & 1) != 0;
}

/*
 * Whether a meta reply (`line`, which reply_parse() took for one with `word`)
 * can be that to a request of the key and the flags `asked`: a key and an
 * opaque that it repeats are those of the request, and a value comes only
 * where one was wanted. Keys may be written in base64 on either side.
 */
bool reply_fits_meta(struct span line, enum reply_word word,
    struct span asked) MUST_CHECK;

/*
 * The LF that ends the reply line at the start of `bytes`, or NULL if it is
 * not there yet. `asked` is as above, with the flag b: the line may repeat a
 * key that was base64 as plain bytes, line ends and all, as memcached does.
 */
const char *reply_line_end(struct span bytes, struct span asked) MUST_CHECK;

/* Whether the word announces a body of `body_len` bytes and CR LF. */
static inline bool
reply_has_body(enum reply_word word)
{
	return word == REPLY_VALUE || word == REPLY_VA;
}

/* Whether the word is one of the three that report an error. */
static inline bool
reply_is_error(enum reply_word word)
{
	return word == REPLY_ERROR || word == REPLY_CLIENT_ERROR ||
	    word == REPLY_SERVER_ERROR;
}

#endif
