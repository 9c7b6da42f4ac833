/*
 * SpookyHash V2 with 32 bits of result.
 *
 * Below 192 bytes four words of state are mixed over 32 bytes at a time; from
 * there on twelve words over 96. The two forms share nothing but the marker.
 */
#include "ring/spooky.h"

#include <string.h>

#include "ring/load_le.h"

/* The algorithm's arbitrary odd constant. */
#define SPOOKY_MARKER UINT64_C(0xdeadbeefdeadbeef)

#define SPOOKY_SHORT_MAX   191	/* bytes that still take the short form */
#define SPOOKY_LONG_WORDS  12
#define SPOOKY_LONG_BLOCK  (SPOOKY_LONG_WORDS * 8)
#define SPOOKY_SHORT_WORDS 4
#define SPOOKY_SHORT_BLOCK (SPOOKY_SHORT_WORDS * 8)

static inline uint64_t
rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

/* Three rounds of: a word is turned, takes its neighbour, marks the next. */
static void
short_mix(uint64_t h[SPOOKY_SHORT_WORDS])
{
	static const unsigned char turns[] = {
	    50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36};

	for (unsigned i = 0; i < sizeof(turns); i++) {
		unsigned at = (i + 2) % 4, next = (i + 3) % 4, mark = i % 4;

		h[at] = rotate(h[at], turns[i]) + h[next];
		h[mark] ^= h[at];
	}
}

/* Eleven steps, after which every bit of the state depends on every other. */
static void
short_end(uint64_t h[SPOOKY_SHORT_WORDS])
{
	static const unsigned char turns[] = {
	    15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63};

	for (unsigned i = 0; i < sizeof(turns); i++) {
		unsigned at = (i + 3) % 4, from = (i + 2) % 4;

		h[at] ^= h[from];
		h[from] = rotate(h[from], turns[i]);
		h[at] += h[from];
	}
}

static uint32_t
hash_short(const char *p, size_t len, uint32_t seed)
{
	uint64_t h[SPOOKY_SHORT_WORDS] = {
	    seed, seed, SPOOKY_MARKER, SPOOKY_MARKER};
	size_t left = len;

	for (; left >= SPOOKY_SHORT_BLOCK; left -= SPOOKY_SHORT_BLOCK) {
		h[2] += load_le64(p);
		h[3] += load_le64(p + 8);
		short_mix(h);
		h[0] += load_le64(p + 16);
		h[1] += load_le64(p + 24);
		p += SPOOKY_SHORT_BLOCK;
	}
	if (left >= 16) {
		h[2] += load_le64(p);
		h[3] += load_le64(p + 8);
		short_mix(h);
		p += 16;
		left -= 16;
	}
	/* The length sits above the at most seven bytes of the last word. */
	h[3] += (uint64_t)len << 56;
	if (left == 0) {
		h[2] += SPOOKY_MARKER;
		h[3] += SPOOKY_MARKER;
	} else if (left < 8) {
		h[2] += load_le_tail(p, left);
	} else {
		h[2] += load_le64(p);
		h[3] += load_le_tail(p + 8, left - 8);
	}
	short_end(h);
	return (uint32_t)h[0];
}

static void
long_mix(uint64_t h[SPOOKY_LONG_WORDS], const char *block)
{
	static const unsigned char turns[SPOOKY_LONG_WORDS] = {
	    11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46};

	for (unsigned i = 0; i < SPOOKY_LONG_WORDS; i++) {
		unsigned last = (i + 11) % SPOOKY_LONG_WORDS;

		h[i] += load_le64(block + (size_t)8 * i);
		h[(i + 2) % SPOOKY_LONG_WORDS] ^=
		    h[(i + 10) % SPOOKY_LONG_WORDS];
		h[last] ^= h[i];
		h[i] = rotate(h[i], turns[i]);
		h[last] += h[(i + 1) % SPOOKY_LONG_WORDS];
	}
}

static void
long_end(uint64_t h[SPOOKY_LONG_WORDS])
{
	static const unsigned char turns[SPOOKY_LONG_WORDS] = {
	    44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54};

	for (unsigned i = 0; i < SPOOKY_LONG_WORDS; i++) {
		unsigned last = (i + 11) % SPOOKY_LONG_WORDS;
		unsigned next = (i + 1) % SPOOKY_LONG_WORDS;

		h[last] += h[next];
		h[(i + 2) % SPOOKY_LONG_WORDS] ^= h[last];
		h[next] = rotate(h[next], turns[i]);
	}
}

static uint32_t
hash_long(const char *p, size_t len, uint32_t seed)
{
	uint64_t h[SPOOKY_LONG_WORDS];
	char rest[SPOOKY_LONG_BLOCK] = {0};
	size_t left = len;

	for (unsigned i = 0; i < SPOOKY_LONG_WORDS; i += 3) {
		h[i] = seed;
		h[i + 1] = seed;
		h[i + 2] = SPOOKY_MARKER;
	}
	for (; left >= SPOOKY_LONG_BLOCK; left -= SPOOKY_LONG_BLOCK) {
		long_mix(h, p);
		p += SPOOKY_LONG_BLOCK;
	}
	/* The last block is padded with zeros and ends in its own length. */
	memcpy(rest, p, left);
	rest[SPOOKY_LONG_BLOCK - 1] = (char)left;
	for (unsigned i = 0; i < SPOOKY_LONG_WORDS; i++)
		h[i] += load_le64(rest + (size_t)8 * i);
	for (unsigned i = 0; i < 3; i++)
		long_end(h);
	return (uint32_t)h[0];
}

uint32_t
spooky_hash32(struct span bytes, uint32_t seed)
{
	if (bytes.len <= SPOOKY_SHORT_MAX)
		return hash_short(bytes.p, bytes.len, seed);
	return hash_long(bytes.p, bytes.len, seed);
}
