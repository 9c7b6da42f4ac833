/*
 * Wyhash, final version 4, as Zig's standard library has it since 0.11 (Zig
 * 0.10 and older had another function of that name). The algorithm is Wang
 * Yi's (github.com/wangyi-fudan/wyhash, public domain); our own code, checked
 * against the values in tests/vectors/hashes.tsv.
 */
#ifndef RING_WYHASH_H
#define RING_WYHASH_H

#include <stdint.h>

#include "base/span.h"

/* The 64-bit hash of `bytes`. Pure. */
uint64_t wyhash(struct span bytes, uint64_t seed);

#endif
