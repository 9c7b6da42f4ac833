/*
 * The hashes that take words: hsieh, the murmurs, jenkins, and xxHash by its
 * library. Words are little-endian whatever the machine.
 */
#include "ring/hashes.h"

#include <stdbool.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ring/load_le.h"

static inline uint32_t
rotate_left(uint32_t x, unsigned bits)
{
	return x << bits | x >> (32 - bits);
}

/*
 * What the last one to three bytes add to SuperFastHash. Only the third byte
 * of three is read through `char`; its sign, shifted up by 18, survives.
 */
static inline uint32_t
hsieh_tail(uint32_t h, const uint8_t *tail, size_t len, bool is_signed)
{
	switch (len) {
	case 3: {
		uint32_t last = is_signed ? (uint32_t)(int32_t)(int8_t)tail[2]
					  : tail[2];

		h += (uint32_t)load_le_tail(tail, 2);
		h ^= h << 16;
		h ^= last << 18;
		return h + (h >> 11);
	}
	case 2:
		h += (uint32_t)load_le_tail(tail, 2);
		h ^= h << 11;
		return h + (h >> 17);
	case 1:
		h += tail[0];
		h ^= h << 10;
		return h + (h >> 1);
	default:
		return h;
	}
}

static inline uint32_t
hsieh(struct span bytes, bool is_signed)
{
	const uint8_t *p = (const uint8_t *)bytes.p;
	uint32_t h = 0;
	size_t left;

	for (left = bytes.len; left >= 4; left -= 4, p += 4) {
		uint32_t word = load_le32(p);

		h += word & 0xffff;
		h = h << 16 ^ word >> 16 << 11 ^ h;
		h += h >> 11;
	}
	h = hsieh_tail(h, p, left, is_signed);
	h ^= h << 3;
	h += h >> 5;
	h ^= h << 4;
	h += h >> 17;
	h ^= h << 25;
	return h + (h >> 6);
}

uint32_t
hashes_hsieh(struct span bytes)
{
	return hsieh(bytes, true);
}

uint32_t
hashes_hsieh_unsigned(struct span bytes)
{
	return hsieh(bytes, false);
}

/* MurmurHash2 (Austin Appleby), with the length in the seed as well. */
uint32_t
hashes_murmur(struct span bytes)
{
	const uint32_t m = 0x5bd1e995;
	uint32_t len = (uint32_t)bytes.len, h = 0xdeadbeef * len ^ len;
	const char *p = bytes.p;
	size_t left;

	for (left = bytes.len; left >= 4; left -= 4, p += 4) {
		uint32_t word = load_le32(p) * m;

		word ^= word >> 24;
		h = h * m ^ word * m;
	}
	if (left > 0)
		h = (h ^ (uint32_t)load_le_tail(p, left)) * m;
	h = (h ^ h >> 13) * m;
	return h ^ h >> 15;
}

/* MurmurHash3_x86_32 (Austin Appleby). */
uint32_t
hashes_murmur3_seeded(struct span bytes, uint32_t seed)
{
	const uint32_t c1 = 0xcc9e2d51, c2 = 0x1b873593;
	const char *p = bytes.p;
	uint32_t h = seed;
	size_t left;

	for (left = bytes.len; left >= 4; left -= 4, p += 4) {
		h ^= rotate_left(load_le32(p) * c1, 15) * c2;
		h = rotate_left(h, 13) * 5 + 0xe6546b64;
	}
	if (left > 0)
		h ^= rotate_left((uint32_t)load_le_tail(p, left) * c1, 15) *
		    c2;
	h ^= (uint32_t)bytes.len;
	h = (h ^ h >> 16) * 0x85ebca6b;
	h = (h ^ h >> 13) * 0xc2b2ae35;
	return h ^ h >> 16;
}

uint32_t
hashes_murmur3(struct span bytes)
{
	return hashes_murmur3_seeded(bytes, 0xdeadbeef * (uint32_t)bytes.len);
}

/* The three registers of lookup3 (Bob Jenkins, public domain). */
struct lookup3 {
	uint32_t a, b, c;
};

static inline void
lookup3_mix(struct lookup3 *s)
{
	s->a = (s->a - s->c) ^ rotate_left(s->c, 4), s->c += s->b;
	s->b = (s->b - s->a) ^ rotate_left(s->a, 6), s->a += s->c;
	s->c = (s->c - s->b) ^ rotate_left(s->b, 8), s->b += s->a;
	s->a = (s->a - s->c) ^ rotate_left(s->c, 16), s->c += s->b;
	s->b = (s->b - s->a) ^ rotate_left(s->a, 19), s->a += s->c;
	s->c = (s->c - s->b) ^ rotate_left(s->b, 4), s->b += s->a;
}

static inline void
lookup3_finish(struct lookup3 *s)
{
	s->c = (s->c ^ s->b) - rotate_left(s->b, 14);
	s->a = (s->a ^ s->c) - rotate_left(s->c, 11);
	s->b = (s->b ^ s->a) - rotate_left(s->a, 25);
	s->c = (s->c ^ s->b) - rotate_left(s->b, 16);
	s->a = (s->a ^ s->c) - rotate_left(s->c, 4);
	s->b = (s->b ^ s->a) - rotate_left(s->a, 14);
	s->c = (s->c ^ s->b) - rotate_left(s->b, 24);
}

static inline void
lookup3_add(struct lookup3 *s, const void *twelve)
{
	const char *p = twelve;

	s->a += load_le32(p);
	s->b += load_le32(p + 4);
	s->c += load_le32(p + 8);
}

uint32_t
hashes_jenkins(struct span bytes)
{
	uint32_t start = 0xdeadbeef + (uint32_t)bytes.len + 13;
	struct lookup3 s = {start, start, start};
	char tail[12] = {0};
	const char *p = bytes.p;
	size_t left;

	if (bytes.len == 0)
		return s.c;
	/* The last one to twelve bytes are not mixed but finished. */
	for (left = bytes.len; left > 12; left -= 12, p += 12) {
		lookup3_add(&s, p);
		lookup3_mix(&s);
	}
	memcpy(tail, p, left);
	lookup3_add(&s, tail);
	lookup3_finish(&s);
	return s.c;
}

uint64_t
hashes_xxh64(struct span bytes, uint64_t seed)
{
	return XXH64(bytes.p, bytes.len, seed);
}

uint64_t
hashes_xxh3(struct span bytes, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes.p, bytes.len, seed);
}
