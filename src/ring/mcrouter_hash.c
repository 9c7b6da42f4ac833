/*
 * MurmurHash64A and the furc hash that mcrouter calls Ch3.
 *
 * furc: a key gives an endless stream of bits. Block 0 is murmur64A of the
 * key, block i+1 murmur64A of the eight little-endian bytes of block i. With
 * d the number of bits of m-1, bits are read from the stream in strides: while
 * the bit for level d is 0 the level falls; at a 1, the d-1 bits below it are
 * read, and the number they make with that leading 1 is the answer if it is
 * below m. If not, another number is read from where the stream stands, at
 * most 32 times. So growing m by one gives the newcomer its share and moves
 * nothing else.
 */
#include "ring/mcrouter_hash.h"

#include <endian.h>

#include "base/must.h"
#include "ring/load_le.h"

#define FURC_TRIES  32
#define FURC_STRIDE 23	/* bits between two that are read */

/*
 * Where the last bit may lie: each try reads at most one leading bit and 22
 * below it, FURC_STRIDE apart; the first lies below FURC_STRIDE.
 */
#define FURC_BITS   (FURC_STRIDE * (FURC_STRIDE * FURC_TRIES + 1))
#define FURC_BLOCKS (FURC_BITS / 64 + 1)

struct bit_stream {
	struct span	key;
	uint32_t	nblocks;	/* computed so far */
	uint64_t	blocks[FURC_BLOCKS];
};

uint64_t
murmur64a(struct span bytes, uint64_t seed)
{
	static const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
	const char *p = bytes.p;
	size_t left = bytes.len;
	uint64_t h = seed ^ bytes.len * m;

	for (; left >= 8; left -= 8) {
		uint64_t k = load_le64(p) * m;

		k = (k ^ k >> 47) * m;
		h = (h ^ k) * m;
		p += 8;
	}
	if (left > 0)
		h = (h ^ load_le_tail(p, left)) * m;
	h = (h ^ h >> 47) * m;
	return h ^ h >> 47;
}

static bool
stream_bit(struct bit_stream *s, uint32_t i)
{
	uint32_t block = i / 64;

	MUST(block < FURC_BLOCKS);
	for (; s->nblocks <= block; s->nblocks++) {
		struct span input = s->key;
		uint64_t bytes;

		if (s->nblocks > 0) {
			bytes = htole64(s->blocks[s->nblocks - 1]);
			input = span_of((const char *)&bytes, sizeof(bytes));
		}
		s->blocks[s->nblocks] = murmur64a(input, MCROUTER_SEED);
	}
	return s->blocks[block] >> (i % 64) & 1;
}

static uint32_t
bits_of(uint32_t n)
{
	return 32 - (uint32_t)__builtin_clz(n);
}

uint32_t
mcrouter_furc(struct span key, uint32_t m)
{
	struct bit_stream s;	/* two kilobytes: not zeroed as a whole */
	uint32_t level, at;

	if (m <= 1)
		return 0;
	MUST(m <= MCROUTER_FURC_MAX);
	s.key = key;
	s.nblocks = 0;
	level = bits_of(m - 1);
	at = level;
	/* Level and place in the stream carry over from try to try. */
	for (unsigned try = 0; try < FURC_TRIES; try++) {
		uint32_t n = 1;

		for (; !stream_bit(&s, at); at = level) {
			if (--level == 0)
				return 0;
		}
		at += FURC_STRIDE;
		for (uint32_t i = 1; i < level; i++) {
			n = n << 1 | stream_bit(&s, at);
			at += FURC_STRIDE;
		}
		if (n < m)
			return n;
	}
	return 0;
}
