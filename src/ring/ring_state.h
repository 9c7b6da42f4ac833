/*
 * The placement in force, and its replacement in two steps that leave it
 * alone until nothing can fail any more:
 *
 *	stage	builds and compares a candidate; may fail, changes nothing
 *	commit	puts the candidate in force; cannot fail
 *
 * One thread. Readers on other threads need their own way to share what is
 * current (the daemon's routing tables are that, and use
 * placement_is_of(), placement_build() and ring_update_between() directly).
 */
#ifndef RING_RING_STATE_H
#define RING_RING_STATE_H

#include "ring/placement.h"
#include "ring/ring_update.h"

struct ring_state;

enum ring_stage {
	RING_STAGE_READY,	/* a candidate waits for commit */
	RING_STAGE_UNCHANGED,	/* the identity is the one in force: no-op */
	RING_STAGE_FAILED,	/* the one in force stays; see the error */
};

/* Nothing in force, generation 0; NULL without memory. */
struct ring_state *ring_state_new(void) MUST_CHECK;

void ring_state_free(struct ring_state **state);

/*
 * Builds a candidate from what is lent for the call, in place of one that was
 * staged before. The failure's kind goes to `error_r`, its words to `err`.
 */
enum ring_stage ring_state_stage(struct ring_state *state,
    const struct placement_spec *spec, const struct placement_server *servers,
    size_t n, enum placement_error *error_r, struct err *err) MUST_CHECK;

/*
 * Puts the candidate, which there must be, in force, and frees the one it
 * replaces. What changed is lent until the next commit.
 */
const struct ring_update *ring_state_commit(struct ring_state *state);

/* Drops the candidate, if there is one. */
void ring_state_discard(struct ring_state *state);

/* The placement in force, lent until the next commit; NULL before the first. */
const struct placement *ring_state_current(const struct ring_state *state);

/* Number of commits so far. */
uint64_t ring_state_generation(const struct ring_state *state);

#endif
