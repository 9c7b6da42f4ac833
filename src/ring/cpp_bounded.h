/*
 * A ring of numbered nodes with bounded load: BoundedConsistentHashRing of
 * the C++20 design note.
 *
 * Node i's point v is at mix64(i << 32 | v), a key at mix64(key). A pick goes
 * clockwise from the key to the first point whose node carries less than
 * ceil((1 + slack) x (load of all + 1) / nodes), computed in double. The note
 * has no way to give load back; release is ours. Beware: a key below the
 * number of points is node 0's point of that number, so small integers all
 * start at node 0. It is for 64-bit keys that are hashes already.
 *
 * Proven against the note's own class: tests/vectors/cpp-bounded-ring.tsv.
 */
#ifndef RING_CPP_BOUNDED_H
#define RING_CPP_BOUNDED_H

#include <stdint.h>

#include "base/err.h"
#include "base/must.h"
#include "ring/placement.h"

struct cpp_bounded;	/* worker-local */

struct cpp_bounded_spec {
	uint32_t	nodes;
	uint32_t	points;		/* a node */
	double		slack;		/* >= 0: 0.25 is a quarter above even */
};

/*
 * A ring without load, or NULL with the kind of failure in `error_r` and its
 * words in `err`. The caller owns it.
 */
struct cpp_bounded *cpp_bounded_new(const struct cpp_bounded_spec *spec,
    enum placement_error *error_r, struct err *err) MUST_CHECK;

void cpp_bounded_free(struct cpp_bounded **ring);

/* Picks a node for `key` and adds one to its load. Never allocates. */
uint32_t cpp_bounded_acquire(struct cpp_bounded *ring, uint64_t key);

/* Takes one from the load of a node that has some. */
void cpp_bounded_release(struct cpp_bounded *ring, uint32_t node);

/* What a node carries. */
uint64_t cpp_bounded_load(const struct cpp_bounded *ring, uint32_t node);

/* What a node may carry as of the next pick. */
uint64_t cpp_bounded_capacity(const struct cpp_bounded *ring);

#endif
