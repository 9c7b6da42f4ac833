/*
 * Placement: which of a pool's servers owns a key.
 *
 * A placement is a pure function of the membership (names, addresses as
 * written, weights, order) and the key. It is built once, never changes, and
 * answers from any thread without allocating. Each rule is a leaf of this
 * folder; docs/placements.md says whose rule each one is.
 */
#ifndef RING_PLACEMENT_H
#define RING_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/must.h"
#include "base/span.h"
#include "ring/hash.h"

/* The rules: enum member, the name a configuration uses. */
#define PLACEMENT_KINDS(X)                                                     \
	X(RING, "ring")                                                        \
	X(KETAMA, "ketama")                                                    \
	X(LIBMEMCACHED_MODULA, "libmemcached-modula")                          \
	X(LIBMEMCACHED_KETAMA, "libmemcached-ketama")                          \
	X(LIBMEMCACHED_KETAMA_WEIGHTED, "libmemcached-ketama-weighted")        \
	X(LIBMEMCACHED_SPY, "libmemcached-spy")                                \
	X(LIBMEMCACHED_SPY_WEIGHTED, "libmemcached-spy-weighted")              \
	X(TWEMPROXY_KETAMA, "twemproxy-ketama")                                \
	X(TWEMPROXY_MODULA, "twemproxy-modula")                                \
	X(MEMCACHED_JUMP, "memcached-jump")                                    \
	X(MEMCACHED_RING, "memcached-ring")                                    \
	X(MEMCACHED_RING_KETAMA, "memcached-ring-ketama")                      \
	X(MEMCACHED_RING_TWEMPROXY, "memcached-ring-twemproxy")                \
	X(MEMCACHED_RING_EVCACHE, "memcached-ring-evcache")                    \
	X(RENDEZVOUS, "rendezvous")                                            \
	X(WEIGHTED_RENDEZVOUS, "weighted-rendezvous")                          \
	X(MODULA, "modula")                                                    \
	X(BUCKETS, "buckets")                                                  \
	X(MCROUTER_CH3, "mcrouter-ch3")                                        \
	X(MCROUTER_CRC32, "mcrouter-crc32")                                    \
	X(MCROUTER_WEIGHTED_CH3, "mcrouter-weighted-ch3")                      \
	X(MCROUTER_RENDEZVOUS, "mcrouter-rendezvous")                          \
	X(MCROUTER_WEIGHTED_RENDEZVOUS, "mcrouter-weighted-rendezvous")        \
	X(HAPROXY_CONSISTENT, "haproxy-consistent")                            \
	X(ENVOY_RING, "envoy-ring")                                            \
	X(DALLI, "dalli")                                                      \
	X(PYMEMCACHE, "pymemcache")                                            \
	X(PYMEMCACHE_BYTES, "pymemcache-bytes")                                \
	X(PYTHON_MEMCACHED, "python-memcached")                                \
	X(CACHE_MEMCACHED_FAST, "cache-memcached-fast")                        \
	X(CACHE_MEMCACHED_FAST_KETAMA, "cache-memcached-fast-ketama")          \
	X(SPYMEMCACHED_KETAMA, "spymemcached-ketama")                          \
	X(SPYMEMCACHED_KETAMA_WEIGHTED, "spymemcached-ketama-weighted")        \
	X(SPYMEMCACHED_MODULA, "spymemcached-modula")                          \
	X(NODE_HASHRING, "node-hashring")                                      \
	X(NODE_HASHRING_COMPAT, "node-hashring-compat")                        \
	X(NODE_MEMCACHED, "node-memcached")                                    \
	X(CONSISTENT_HASH_RING_RS, "consistent-hash-ring-rs")                  \
	X(CONSISTENT_HASH_RING_RS_I32, "consistent-hash-ring-rs-i32")          \
	X(ZIG_HASHRING, "zig-hashring")

enum placement_kind {
#define X(member, name) PLACEMENT_##member,
	PLACEMENT_KINDS(X)
#undef X
};

/* How many rules there are. */
#define PLACEMENT_COUNT_ONE(member, name) +1
enum { PLACEMENT_KIND_COUNT = 0 PLACEMENT_KINDS(PLACEMENT_COUNT_ONE) };

/* Why a placement could not be built. */
enum placement_error {
	PLACEMENT_OK,
	PLACEMENT_NO_SERVERS,
	PLACEMENT_DUPLICATE_IDENTITY,
	/* The cap on points, arithmetic or memory would not hold it. */
	PLACEMENT_STATE_CAPACITY_EXCEEDED,
	/* The rule does not take this hash, weight or option. */
	PLACEMENT_UNSUPPORTED,
};

/* One member of a pool, in the configuration's order. Lent for the build. */
struct placement_server {
	struct span	name;	/* the identity */
	struct span	host;	/* address as written; a unix socket's path */
	uint16_t	port;	/* 0 for a unix socket */
	double		weight;	/* >= 0; most rules take whole numbers > 0 */
	/*
	 * The name is one of its own, even if it reads like the address. A
	 * name that differs from the address always is.
	 */
	bool		is_named;
};

#define PLACEMENT_HASH_KEY_LEN 16

