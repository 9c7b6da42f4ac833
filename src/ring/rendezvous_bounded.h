/*
 * Weighted rendezvous with bounded load: Poise's BoundedLoadRendezvous.
 *
 * Each pick takes, of the servers that are below their bound, the best one by
 * the score of weighted-rendezvous. The bound of a server of weight w, of W in
 * all, under a factor of F percent, is ceil((load of all + 1) x w x F / (100 x
 * W)), in integers; with F >= 100 there is always one below it, and none is
 * ever brought above it by a pick. Unlike a placement this has a state: it is
 * for one thread, and what it answers depends on what was picked before.
 *
 * Proven against poise-core: tests/vectors/poise.tsv, columns bounded*.
 */
#ifndef RING_RENDEZVOUS_BOUNDED_H
#define RING_RENDEZVOUS_BOUNDED_H

#include <stdint.h>

#include "base/must.h"
#include "base/span.h"
#include "ring/rule_check.h"

struct rendezvous_bounded;	/* worker-local */

/*
 * No load on any of the build's servers, whose weights are whole; NULL with
 * the error set. `factor` is in percent, from 100 to 1,000,000. The servers
 * are lent and outlive it. The caller owns it.
 */
struct rendezvous_bounded *rendezvous_bounded_new(
    const struct rule_build *build, uint32_t factor) MUST_CHECK;

void rendezvous_bounded_free(struct rendezvous_bounded **bounded);

/* Picks a server for `key` and adds one to its load. Never allocates. */
uint32_t rendezvous_bounded_acquire(struct rendezvous_bounded *bounded,
    struct span key);

/* Takes one from the load of a server that has some. */
void rendezvous_bounded_release(struct rendezvous_bounded *bounded,
    uint32_t server);

/* What a server carries, and what it may carry as of the next pick. */
uint64_t rendezvous_bounded_load(const struct rendezvous_bounded *bounded,
    uint32_t server);
uint64_t rendezvous_bounded_bound(const struct rendezvous_bounded *bounded,
    uint32_t server);

#endif
