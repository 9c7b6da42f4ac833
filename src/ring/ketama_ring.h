/*
 * A finished ketama ring: a continuum and the hash that takes keys to it.
 * Its functions are what several rules put into their tables.
 */
#ifndef RING_KETAMA_RING_H
#define RING_KETAMA_RING_H

#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "ring/continuum32.h"
#include "ring/hashes.h"
#include "ring/ketama_members.h"
#include "ring/rule.h"

struct ketama_ring;	/* immutable after build */

/*
 * The ring that `members` were made into, with keys hashed by `hash`. Takes
 * `continuum`, also when it fails; NULL there is a failure that was reported
 * and is passed on. NULL with the error set: no memory.
 */
struct ketama_ring *ketama_ring_new(const struct ketama_members *members,
    struct continuum32 *continuum, hashes_fn *hash) MUST_CHECK;

/* The members of struct placement_rule; `state` is a struct ketama_ring. */
uint32_t ketama_ring_owner(const void *state, struct span key);
void ketama_ring_walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg);
bool ketama_ring_arc(const void *state, size_t i,
    struct placement_arc *arc_r);
uint64_t ketama_ring_points(const void *state, uint32_t server);
size_t ketama_ring_bytes(const void *state);
void ketama_ring_free(void *state);

#endif
