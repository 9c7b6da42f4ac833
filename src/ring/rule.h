/*
 * What each placement rule (a leaf of this folder) implements for
 * placement.c. Nobody outside ring/ includes this.
 *
 * To add a rule: write its leaf, add a row to PLACEMENT_KINDS (placement.h)
 * and one to PLACEMENT_RULES below, and its file to meson.build.
 */
#ifndef RING_RULE_H
#define RING_RULE_H

#include "ring/placement.h"

struct rule_build;	/* rule_check.h */

/* A stretch of the circle of hashes, as placement_rule.arc has it. */
struct placement_arc {
	uint64_t	last;	/* its highest position, out of 2^64 */
	uint32_t	owner;
};

struct placement_rule {
	/*
	 * The rule's state over 1 <= `n` < PLACEMENT_NONE servers, whose names
	 * placement.c found distinct; or NULL with the kind of failure and its
	 * words. Spec and servers outlive the state and do not move: a rule
	 * may keep pointers into them.
	 */
	void *(*build)(const struct rule_build *build);

	/* Index of the owner of `key`, which went through key_part(). */
	uint32_t (*owner)(const void *state, struct span key);

	/*
	 * Calls `visit` with the owner of `key`, then with each server in the
	 * order in which they would take over, until it returns true or the
	 * rule knows no more. A server may come up again, and placement.c
	 * passes each on once; those that never came up follow by index. NULL:
	 * the rule knows no order of its own; the owner's neighbours by index
	 * follow it.
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

	/*
	 * The i-th of the arcs that cut the circle of hashes, in rising order
	 * of `last`, the final one ending at UINT64_MAX; false when `i` is
	 * past them. (A ring of 32 bits: the hash is the upper half, the lower
	 * half of `last` is all ones.) Lets two placements be compared
	 * exactly. NULL: the rule has no circle.
	 */
	bool (*arc)(const void *state, size_t i, struct placement_arc *arc_r);

	/*
	 * The rule never looks at hosts and ports, so that a server may get
	 * another address and the placement stays as it is.
	 */
	bool ignores_addresses;

	/*
	 * Points, slots or the like that server `server` holds, in constant
	 * time, as all servers may be asked about; or NULL.
	 */
	uint64_t (*points)(const void *state, uint32_t server);

	/*
	 * Bytes kept for points, slots and their index; or NULL: there are
	 * none.
	 */
	size_t (*bytes)(const void *state);
};

/* The rules: enum member, the leaf's table. */
#define PLACEMENT_RULES(X)                                                     \
	X(RING, placement_ring_rule)                                           \
	X(KETAMA, placement_ketama_rule)                                       \
	X(LIBMEMCACHED_MODULA, placement_libmemcached_modula_rule)             \
	X(LIBMEMCACHED_KETAMA, placement_libmemcached_ketama_rule)             \
	X(LIBMEMCACHED_KETAMA_WEIGHTED,                                        \
	    placement_libmemcached_ketama_weighted_rule)                       \
	X(LIBMEMCACHED_SPY, placement_libmemcached_spy_rule)                   \
	X(LIBMEMCACHED_SPY_WEIGHTED, placement_libmemcached_spy_weighted_rule) \
	X(TWEMPROXY_KETAMA, placement_twemproxy_ketama_rule)                   \
	X(TWEMPROXY_MODULA, placement_twemproxy_modula_rule)                   \
	X(MEMCACHED_JUMP, placement_memcached_jump_rule)                       \
	X(MEMCACHED_RING, placement_memcached_ring_rule)                       \
	X(MEMCACHED_RING_KETAMA, placement_memcached_ring_ketama_rule)         \
	X(MEMCACHED_RING_TWEMPROXY, placement_memcached_ring_twemproxy_rule)   \
	X(MEMCACHED_RING_EVCACHE, placement_memcached_ring_evcache_rule)       \
	X(RENDEZVOUS, placement_rendezvous_rule)                               \
	X(WEIGHTED_RENDEZVOUS, placement_rendezvous_rule)                      \
	X(MODULA, placement_modula_rule)                                       \
	X(BUCKETS, placement_buckets_rule)                                     \
	X(MCROUTER_CH3, placement_mcrouter_hash_rule)                          \
	X(MCROUTER_CRC32, placement_mcrouter_hash_rule)                        \
	X(MCROUTER_WEIGHTED_CH3, placement_mcrouter_hash_rule)                 \
	X(MCROUTER_RENDEZVOUS, placement_mcrouter_rendezvous_rule)             \
	X(MCROUTER_WEIGHTED_RENDEZVOUS, placement_mcrouter_rendezvous_rule)    \
	X(HAPROXY_CONSISTENT, placement_haproxy_consistent_rule)               \
	X(ENVOY_RING, placement_envoy_ring_rule)                               \
	X(DALLI, placement_dalli_rule)                                         \
	X(PYMEMCACHE, placement_pymemcache_rule)                               \
	X(PYMEMCACHE_BYTES, placement_pymemcache_rule)                         \
	X(PYTHON_MEMCACHED, placement_python_memcached_rule)                   \
	X(CACHE_MEMCACHED_FAST, placement_cache_memcached_fast_rule)           \
	X(CACHE_MEMCACHED_FAST_KETAMA,                                         \
	    placement_cache_memcached_fast_ketama_rule)                        \
	X(SPYMEMCACHED_KETAMA, placement_spymemcached_ketama_rule)             \
	X(SPYMEMCACHED_KETAMA_WEIGHTED, placement_spymemcached_ketama_rule)    \
	X(SPYMEMCACHED_MODULA, placement_spymemcached_modula_rule)             \
	X(NODE_HASHRING, placement_node_hashring_rule)                         \
	X(NODE_HASHRING_COMPAT, placement_node_hashring_rule)                  \
	X(NODE_MEMCACHED, placement_node_hashring_rule)                        \
	X(CONSISTENT_HASH_RING_RS, placement_consistent_hash_ring_rs_rule)     \
	X(CONSISTENT_HASH_RING_RS_I32, placement_consistent_hash_ring_rs_rule) \
	X(ZIG_HASHRING, placement_zig_hashring_rule)

#define X(member, rule) extern const struct placement_rule rule;
PLACEMENT_RULES(X)
#undef X

/* rule->arc of a placement; false also if its rule has no circle. */
bool placement_arc_at(const struct placement *placement, size_t i,
    struct placement_arc *arc_r);

#endif
