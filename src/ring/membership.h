/*
 * The membership hash: one number for all that decides where a pool's keys
 * go, so that operators can see whether many proxies agree.
 *
 * It is the first 64 bits, as a big-endian number, of the SHA-256 of this
 * text, each line ended by LF:
 *
 *	fairlead membership 1
 *	placement=ring			the rule's name
 *	hash=fnv1a_64			its options, in this order, each only
 *	points_per_weight=128		if it is set; for `ring` these two
 *	hash_tag={}			always, with their defaults
 *	hash_key=00...			hexadecimal digits
 *	hash_seed=...
 *	hash_stop=...
 *	hash_avalanche=true
 *	unsigned_chars=true
 *	ring_size_min=1024
 *	ring_size_max=8388608
 *	server=cache-a			for each server, in order: its name,
 *	weight=1.000000			its weight, and if the rule looks at
 *	address=10.0.0.1:11211		addresses, that, and whether the name
 *	named=true			is one of its own
 *
 * Neither addresses (where the rule ignores them) nor max_points, time-outs
 * or anything else of a pool are in it. A SHA-256, since a secret may be. The
 * text is part of the interface: it stays as it is, and tests/unit/ring
 * holds it.
 */
#ifndef RING_MEMBERSHIP_H
#define RING_MEMBERSHIP_H

#include <stdint.h>

#include "ring/placement.h"

/* The hash of what `placement` was built from. Never allocates. */
uint64_t membership_hash(const struct placement *placement);

/* One pool's, to be combined with others. */
struct membership {
	struct span	pool;
	uint64_t	hash;
};

/*
 * The hash of many pools, in whatever order they come: the same construction
 * over "fairlead memberships 1" and a line "NAME=HASH", the hash as 16
 * hexadecimal digits, for each pool by rising name. Sorts `pools`.
 */
uint64_t membership_hash_all(struct membership *pools, size_t n);

#endif
