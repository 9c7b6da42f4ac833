/*
 * The hashes that take one byte after the other: one-at-a-time, the FNVs and
 * the CRCs.
 *
 * Each step that depends on the sign of `char` is written once, over a byte
 * already widened, and stamped out for both signs.
 */
#include "ring/hashes.h"

#include <stdbool.h>

/* A byte as C widens it through a signed, or an unsigned, char. */
static inline uint32_t
widen(char byte, bool is_signed)
{
	return is_signed ? (uint32_t)(int32_t)(signed char)byte
			 : (unsigned char)byte;
}

static inline uint32_t
one_at_a_time(struct span bytes, bool is_signed)
{
	uint32_t h = 0;

	for (size_t i = 0; i < bytes.len; i++) {
		h += widen(bytes.p[i], is_signed);
		h += h << 10;
		h ^= h >> 6;
	}
	h += h << 3;
	h ^= h >> 11;
	return h + (h << 15);
}

uint32_t
hashes_one_at_a_time(struct span bytes)
{
	return one_at_a_time(bytes, true);
}

uint32_t
hashes_one_at_a_time_unsigned(struct span bytes)
{
	return one_at_a_time(bytes, false);
}

#define FNV_32_BASIS 2166136261u
#define FNV_32_PRIME 16777619u
#define FNV_64_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_64_PRIME UINT64_C(0x100000001b3)

static inline uint32_t
fnv1_32(struct span bytes, bool is_signed)
{
	uint32_t h = FNV_32_BASIS;

	for (size_t i = 0; i < bytes.len; i++)
		h = h * FNV_32_PRIME ^ widen(bytes.p[i], is_signed);
	return h;
}

uint32_t
hashes_fnv1_32(struct span bytes)
{
	return fnv1_32(bytes, true);
}

uint32_t
hashes_fnv1_32_unsigned(struct span bytes)
{
	return fnv1_32(bytes, false);
}

static inline uint32_t
fnv1a_32(struct span bytes, uint32_t basis, uint32_t prime, bool is_signed)
{
	uint32_t h = basis;

	for (size_t i = 0; i < bytes.len; i++)
		h = (h ^ widen(bytes.p[i], is_signed)) * prime;
	return h;
}

uint32_t
hashes_fnv1a_32(struct span bytes)
{
	return fnv1a_32(bytes, FNV_32_BASIS, FNV_32_PRIME, true);
}

uint32_t
hashes_fnv1a_32_unsigned(struct span bytes)
{
	return fnv1a_32(bytes, FNV_32_BASIS, FNV_32_PRIME, false);
}

uint32_t
hashes_fnv1a_64(struct span bytes)
{
	return fnv1a_32(bytes, (uint32_t)FNV_64_BASIS, (uint32_t)FNV_64_PRIME,
	    true);
}

uint32_t
hashes_fnv1a_64_unsigned(struct span bytes)
{
	return fnv1a_32(bytes, (uint32_t)FNV_64_BASIS, (uint32_t)FNV_64_PRIME,
	    false);
}

/* The sign of a byte reaches all 64 bits, but only 32 of the sum come out. */
static inline uint32_t
fnv1_64(struct span bytes, bool is_signed)
{
	uint64_t h = FNV_64_BASIS;

	for (size_t i = 0; i < bytes.len; i++) {
		uint64_t byte = is_signed ? (uint64_t)(signed char)bytes.p[i]
					  : (unsigned char)bytes.p[i];

		h = h * FNV_64_PRIME ^ byte;
	}
	return (uint32_t)h;
}

uint32_t
hashes_fnv1_64(struct span bytes)
{
	return fnv1_64(bytes, true);
}

uint32_t
hashes_fnv1_64_unsigned(struct span bytes)
{
	return fnv1_64(bytes, false);
}
