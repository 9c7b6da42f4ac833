/*
 * The 32-bit hashes of libmemcached (libhashkit) and twemproxy, and the few
 * others that its neighbours here share.
 *
 * Those two programs read bytes through plain `char`, which is signed on x86
 * and unsigned on ARM Linux: for bytes >= 0x80 the same release places keys
 * differently there. Functions that depend on it come twice, as x86 has them
 * and, ending in _unsigned, as ARM has them. Keys in ASCII get the same value
 * from both.
 *
 * All are pure, take any length and any bytes, and have their values in
 * tests/vectors/hashes.tsv. Whole rules are in the .c files.
 */
#ifndef RING_HASHES_H
#define RING_HASHES_H

#include <stdint.h>

#include "base/span.h"

/* A hash of bytes in 32 bits. */
typedef uint32_t hashes_fn(struct span bytes);

/* Bob Jenkins' one-at-a-time. */
hashes_fn hashes_one_at_a_time;
hashes_fn hashes_one_at_a_time_unsigned;

/* FNV-1 and FNV-1a in 32 bits. */
hashes_fn hashes_fnv1_32;
hashes_fn hashes_fnv1_32_unsigned;
hashes_fn hashes_fnv1a_32;
hashes_fn hashes_fnv1a_32_unsigned;

/* FNV-1 in 64 bits, of which the low 32 remain. */
hashes_fn hashes_fnv1_64;
hashes_fn hashes_fnv1_64_unsigned;

/*
 * What these programs call fnv1a_64: FNV-1a computed in 32 bits with the low
 * halves of the 64-bit constants. Not the fnv1a_64 of the native ring, which
 * keeps all 64 bits (hash_fnv1a_64_bytes()).
 */
hashes_fn hashes_fnv1a_64;
hashes_fn hashes_fnv1a_64_unsigned;

/* Paul Hsieh's SuperFastHash, started with 0. */
hashes_fn hashes_hsieh;
hashes_fn hashes_hsieh_unsigned;

/* MurmurHash2 and MurmurHash3 x86 32, seeded from the length. */
hashes_fn hashes_murmur;
hashes_fn hashes_murmur3;

/* Bob Jenkins' lookup3 "little", started with 13. */
hashes_fn hashes_jenkins;

/* CRC-32 (IEEE 802.3, reflected): twemproxy's crc32a, mcrouter's Crc32. */
hashes_fn hashes_crc32;

/* Bits 16 to 30 of the CRC-32: libmemcached's crc, twemproxy's crc32. */
hashes_fn hashes_crc32_15bit;

/* twemproxy's crc16: CRC-16/XMODEM in a register of 32 bits, never cut. */
hashes_fn hashes_crc16;

/* MurmurHash3 x86 32 with a seed of the caller's. */
uint32_t hashes_murmur3_seeded(struct span bytes, uint32_t seed);

/* The CRC-32 of what gave `crc` (0: nothing yet) followed by `bytes`. */
uint32_t hashes_crc32_more(uint32_t crc, struct span bytes);

/* xxHash's XXH64 and XXH3 in 64 bits, with a seed. */
uint64_t hashes_xxh64(struct span bytes, uint64_t seed);
uint64_t hashes_xxh3(struct span bytes, uint64_t seed);

#endif
