/*
 * One connection of the load: it asks, keeps what it asked in order, and
 * checks every byte of the replies against that.
 */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "histogram.h"
#include "keys.h"

#define SESSION_DEPTH_MAX 1024
#define SESSION_KEYS_MAX  1000

/* What requests there are, in hundredths; the rest are gets. */
struct mix {
	unsigned	set_percent;
	unsigned	get_keys;	/* of one get */
	bool		is_meta;	/* mg and ms in place of get and set */
};

/* What all sessions count together. */
struct result {
	uint64_t		answered;	/* all requests */
	uint64_t		requests;	/* while measuring */
	uint64_t		values;		/* right ones */
	uint64_t		misses;
	uint64_t		errors;		/* error lines */
	uint64_t		wrong;		/* anything that cannot be */
	uint64_t		lost;		/* connections */
	uint64_t		bytes;		/* read and written */
	struct histogram	latency;	/* from the intended time */
	bool			is_measuring;
	char			first[200];	/* what went wrong first */
};

struct session;

/* Over a connected `fd`, which it takes on success; NULL without memory. */
struct session *session_new(int fd, struct keys *keys, const struct mix *mix,
    struct result *result) MUST_CHECK;

void session_free(struct session **session);

int session_fd(const struct session *session);

/* Requests outstanding. */
unsigned session_depth(const struct session *session);

/* Asks one thing by the mix, which was to be asked at `intended_ns`. */
void session_ask(struct session *session, uint64_t intended_ns);

/* Stores the value of `key`. */
void session_store(struct session *session, uint32_t key,
    uint64_t intended_ns);

/* Whether there is room for one more request. */
bool session_has_room(const struct session *session);

/* Sends what it can. False: the connection is lost. */
bool session_write(struct session *session) MUST_CHECK;

bool session_wants_write(const struct session *session);

/* Reads and checks what is there. False: lost, or no longer in step. */
bool session_read(struct session *session, uint64_t now_ns) MUST_CHECK;

#endif
