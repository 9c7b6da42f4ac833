/*
 * Slots: a list in which every server stands as often as its weight says, in
 * the configuration's order. Rules that take a hash modulo it are built on
 * this.
 */
#ifndef RING_SLOTS_H
#define RING_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "ring/rule_check.h"

struct slots {				/* immutable after build */
	const struct placement_server	*servers;	/* lent */
	uint64_t			 divisor;	/* of their weights */
	uint32_t			 n;		/* at least one */
	uint32_t			 owners[];
};

/* Slots a pool may have when its spec does not say. */
#define SLOTS_MAX (1u << 20)

/*
 * Whole weights, each divided by `divisor`, as slots. NULL with the error
 * set: a weight that is not whole, more slots than spec->max_points, or no
 * memory. Nothing is allocated before the figures are checked. The servers
 * are lent and outlive it. The caller frees it with mem_free().
 */
struct slots *slots_new(const struct rule_build *build, uint64_t divisor)
    MUST_CHECK;

/* Owner of slot hash mod n. */
static inline uint32_t
slots_owner(const struct slots *slots, uint64_t hash)
{
	return slots->owners[hash % slots->n];
}

/* Bytes of all slots. */
static inline size_t
slots_bytes(const struct slots *slots)
{
	return slots->n * sizeof(slots->owners[0]);
}

/* Slots of one server. */
uint64_t slots_of(const struct slots *slots, uint32_t server);

#endif
