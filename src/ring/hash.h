/*
 * Hashes of bytes, by the name a configuration uses, and the two building
 * blocks of the native placements: FNV-1a in 64 bits and its finisher.
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

/*
 * The hashes: enum member, the name a configuration uses. Which function a
 * name stands for is the placement's matter: each knows its own program's
 * names, and fnv1a_64 under twemproxy-ketama is not the native ring's.
 */
#define HASH_KINDS(X)                                                          \
	X(FNV1A_64, "fnv1a_64")                                                \
	X(XXH3, "xxh3")                                                        \
	X(SIPHASH, "siphash")                                                  \
	X(ONE_AT_A_TIME, "one_at_a_time")                                      \
	X(MD5, "md5")                                                          \
	X(CRC, "crc")                                                          \
	X(CRC16, "crc16")                                                      \
	X(CRC32, "crc32")                                                      \
	X(CRC32A, "crc32a")                                                    \
	X(FNV1_32, "fnv1_32")                                                  \
	X(FNV1A_32, "fnv1a_32")                                                \
	X(FNV1_64, "fnv1_64")                                                  \
	X(HSIEH, "hsieh")                                                      \
	X(MURMUR, "murmur")                                                    \
	X(MURMUR3, "murmur3")                                                  \
	X(JENKINS, "jenkins")                                                  \
	X(SDBM, "sdbm")                                                        \
	X(DJB2, "djb2")                                                        \
	X(WT6, "wt6")                                                          \
	X(XXH64, "xxh64")                                                      \
	X(MURMUR64A, "murmur64a")

enum hash_kind {
	HASH_DEFAULT,		/* whatever the placement's rule says */
#define X(member, name) HASH_##member,
	HASH_KINDS(X)
#undef X
};

/* How many kinds there are, HASH_DEFAULT among them. */
#define HASH_COUNT_ONE(member, name) +1
enum { HASH_KIND_COUNT = 1 HASH_KINDS(HASH_COUNT_ONE) };

/* The hash called `name`; false if there is none. */
bool hash_kind_by_name(struct span name, enum hash_kind *kind_r) MUST_CHECK;

/* Its name in a configuration; "default" for HASH_DEFAULT. */
const char *hash_kind_name(enum hash_kind kind);

/* An FNV-1a in 64 bits starts here, ... */
#define HASH_FNV1A_64_BASIS UINT64_C(0xcbf29ce484222325)

/* ... takes one byte, ... */
static inline uint64_t
hash_fnv1a_64_byte(uint64_t h, uint8_t byte)
{
	return (h ^ byte) * UINT64_C(0x100000001b3);
}

/* ... or many. */
static inline uint64_t
hash_fnv1a_64_bytes(uint64_t h, struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		h = hash_fnv1a_64_byte(h, (uint8_t)s.p[i]);
	return h;
}

/*
 * The avalanche that finishes a hash of the native placements: a bijection
 * (David Stafford's Mix13, known from SplitMix64) in which every input bit
 * changes every output bit with a probability near one half.
 */
static inline uint64_t
hash_mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

#endif
