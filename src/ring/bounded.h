/*
 * Bounded load: a pick that follows a placement's order of servers but passes
 * those that have their share of what is in flight already.
 *
 * While `load` requests are in flight in all, a server takes another one only
 * below its capacity of
 *
 *	ceil((1 + slack) x (load + 1) x its share of the weights)
 *
 * computed exactly, so that the bound holds at every load up to 2^64.
 * The capacities of all servers together are more than what is in flight: one
 * of them always has room.
 *
 * Mirrokni, Thorup and Zadimoghaddam, "Consistent Hashing with Bounded
 * Loads", 2016. Worker-local.
 */
#ifndef RING_BOUNDED_H
#define RING_BOUNDED_H

#include "ring/placement.h"

struct bounded;

/* A slack of 1 (twice the fair share), in the unit of bounded_new(). */
#define BOUNDED_SLACK_ONE 1000000

/*
 * Picks among the servers of `placement`, which is lent and outlives this,
 * with nothing in flight. `slack` is in millionths: 250000 lets a server have
 * a quarter more than its share. Shares are exact for whole weights; of
 * others, millionths count. NULL without memory.
 */
struct bounded *bounded_new(const struct placement *placement,
    uint32_t slack) MUST_CHECK;

void bounded_free(struct bounded **bounded);

/*
 * The first server in the order of placement_owners() below its capacity; one
 * more request is in flight there. Never allocates.
 */
uint32_t bounded_acquire(struct bounded *bounded, struct span key);

/* One request fewer is in flight at `server`, where there was one. */
void bounded_release(struct bounded *bounded, uint32_t server);

/* Requests in flight at `server`, and at all. */
uint64_t bounded_load(const struct bounded *bounded, uint32_t server);
uint64_t bounded_total(const struct bounded *bounded);

/* Up to how many the next acquire may bring `server`. */
uint64_t bounded_capacity(const struct bounded *bounded, uint32_t server);

#endif
