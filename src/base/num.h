/*
 * Decimal numbers to and from bytes, strictly: digits only, no sign, no
 * blanks, no locale, and overflow is a failure.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"

/* Bytes that num_put_u64() may write. */
#define NUM_U64_MAX_LEN 20

/* Whether `s` is a decimal of at most 2^64-1; sets `n_r` only then. */
bool num_parse_u64(struct span s, uint64_t *n_r) MUST_CHECK;

/* As num_parse_u64(), with an upper bound of the caller's. */
bool num_parse_u64_max(struct span s, uint64_t max, uint64_t *n_r) MUST_CHECK;

/* Whether `s` is a decimal, perhaps after one '-', that fits; sets `n_r`. */
bool num_parse_i64(struct span s, int64_t *n_r) MUST_CHECK;

/* Writes `n` in decimal without a terminator; the number of bytes written. */
size_t num_put_u64(char *out, uint64_t n);

#endif