/* Bytes of hash_seed and of hash_stop, with their NULs. */
#define PLACEMENT_SEED_SIZE 64
#define PLACEMENT_STOP_SIZE 16

/*
 * The rule and its options. Zero means the rule's own default throughout, so
 * start from {0}. Plain values only, no pointers: a placement keeps a copy.
 * A new field also goes into placement_spec_eq().
 */
struct placement_spec {
	enum placement_kind	kind;
	enum hash_kind		hash;		/* HASH_DEFAULT: the rule's */
	uint32_t		points_per_weight;
	uint32_t		max_points;
	/*
	 * Hash tags: where a key holds `hash_tag[0]`, bytes, `hash_tag[1]`,
	 * only the bytes between are hashed; not when there are none. Zero
	 * bytes: no tags.
	 */
	char			hash_tag[2];
	/* The secret of HASH_SIPHASH, the same in every process; not zero. */
	uint8_t			hash_key[PLACEMENT_HASH_KEY_LEN];
	/*
	 * Bytes >= 0x80 are hashed as on ARM Linux, where `char` is unsigned,
	 * rather than as on x86; libmemcached and twemproxy differ in that.
	 */
	bool			is_char_unsigned;
	/*
	 * Text that seeds the key hash of memcached-*, and that mcrouter-*
	 * appends to keys as the salt; empty: none.
	 */
	char			hash_seed[PLACEMENT_SEED_SIZE];
	/*
	 * Only what comes before this text in a key is hashed by memcached-*;
	 * empty: no such text.
	 */
	char			hash_stop[PLACEMENT_STOP_SIZE];
	/* HAProxy's keyword `avalanche`: the key's hash is mixed once more. */
	bool			hash_avalanche;
	/* Envoy's minimum_ring_size and maximum_ring_size. */
	uint32_t		ring_size_min;
	uint32_t		ring_size_max;
};

/* Whether two specs ask for the same, field by field. */
bool placement_spec_eq(const struct placement_spec *a,
    const struct placement_spec *b);

struct placement;	/* immutable after build */

/*
 * The rule built over `n` servers, or NULL with the kind of failure in
 * `error_r` and its words in `err`. The caller owns it.
 */
struct placement *placement_build(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n,
    enum placement_error *error_r, struct err *err) MUST_CHECK;

/*
 * Whether `placement` has the identity of this membership and spec, so that
 * building them would give nothing new: the same spec; at every index the
 * same name and weight; and the same address, where the rule looks at it.
 */
bool placement_is_of(const struct placement *placement,
    const struct placement_spec *spec, const struct placement_server *servers,
    size_t n);

/* Frees and nulls; NULL inside is fine. */
void placement_free(struct placement **placement);

/* Index of the server that owns `key`. Any thread; never allocates. */
uint32_t placement_owner(const struct placement *placement, struct span key);

/*
 * The first `want` distinct servers for `key`, the owner first, in the order
 * in which they would take over; fewer only if there are fewer servers. The
 * number written to `owners_r`. Any thread; never allocates.
 */
size_t placement_owners(const struct placement *placement, struct span key,
    size_t want, uint32_t *owners_r);

/* What placement_owner_where() gives when no server is accepted. */
#define PLACEMENT_NONE UINT32_MAX

/*
 * The first server in the order of placement_owners() that `accepts`, or
 * PLACEMENT_NONE. `accepts` may be asked about a server twice when there are
 * more than PLACEMENT_WALK_DISTINCT servers. Any thread; never allocates.
 */
uint32_t placement_owner_where(const struct placement *placement,
    struct span key, bool (*accepts)(void *arg, uint32_t server), void *arg);

/* Up to so many servers a walk remembers where it has been. */
#define PLACEMENT_WALK_DISTINCT 4096

/* The part of `key` that the rule hashes. Lends bytes of `key`. */
struct span placement_key_part(const struct placement *placement,
    struct span key);

/* Number of servers it was built over. */
size_t placement_servers(const struct placement *placement);

/* The i-th server it was built over; lent, its bytes too, by `placement`. */
const struct placement_server *placement_server_at(
    const struct placement *placement, size_t i);

/* Index of the server called `name`, or PLACEMENT_NONE. Never allocates. */
uint32_t placement_find(const struct placement *placement, struct span name);

/* What it was built from. Lent. */
const struct placement_spec *placement_spec_of(
    const struct placement *placement);

/* Whether a server's address has a say in where keys go, not only its name. */
bool placement_uses_addresses(const struct placement *placement);

/* Points (slots, ...) of one server; 0 also where a rule has none. */
uint64_t placement_server_points(const struct placement *placement,
    size_t i);

/* Points of all servers. */
uint64_t placement_points(const struct placement *placement);

/* Bytes kept for points (slots, ...) and their index; 0: there are none. */
size_t placement_bytes(const struct placement *placement);

/* The rule called `name`; false if there is none. */
bool placement_kind_by_name(struct span name, enum placement_kind *kind_r)
    MUST_CHECK;

const char *placement_kind_name(enum placement_kind kind);

/* "DuplicateIdentity" and so on, for logs and tools. */
const char *placement_error_name(enum placement_error error);

#endif
