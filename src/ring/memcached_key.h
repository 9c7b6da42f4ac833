/*
 * What memcached's own proxy hashes of a key, and with which seed.
 */
#ifndef RING_MEMCACHED_KEY_H
#define RING_MEMCACHED_KEY_H

#include <stdint.h>

#include "base/must.h"
#include "ring/placement.h"
#include "ring/rule_check.h"

/*
 * The pool's key filter, for placement_rule.key_part. hash_stop (filter
 * "stop"): what comes before the first occurrence, perhaps nothing; without
 * one, the whole key. hash_tag (filter "tags"): from the first opening byte
 * to the first closing byte after it, even if nothing lies between, unlike
 * everywhere else; without both, the whole key.
 */
struct span memcached_key_part(const struct placement_spec *spec,
    struct span key);

/* The pool has one filter at most. False with the error set. */
bool memcached_takes_filter(const struct rule_build *build) MUST_CHECK;

/* The seed of the key hash: XXH3 of hash_seed's text, or 0 without one. */
uint64_t memcached_key_seed(const struct placement_spec *spec);

#endif
