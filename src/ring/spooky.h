/*
 * SpookyHash V2 (Bob Jenkins, burtleburtle.net/bob/hash/spooky.html, public
 * domain), in the one form that mcrouter uses. Our own code, checked against
 * the values in tests/vectors/hashes.tsv.
 */
#ifndef RING_SPOOKY_H
#define RING_SPOOKY_H

#include <stdint.h>

#include "base/span.h"

/* Hash32: both seeds are `seed`; the low 32 bits of the first word. Pure. */
uint32_t spooky_hash32(struct span bytes, uint32_t seed);

#endif
