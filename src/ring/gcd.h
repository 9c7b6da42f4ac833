/* The greatest common divisor: Euclid's algorithm. */
#ifndef RING_GCD_H
#define RING_GCD_H

#include <stdint.h>

/* What divides both; of 0 and another number, that one. */
static inline uint64_t
gcd(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
