/*
 * The order of servers by score.
 *
 * A walk must not allocate, however many servers there are, so it does not
 * sort: one pass over all servers collects the best few that come after the
 * last one visited, and the next pass goes on from there. Most walks end
 * within the first few.
 */
#include "ring/rendezvous_order.h"

#include <stddef.h>
#include <string.h>

#include "base/must.h"

/* Servers that one pass of a walk brings. */
#define PASS_MAX 16

struct entry {
	struct rendezvous_rank	rank;
	uint32_t		server;
};

uint64_t
rendezvous_score(double number)
{
	uint64_t bits;

	MUST(number >= 0);
	number += 0.0;	/* -0 becomes 0 */
	/* The bits of doubles >= 0, read as an integer, rise with them. */
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static struct entry
enter(const struct rendezvous_contest *contest, uint32_t server)
{
	return (struct entry){contest->rank(contest->arg, server), server};
}

static bool
beats(const struct entry *a, const struct entry *b)
{
	if (a->rank.score != b->rank.score)
		return a->rank.score > b->rank.score;
	if (a->rank.tie != b->rank.tie)
		return a->rank.tie > b->rank.tie;
	return a->server < b->server;
}

uint32_t
rendezvous_winner(const struct rendezvous_contest *contest)
{
	struct entry best = enter(contest, 0);

	for (uint32_t server = 1; server < contest->n; server++) {
		struct entry entry = enter(contest, server);

		if (beats(&entry, &best))
			best = entry;
	}
	return best.server;
}

/* Puts `entry` in its place among the `n` best, of which PASS_MAX stay. */
static size_t
insert(struct entry *best, size_t n, const struct entry *entry)
{
	size_t i = n < PASS_MAX ? n : PASS_MAX - 1;

	if (n == PASS_MAX && !beats(entry, &best[i]))
		return n;
	for (; i > 0 && beats(entry, &best[i - 1]); i--)
		best[i] = best[i - 1];
	best[i] = *entry;
	return n < PASS_MAX ? n + 1 : n;
}

/* The best that come after `last`, or of all if it is NULL; their number. */
static size_t
collect(const struct rendezvous_contest *contest, const struct entry *last,
    struct entry best_r[PASS_MAX])
{
	size_t n = 0;

	for (uint32_t server = 0; server < contest->n; server++) {
		struct entry entry = enter(contest, server);

		if (last == NULL || beats(last, &entry))
			n = insert(best_r, n, &entry);
	}
	return n;
}

void
rendezvous_walk(const struct rendezvous_contest *contest,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	struct entry best[PASS_MAX], last;
	size_t n = collect(contest, NULL, best);

	while (n > 0) {
		for (size_t i = 0; i < n; i++) {
			if (visit(arg, best[i].server))
				return;
		}
		last = best[n - 1];
		n = n < PASS_MAX ? 0 : collect(contest, &last, best);
	}
}
