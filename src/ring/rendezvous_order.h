/*
 * The order of servers under rendezvous hashing: each server is scored for
 * the key, the best one owns it, the next best would take over.
 *
 * What a score is made of is the rule's business. Nothing here allocates.
 */
#ifndef RING_RENDEZVOUS_ORDER_H
#define RING_RENDEZVOUS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Larger score first, then larger tie, then the earlier server. */
struct rendezvous_rank {
	uint64_t	score;
	uint64_t	tie;
};

/* One key's contest. Lives on the stack of a look-up. */
struct rendezvous_contest {
	uint32_t	 n;		/* servers, at least one */
	/* The rank of one server; `arg` holds the rule's state and the key. */
	struct rendezvous_rank (*rank)(const void *arg, uint32_t server);
	const void	*arg;
};

/*
 * A score out of a number: keeps the order of doubles >= 0 (both zeros are
 * equal). Infinity is the largest.
 */
uint64_t rendezvous_score(double number);

/* The server that wins. */
uint32_t rendezvous_winner(const struct rendezvous_contest *contest);

/*
 * Calls `visit` with each server once, the winner first, until it returns
 * true.
 */
void rendezvous_walk(const struct rendezvous_contest *contest,
    bool (*visit)(void *arg, uint32_t server), void *arg);

#endif
