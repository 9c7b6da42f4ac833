/* HAProxy's hash functions, from their published definitions. */
#include "ring/haproxy_hash.h"

#include <stddef.h>

static inline uint32_t
byte_at(struct span bytes, size_t i)
{
	return (unsigned char)bytes.p[i];
}

uint32_t
haproxy_sdbm(struct span bytes)
{
	uint32_t h = 0;

	for (size_t i = 0; i < bytes.len; i++)
		h = byte_at(bytes, i) + (h << 6) + (h << 16) - h;
	return h;
}

uint32_t
haproxy_djb2(struct span bytes)
{
	uint32_t h = 5381;

	for (size_t i = 0; i < bytes.len; i++)
		h = h * 33 + byte_at(bytes, i);
	return h;
}

static inline uint32_t
rotate(uint32_t x, unsigned by)
{
	return by == 0 ? x : x << by | x >> (32 - by);
}

/* Two halves that swap places at each byte, turned by what they hold. */
uint32_t
haproxy_wt6(struct span bytes)
{
	uint32_t h0 = UINT32_C(0xa53c965a), h1 = UINT32_C(0x5ca6953a);
	unsigned turn0 = 6, turn1 = 18;

	for (size_t i = 0; i < bytes.len; i++) {
		uint32_t swap, turns;

		h0 = ~(h0 ^ byte_at(bytes, i));
		h1 = ~(h1 + byte_at(bytes, i));
		swap = rotate(h1, turn0);
		h1 = rotate(h0, turn1);
		h0 = swap;
		turns = (h0 >> 16 ^ h1) & 0xffff;
		turn0 = turns & 0x1f;
		turn1 = turns >> 11;
	}
	return h0 ^ h1;
}

uint32_t
haproxy_avalanche(uint32_t a)
{
	a = a + UINT32_C(0x7ed55d16) + (a << 12);
	a = a ^ UINT32_C(0xc761c23c) ^ a >> 19;
	a = a + UINT32_C(0x165667b1) + (a << 5);
	a = (a + UINT32_C(0xd3a2646c)) ^ a << 9;
	a = a + UINT32_C(0xfd7046c5) + (a << 3);
	a = a ^ UINT32_C(0xb55a4f09) ^ a >> 16;
	return a * UINT32_C(3221225473);
}
