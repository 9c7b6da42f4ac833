/*
 * What each placement rule (a leaf of this folder) implements for
 * placement.c. Nobody outside ring/ includes this.
 */
#ifndef RING_RULE_H
#define RING_RULE_H

#include "ring/placement.h"

struct placement_rule {
	/*
	 * The rule's state over `n` >= 1 servers, whose names placement.c
	 * found distinct; or NULL with the kind of failure and its words.
	 */
	void *(*build)(const struct placement_spec *spec,
	    const struct placement_server *servers, size_t n,
	    enum placement_error *error_r, struct err *err);

	/* Index of the owner of `key`. */
	uint32_t (*owner)(const void *state, struct span key);

	/*
	 * Calls `visit` with the owner of `key`, then with each server in the
	 * order in which they would take over, until it returns true or all
	 * have been visited. A server may come up again. NULL: the rule knows
	 * no order of its own; the owner's neighbours by index follow it.
	 */
	void (*walk)(const void *state, struct span key,
	    bool (*visit)(void *arg, uint32_t server), void *arg);

	/* Frees what build() gave. */
	void (*free)(void *state);

	/*
	 * The part of the key that is hashed, or NULL for the native rule:
	 * hash tags, not applied when empty.
	 */
	struct span (*key_part)(const struct placement_spec *spec,
	    struct span key);
};

extern const struct placement_rule placement_ring_rule;

#endif
