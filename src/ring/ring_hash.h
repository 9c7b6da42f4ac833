/*
 * The native ring's three kinds of hash, each in a domain of its own, so that
 * a name, a point of it and a key of the same bytes have nothing in common:
 *
 *	owner:	  mix64(H(02 name FF))
 *	point r:  mix64(H(03 name FF 04 r as 8 little-endian bytes))
 *	key:	  mix64(H(05 key FF))
 *
 * H is FNV-1a in 64 bits, XXH3 in 64 bits, or SipHash-2-4 under the pool's
 * key. Pure; nothing allocates. Nobody outside ring/ includes this.
 */
#ifndef RING_RING_HASH_H
#define RING_RING_HASH_H

#include "ring/hash.h"
#include "ring/placement.h"

struct ring_hash {		/* embedded; immutable */
	enum hash_kind	kind;			/* never HASH_DEFAULT */
	uint8_t		key[PLACEMENT_HASH_KEY_LEN];	/* siphash's */
};

/* False if the ring does not take the hash that `spec` asks for: `err`. */
bool ring_hash_init(struct ring_hash *hash, const struct placement_spec *spec,
    struct err *err) MUST_CHECK;

uint64_t ring_hash_owner(const struct ring_hash *hash, struct span name);

uint64_t ring_hash_key(const struct ring_hash *hash, struct span key);

/* A name's points one after the other, what they share hashed once. */
struct ring_hash_points {
	const struct ring_hash	*hash;		/* lent */
	struct span		 name;		/* lent */
	uint64_t		 fnv;		/* after all but r */
};

void ring_hash_points_init(struct ring_hash_points *points,
    const struct ring_hash *hash, struct span name);

uint64_t ring_hash_point(const struct ring_hash_points *points, uint64_t r);

#endif
