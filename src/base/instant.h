/*
 * Instants of the wall clock as RFC 3339 writes them, to and from
 * milliseconds since 1970-01-01T00:00:00Z. Pure text: no clock, no locale.
 */
#ifndef BASE_INSTANT_H
#define BASE_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"

/* The last one that can be written: the end of the year 9999. */
#define INSTANT_MAX_MS UINT64_C(253402300799999)

/*
 * "2026-11-30T12:00:00Z", "2026-11-30 13:00:00.250+01:00" and the like, from
 * 1970 on. Digits after the millisecond are dropped, and a leap second is the
 * first of the next minute. False if it is anything else.
 */
bool instant_parse(struct span text, uint64_t *ms_r) MUST_CHECK;

/* Bytes of the longest text of instant_format(), with its NUL. */
#define INSTANT_TEXT_MAX 32

/*
 * In UTC, "2026-11-30T12:00:00Z", with three decimals unless they are zero.
 * Gives back `out`.
 */
const char *instant_format(uint64_t ms, char out[INSTANT_TEXT_MAX]);

#endif
