/*
 * The scores of the native rendezvous rules, shared with their bounded form.
 * The rules themselves are told in rendezvous.c.
 */
#ifndef RING_RENDEZVOUS_H
#define RING_RENDEZVOUS_H

#include <stdint.h>

#include "base/span.h"
#include "ring/rendezvous_order.h"

/* The hash of `key` before any server's name is added to it. */
uint64_t rendezvous_key_state(struct span key);

/* How a server called `name` scores for the key: larger is better. */
uint64_t rendezvous_hash(uint64_t key_state, struct span name);

/* The same, so that the best of many wins in proportion to its weight > 0. */
struct rendezvous_rank rendezvous_weighted_rank(uint64_t hash, double weight);

#endif
