/*
 * How much of the hash space each server of a placement owns: exactly where
 * the rule has a circle, from made-up keys where it has none. For the control
 * plane: it goes through the whole ring.
 */
#ifndef RING_RING_SHARES_H
#define RING_RING_SHARES_H

#include "ring/placement.h"
#include "ring/ring_update.h"

/*
 * The part of the circle that each server owns, into one extent a server.
 * False, and nothing written, if the rule has no circle, or if keys reach
 * only a part of it (hashes of 15 bits).
 */
bool ring_shares_exact(const struct placement *placement,
    struct ring_extent *shares_r) MUST_CHECK;

/*
 * How many of `nkeys` made-up keys each server owns, into one count a server.
 * The standard error of a share s is sqrt(s (1 - s) / nkeys).
 */
void ring_shares_sampled(const struct placement *placement, uint32_t nkeys,
    uint64_t *counts_r);

/* Bytes of a made-up key. */
#define RING_SAMPLE_KEY_MAX 24

/* The i-th made-up key, written to `buf`; all differ, and have no pattern. */
struct span ring_sample_key(uint32_t i, char buf[RING_SAMPLE_KEY_MAX]);

/*
 * Whether the rule's arcs tell where keys go: it has some, and a key may fall
 * into any of them.
 */
bool ring_has_circle(const struct placement *placement);

#endif
