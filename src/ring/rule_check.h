/*
 * What many rules ask of a membership and of a spec, with the words for a
 * person when the answer is no.
 */
#ifndef RING_RULE_CHECK_H
#define RING_RULE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/must.h"
#include "ring/placement.h"

/* The arguments of placement_rule.build, together. Lent for the build. */
struct rule_build {
	const struct placement_spec	*spec;
	const struct placement_server	*servers;
	size_t				 n;
	enum placement_error		*error_r;
	struct err			*err;
};

/* Sets the error and its words; always false, for use after `return`. */
bool rule_refuse(const struct rule_build *build, enum placement_error error,
    const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same for an allocation that failed. */
bool rule_no_memory(const struct rule_build *build);

/*
 * For a rule that knows no weights: whether they are all the same. A weight
 * that would silently count for nothing is refused instead.
 */
bool rule_takes_no_weights(const struct rule_build *build) MUST_CHECK;

/*
 * For a rule of whole weights from 1 to `max`, itself at most 2^32: whether
 * all are; their sum in `sum_r`.
 */
bool rule_takes_whole_weights(const struct rule_build *build, uint64_t max,
    uint64_t *sum_r) MUST_CHECK;

/* Whether the hash is the rule's only one, or left to the rule. */
bool rule_takes_hash(const struct rule_build *build, enum hash_kind only)
    MUST_CHECK;

/* For a rule with a number of points of its own: whether none is asked for. */
bool rule_takes_no_points(const struct rule_build *build) MUST_CHECK;

/* For a rule that cuts keys its own way: whether no hash tag is asked for. */
bool rule_takes_no_tag(const struct rule_build *build) MUST_CHECK;

/* Points that spec->points_per_weight asks for, else the rule's `own`. */
uint32_t rule_points(const struct placement_spec *spec, uint32_t own);

/* a x b, or the largest number if that does not fit; a cap then refuses it. */
static inline uint64_t
rule_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
