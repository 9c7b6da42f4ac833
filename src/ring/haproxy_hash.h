/*
 * HAProxy's hash functions of keys, and its avalanche. Bytes are unsigned.
 * Pure; values in tests/vectors/hashes.tsv.
 */
#ifndef RING_HAPROXY_HASH_H
#define RING_HAPROXY_HASH_H

#include <stdint.h>

#include "base/span.h"

uint32_t haproxy_sdbm(struct span bytes);
uint32_t haproxy_djb2(struct span bytes);
uint32_t haproxy_wt6(struct span bytes);

/* Bob Jenkins' six-shift hash of an integer, times 3221225473. A bijection. */
uint32_t haproxy_avalanche(uint32_t a);

#endif
