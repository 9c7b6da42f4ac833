/*
 * A witness: a well-behaved client that shares the proxy and its servers with
 * whatever the fuzzer sends, and knows what it may be answered.
 *
 * Its keys cannot be guessed, its values follow from their keys. So whatever
 * others say and whatever servers lie, a value that is not its key's has come
 * from somewhere else.
 */
#ifndef FUZZ_WITNESS_H
#define FUZZ_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "stage.h"

#define WITNESS_ASKED_MAX 256

enum question {
	QUESTION_SET,
	QUESTION_GET,
	QUESTION_GETS_MANY,
	QUESTION_GAT_MANY,
	QUESTION_DELETE,
	QUESTION_TOUCH,
	QUESTION_META_GET,
	QUESTION_META_SET,
	QUESTION_COUNT
};

struct asked {
	enum question	question;
	uint32_t	first;		/* of `n` keys in a row */
	uint32_t	n;
	uint32_t	next;		/* GET: not seen yet */
};

struct witness {
	size_t		 actor;		/* who it is on the stage */
	uint64_t	 nonce;		/* of its keys */
	uint64_t	 random;
	bool		 was_closed;	/* the proxy hung up on it, ever */
	bool		 has_missed;	/* a miss or an error, ever */
	struct asked	 asked[WITNESS_ASKED_MAX];
	size_t		 oldest, nasked;
	struct bytes	 said;		/* all of it */
	struct bytes	 heard;
};

void witness_init(struct witness *witness, size_t actor, uint64_t nonce);

void witness_fini(struct witness *witness);

/* Asks something more, unless too much is unanswered. */
void witness_ask(struct witness *witness, struct stage *stage);

/*
 * Looks at what it was answered. Ends the program if that cannot be an
 * answer of its own.
 */
void witness_check(struct witness *witness, struct stage *stage);

/* Whether every question has its answer. */
bool witness_is_content(const struct witness *witness);

#endif
