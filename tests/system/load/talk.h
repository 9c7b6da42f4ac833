/*
 * One connection of the load: it sends random requests, keeps a bounded
 * number of them outstanding, and checks every byte that comes back against
 * what the oldest one may be answered with.
 */
#ifndef LOAD_TALK_H
#define LOAD_TALK_H

#include <stdbool.h>
#include <stdint.h>

#define TALK_DEPTH_MAX 64	/* requests outstanding */

/* What all connections count together. */
struct tally {
	uint64_t	requests;	/* answered, or noreply sent */
	uint64_t	hits;
	uint64_t	misses;
	uint64_t	stored;
	uint64_t	errors;		/* error lines, replies out of place */
	uint64_t	wrong;		/* values that are not their key's */
	uint64_t	closed;		/* connections lost */
	char		first[256];	/* the first thing wrong, in words */
};

struct talk;

/* A talk over `fd` about keys 0..nkeys-1, or NULL. Takes `fd` on success. */
struct talk *talk_new(int fd, uint32_t nkeys, unsigned depth, uint64_t seed,
    struct tally *tally);

void talk_free(struct talk **talk);

int talk_fd(const struct talk *talk);

/* Makes requests up to the depth, as long as `limit` of them are wanted. */
void talk_ask(struct talk *talk, uint64_t *asked, uint64_t limit);

/* Sends what it can; false: the connection is lost. */
bool talk_write(struct talk *talk);

/* Reads and checks what has come; false: lost, or no longer in step. */
bool talk_read(struct talk *talk);

bool talk_wants_write(const struct talk *talk);

/* Whether every request has its answer. */
bool talk_is_idle(const struct talk *talk);

#endif
