/*
 * The inside of a talk, shared by the files that ask, check and transport.
 */
#ifndef LOAD_TALK_STATE_H
#define LOAD_TALK_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "talk.h"
#include "value.h"

#define KEYS_MAX 12

/* The most bytes that one request or one reply's next part may have. */
#define MESSAGE_ROOM (VALUE_MAX_LEN + 512)

#define BUFFER_SIZE (2 * MESSAGE_ROOM)

enum kind {
	KIND_GET,	/* of one or more keys */
	KIND_SET,
	KIND_DELETE,
	KIND_TOUCH,
	KIND_META_GET,
	KIND_META_SET,
	KIND_NOOP,
};

struct request {
	enum kind	kind;
	unsigned	nkeys;
	unsigned	next;		/* GET: the first key not yet seen */
	uint32_t	keys[KEYS_MAX];
};

struct talk {
	int		 fd;
	uint32_t	 nkeys;
	unsigned	 depth;
	uint64_t	 random;
	struct tally	*tally;		/* lent */
	struct request	 ring[TALK_DEPTH_MAX];
	unsigned	 oldest, outstanding;
	size_t		 out_len, out_sent;
	size_t		 in_len;
	char		 out[BUFFER_SIZE];
	char		 in[BUFFER_SIZE];
};

/* Appends one random request to `out`, which has MESSAGE_ROOM. */
void ask_one(struct talk *talk);

/*
 * Checks the whole replies in `in` and takes them out; false: they are not
 * what the requests may be answered with.
 */
bool check_replies(struct talk *talk);

/* Keeps the first thing that went wrong, in words. */
void talk_note(struct talk *talk, const char *what, const char *bytes,
    size_t len);

#endif
