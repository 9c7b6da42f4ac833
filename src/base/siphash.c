/* SipHash-2-4, after the paper. */
#include "base/siphash.h"

static uint64_t
rotl(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static uint64_t
load_le64(const uint8_t *p)
{
	uint64_t x = 0;

	for (int i = 7; i >= 0; i--)
		x = x << 8 | p[i];
	return x;
}

static void
run_rounds(uint64_t v[4], int rounds)
{
	for (int i = 0; i < rounds; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotl(v[1], 13) ^ v[0];
		v[3] = rotl(v[3], 16) ^ v[2];
		v[0] = rotl(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotl(v[1], 17) ^ v[2];
		v[3] = rotl(v[3], 21) ^ v[0];
		v[2] = rotl(v[2], 32);
	}
}

static void
take_word(struct siphash *sip, uint64_t word)
{
	sip->v[3] ^= word;
	run_rounds(sip->v, 2);
	sip->v[0] ^= word;
}

void
siphash_init(struct siphash *sip, const uint8_t key[16])
{
	uint64_t k0 = load_le64(key), k1 = load_le64(key + 8);

	sip->v[0] = k0 ^ UINT64_C(0x736f6d6570736575);
	sip->v[1] = k1 ^ UINT64_C(0x646f72616e646f6d);
	sip->v[2] = k0 ^ UINT64_C(0x6c7967656e657261);
	sip->v[3] = k1 ^ UINT64_C(0x7465646279746573);
	sip->tail = 0;
	sip->len = 0;
}

static void
take_byte(struct siphash *sip, uint8_t byte)
{
	sip->tail |= (uint64_t)byte << 8 * (sip->len % 8);
	sip->len++;
	if (sip->len % 8 == 0) {
		take_word(sip, sip->tail);
		sip->tail = 0;
	}
}

void
siphash_update(struct siphash *sip, struct span s)
{
	const uint8_t *p = (const uint8_t *)s.p;
	size_t i = 0;

	while (i < s.len && sip->len % 8 != 0)
		take_byte(sip, p[i++]);
	for (; s.len - i >= 8; i += 8) {
		take_word(sip, load_le64(p + i));
		sip->len += 8;
	}
	while (i < s.len)
		take_byte(sip, p[i++]);
}

uint64_t
siphash_final(struct siphash *sip)
{
	take_word(sip, sip->tail | sip->len << 56);
	sip->v[2] ^= 0xff;
	run_rounds(sip->v, 4);
	return sip->v[0] ^ sip->v[1] ^ sip->v[2] ^ sip->v[3];
}
