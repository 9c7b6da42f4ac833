/*
 * The hashes of mcrouter's routes. Pure; values in tests/vectors/hashes.tsv
 * and mcrouter-*.tsv.
 */
#ifndef RING_MCROUTER_HASH_H
#define RING_MCROUTER_HASH_H

#include <stdint.h>

#include "base/span.h"

/* The seed of furc_hash() and of the tags of a rendezvous route. */
#define MCROUTER_SEED UINT64_C(4193360111)

/* More children than this are outside furc_hash()'s definition. */
#define MCROUTER_FURC_MAX (UINT32_C(1) << 23)

/* MurmurHash64A (Austin Appleby, public domain). */
uint64_t murmur64a(struct span bytes, uint64_t seed);

/*
 * furc_hash, "Ch3": a consistent map of keys to 0 .. m-1; 0 if m <= 1. The
 * walk down a binary tree of powers of two is told in mcrouter_hash.c.
 */
uint32_t mcrouter_furc(struct span key, uint32_t m);

#endif
