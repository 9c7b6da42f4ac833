/*
 * Buckets: the whole circle cut into 65,536 slots, the owner of each written
 * down. The rule is told in buckets.c; this is for what needs the buckets
 * themselves.
 */
#ifndef RING_BUCKETS_H
#define RING_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"
#include "ring/rule_check.h"

#define BUCKETS_COUNT		  65536
#define BUCKETS_POINTS_PER_WEIGHT 150

struct buckets;		/* immutable after build */

/*
 * The assignment over the build's servers, or NULL with the error set. The
 * caller owns it.
 */
struct buckets *buckets_build(const struct rule_build *build) MUST_CHECK;

void buckets_free(struct buckets **buckets);

/* Owner of one bucket. */
uint32_t buckets_owner(const struct buckets *buckets, uint16_t bucket);

/* The bucket of a key of any bytes. */
uint16_t buckets_of_key(struct span key);

/*
 * The bucket of an identifier in hexadecimal, of either case: its first four
 * digits as a number. False if there are no four.
 */
bool buckets_of_hex(struct span id, uint16_t *bucket_r) MUST_CHECK;

#endif
