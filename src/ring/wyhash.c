/*
 * Wyhash: 64 x 64 bit products folded onto themselves.
 *
 * Up to 16 bytes are read as two words that may overlap. Longer input is
 * folded in 16 bytes at a time, the bulk of it in three lanes of 48; the last
 * 16 bytes are then read again as the two words of the end.
 */
#include "ring/wyhash.h"

#include "ring/load_le.h"

static const uint64_t secret[4] = {
    UINT64_C(0xa0761d6478bd642f),
    UINT64_C(0xe7037ed1a0b428db),
    UINT64_C(0x8ebc6af09c88c6e3),
    UINT64_C(0x589965cc75374cc3),
};

/* The two halves of the 128-bit product, folded. */
static inline uint64_t
fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Up to 16 bytes as two words. */
static void
read_short(const char *p, size_t len, uint64_t *a_r, uint64_t *b_r)
{
	const unsigned char *u = (const unsigned char *)p;

	*a_r = 0;
	*b_r = 0;
	if (len >= 4) {
		size_t middle = (len >> 3) << 2;

		*a_r = (uint64_t)load_le32(p) << 32 | load_le32(p + middle);
		*b_r = (uint64_t)load_le32(p + len - 4) << 32 |
		    load_le32(p + len - 4 - middle);
	} else if (len > 0) {
		*a_r = (uint64_t)u[0] << 16 | (uint64_t)u[len >> 1] << 8 |
		    u[len - 1];
	}
}

/* Folds in all of more than 16 bytes but the end; the state. */
static uint64_t
absorb(const char *p, size_t len, uint64_t state)
{
	const char *end = p + len;

	if (len >= 48) {
		uint64_t lane1 = state, lane2 = state;

		while (end - p > 48) {
			state = fold(load_le64(p) ^ secret[1],
			    load_le64(p + 8) ^ state);
			lane1 = fold(load_le64(p + 16) ^ secret[2],
			    load_le64(p + 24) ^ lane1);
			lane2 = fold(load_le64(p + 32) ^ secret[3],
			    load_le64(p + 40) ^ lane2);
			p += 48;
		}
		state ^= lane1 ^ lane2;
	}
	while (end - p > 16) {
		state = fold(load_le64(p) ^ secret[1],
		    load_le64(p + 8) ^ state);
		p += 16;
	}
	return state;
}

uint64_t
wyhash(struct span bytes, uint64_t seed)
{
	uint64_t state = seed ^ fold(seed ^ secret[0], secret[1]);
	uint64_t a, b;
	unsigned __int128 product;

	if (bytes.len <= 16) {
		read_short(bytes.p, bytes.len, &a, &b);
	} else {
		state = absorb(bytes.p, bytes.len, state);
		a = load_le64(bytes.p + bytes.len - 16);
		b = load_le64(bytes.p + bytes.len - 8);
	}
	product = (unsigned __int128)(a ^ secret[1]) * (b ^ state);
	return fold((uint64_t)product ^ secret[0] ^ bytes.len,
	    (uint64_t)(product >> 64) ^ secret[1]);
}
