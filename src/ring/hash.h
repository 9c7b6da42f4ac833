/*
 * Hashes of bytes, by the name a configuration uses.
 *
 * Bytes are unsigned unless a name says otherwise. Every function here is
 * pure; tests/vectors/hashes.tsv has values for each.
 */
#ifndef RING_HASH_H
#define RING_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"

#define HASH_KINDS(X)                                                          \
	X(FNV1A_64, "fnv1a_64")                                                \
	X(XXH3, "xxh3")                                                        \
	X(SIPHASH, "siphash")

enum hash_kind {
	HASH_DEFAULT,		/* whatever the placement's rule says */
#define X(member, name) HASH_##member,
	HASH_KINDS(X)
#undef X
};

/* The hash called `name`; false if there is none. */
bool hash_kind_by_name(struct span name, enum hash_kind *kind_r) MUST_CHECK;

const char *hash_kind_name(enum hash_kind kind);

#endif
