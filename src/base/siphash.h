/*
 * SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
 * 2012): a keyed hash whose values nobody can steer without the key.
 *
 * Bytes come in pieces. Pure; no memory is taken.
 */
#ifndef BASE_SIPHASH_H
#define BASE_SIPHASH_H

#include <stdint.h>

#include "base/span.h"

struct siphash {		/* on the caller's stack */
	uint64_t	v[4];
	uint64_t	tail;		/* bytes of the word begun, low first */
	uint64_t	len;		/* bytes taken */
};

void siphash_init(struct siphash *sip, const uint8_t key[16]);

void siphash_update(struct siphash *sip, struct span s);

/* The hash of all bytes given; `sip` is used up. */
uint64_t siphash_final(struct siphash *sip);

#endif
