/* Keys of pools and their servers. */
#include "conf/keys_rows.h"
#include "ring/hash.h"
#include "ring/placement.h"

static const char *
on_down_word(size_t i)
{
	static const char *const words[] = {
		[CONF_ON_DOWN_MISS] = "miss",
		[CONF_ON_DOWN_ERROR] = "error",
		[CONF_ON_DOWN_NEXT] = "next",
		[CONF_ON_DOWN_GUTTER] = "gutter",
	};

	return words[i];
}

static const char *
placement_word(size_t i)
{
	return placement_kind_name((enum placement_kind)i);
}

static const char *
hash_word(size_t i)
{
	return i == HASH_DEFAULT ? NULL : hash_kind_name((enum hash_kind)i);
}

static const struct choices on_down_choices = {4, on_down_word};
static const struct choices placement_choices = {PLACEMENT_KIND_COUNT,
	placement_word};
static const struct choices hash_choices = {HASH_KIND_COUNT, hash_word};

static const char *const char_placements[] = {"libmemcached-", "twemproxy-",
	NULL};
static const char *const seed_placements[] = {"memcached-", "mcrouter-",
	NULL};
static const char *const stop_placements[] = {"memcached-", NULL};
static const char *const haproxy_placements[] = {"haproxy-", NULL};
static const char *const envoy_placements[] = {"envoy-", NULL};

static const struct key pool_keys[] = {
	{
		.name = "servers",
		.type = KEY_LIST, .section = SECTION_SERVER,
		FIELD(conf_pool, servers), AUX(conf_pool, nservers),
		.min = 1, .max = 65536,
		.is_required = true,
		.help = "The members: each an address, or keys of its own.",
	}, {
		.name = "placement",
		.type = KEY_CHOICE, .choices = &placement_choices,
		FIELD(conf_pool, placement.kind),
		.initial = PLACEMENT_RING,
		.help = "The rule by which keys find their server.",
	}, {
		.name = "hash",
		.type = KEY_CHOICE, .choices = &hash_choices,
		FIELD(conf_pool, placement.hash),
		.initial = HASH_DEFAULT,
		.initial_words = "the placement's own",
		.help = "The hash of names and keys, for a placement that "
		    "has a choice.",
	}, {
		.name = "points_per_weight",
		.type = KEY_INTEGER,
		FIELD(conf_pool, placement.points_per_weight),
		.initial_words = "the placement's own (ring: 128)",
		.min = 1, .max = 1048576,
		.help = "Points on the ring for each unit of weight, once the "
		    "weights are divided by what they have in common.",
	}, {
		.name = "max_points",
		.type = KEY_INTEGER,
		FIELD(conf_pool, placement.max_points),
		.initial_words = "the placement's own (ring: 1048576)",
		.min = 1, .max = 16777216,
		.help = "Most points the ring may have; more is an error, so "
		    "that no resolution is lost in silence.",
	}, {
		.name = "hash_tag",
		.type = KEY_HASH_TAG,
		FIELD(conf_pool, placement.hash_tag),
		.initial_words = "none",
		.help = "Two characters: of a key that has bytes between "
		    "them, only these are hashed. `\"\"` for none.",
	}, {
		.name = "hash_key",
		.type = KEY_SECRET,
		FIELD(conf_pool, placement.hash_key),
		.initial_words = "none",
		.help = "The secret of the hash `siphash`: 32 hexadecimal "
		    "digits, the same in every process. Better as "
		    "`${VARIABLE}` than in the file.",
	}, {
		.name = "hash_seed",
		.type = KEY_TEXT,
		FIELD(conf_pool, placement.hash_seed),
		.initial_words = "none",
		.placements = seed_placements,
		.help = "The seed of memcached's proxy, the salt of mcrouter.",
	}, {
		.name = "hash_stop",
		.type = KEY_TEXT,
		FIELD(conf_pool, placement.hash_stop),
		.initial_words = "none",
		.placements = stop_placements,
		.help = "Only what comes before this text in a key is hashed.",
	}, {
		.name = "hash_avalanche",
		.type = KEY_BOOL,
		FIELD(conf_pool, placement.hash_avalanche),
		.initial = false,
		.placements = haproxy_placements,
		.help = "HAProxy's modifier `avalanche`: the hash of a key is "
		    "mixed once more.",
	}, {
		.name = "unsigned_chars",
		.type = KEY_BOOL,
		FIELD(conf_pool, placement.is_char_unsigned),
		.initial = false,
		.placements = char_placements,
		.help = "Whether bytes of 128 and above are hashed as the "
		    "program does on ARM rather than on x86.",
	}, {
		.name = "ring_size_min",
		.type = KEY_INTEGER,
		FIELD(conf_pool, placement.ring_size_min),
		.initial_words = "the placement's own",
		.min = 1, .max = 16777216,
		.placements = envoy_placements,
		.help = "Envoy's `minimum_ring_size`.",
	}, {
		.name = "ring_size_max",
		.type = KEY_INTEGER,
		FIELD(conf_pool, placement.ring_size_max),
		.initial_words = "the placement's own",
		.min = 1, .max = 16777216,
		.placements = envoy_placements,
		.help = "Envoy's `maximum_ring_size`.",
	}, {
		.name = "timeouts",
		.type = KEY_SECTION, .section = SECTION_TIMEOUTS,
		.help = "How long a server may take.",
	}, {
		.name = "on_down",
		.type = KEY_CHOICE, .choices = &on_down_choices,
		FIELD(conf_pool, on_down),
		.initial = CONF_ON_DOWN_MISS,
		.help = "What becomes of the keys of a server that is down: "
		    "`miss` (reads miss, writes fail), `error` (everything "
		    "fails), `next` (the next server takes them) or `gutter` "
		    "(another pool takes them).",
	}, {
		.name = "gutter",
		.type = KEY_POOL,
		FIELD(conf_pool, gutter_name),
		.initial_words = "none",
		.help = "With `on_down: gutter`, the pool that takes the keys "
		    "of a server that is down, by its own placement. What it "
		    "does where a server of its own is down is its own "
		    "`on_down`, which cannot be `gutter`.",
	}, {
		.name = "gutter_ttl",
		.type = KEY_DURATION,
		FIELD(conf_pool, gutter_ttl_ms),
		.initial_words = "1m, with a gutter",
		.min = SECOND, .max = 24 * HOUR,
		.help = "The longest that an item lives in the gutter, "
		    "whatever its command says; whole seconds.",
	}, {
		.name = "health",
		.type = KEY_SECTION, .section = SECTION_HEALTH,
		.help = "When a server counts as down, and when it is tried "
		    "again.",
	}, {
		.name = "server_connections",
		.type = KEY_INTEGER,
		FIELD(conf_pool, server_connections),
		.initial = 1, .min = 1, .max = 64,
		.help = "Connections of each worker to each server.",
	}, {
		.name = "server_queue",
		.type = KEY_INTEGER,
		FIELD(conf_pool, server_queue),
		.initial = 65536, .min = 1, .max = 1048576,
		.help = "Requests that may be under way on one connection; "
		    "one more fails at once.",
	}, {
		.name = "server_queue_bytes",
		.type = KEY_SIZE,
		FIELD(conf_pool, server_queue_bytes),
		.initial = 32 * MIB, .min = 64 * KIB, .max = 1024 * GIB,
		.help = "Bytes that may wait to be sent on one connection; "
		    "while there are as many, a request fails at once.",
	}, {
		.name = "join_gets",
		.type = KEY_BOOL,
		FIELD(conf_pool, join_gets),
		.initial = true,
		.help = "Whether gets that wait to be sent to one server may "
		    "share a line. Set it to `false` where a server, or a "
		    "proxy in its place, answers the keys of a line in "
		    "another order than asked.",
	}, {
		.name = "flush_all",
		.type = KEY_BOOL,
		FIELD(conf_pool, flush_all),
		.initial = false,
		.help = "Whether clients may empty all servers of the pool "
		    "with `flush_all`.",
	},
};

static const struct key timeouts_keys[] = {
	{
		.name = "connect",
		.type = KEY_DURATION,
		FIELD(conf_pool, connect_timeout_ms),
		.initial = 250, .min = 1, .max = HOUR,
		.help = "To open a connection.",
	}, {
		.name = "request",
		.type = KEY_DURATION,
		FIELD(conf_pool, request_timeout_ms),
		.initial = SECOND, .min = 1, .max = HOUR,
		.help = "From a request's arrival here to its reply.",
	},
};

static const struct key health_keys[] = {
	{
		.name = "failures",
		.type = KEY_INTEGER,
		FIELD(conf_pool, health_failures),
		.initial = 3, .min = 1, .max = 1000000,
		.help = "Failures in a row after which a server is down.",
	}, {
		.name = "retry",
		.type = KEY_DURATION,
		FIELD(conf_pool, health_retry_ms),
		.initial = SECOND, .min = 1, .max = HOUR,
		.help = "From then to the first probe. Each probe in vain, "
		    "and each relapse, doubles the time to the next.",
	}, {
		.name = "retry_max",
		.type = KEY_DURATION,
		FIELD(conf_pool, health_retry_max_ms),
		.initial = 60 * SECOND, .min = 1, .max = HOUR,
		.help = "The longest time between two probes: so long may a "
		    "server be back before it is used again.",
	}, {
		.name = "max_down",
		.type = KEY_PERCENT,
		FIELD(conf_pool, health_max_down),
		.initial = 80, .min = 1, .max = 100,
		.help = "The share of the pool's servers that may be down at "
		    "a time, rounded down, but always one. Where more look "
		    "dead, this host's network is suspected, and the rest "
		    "are used on.",
	},
};

static const struct key server_keys[] = {
	{
		.name = "address",
		.type = KEY_ADDRESS,
		FIELD(conf_server, address), AUX(conf_server, endpoint),
		.is_required = true,
		.help = "`host:port`, `1.2.3.4:port`, `[v6]:port` or "
		    "`unix:/path`.",
	}, {
		.name = "name",
		.type = KEY_NAME,
		FIELD(conf_server, name), AUX(conf_server, is_named),
		.initial_words = "the address as written",
		.min = 1, .max = 250,
		.help = "What places keys. Keep it when the address changes, "
		    "and no key moves.",
	}, {
		.name = "weight",
		.type = KEY_WEIGHT,
		FIELD(conf_server, weight),
		.initial = 1, .min = 0, .max = 1000000,
		.help = "Its share of the keys relative to the others': a "
		    "whole number, or a decimal where the placement takes "
		    "one.",
	},
};

const struct section pool_section = {
	KEYS(pool_keys), .size = sizeof(struct conf_pool),
	.noun = "pool", PLACE(conf_pool),
	.name = offsetof(struct conf_pool, name),
};

const struct section timeouts_section = {
	KEYS(timeouts_keys), .size = sizeof(struct conf_pool),
	.noun = "timeouts",
};

const struct section health_section = {
	KEYS(health_keys), .size = sizeof(struct conf_pool),
	.noun = "health",
};

const struct section server_section = {
	KEYS(server_keys), .size = sizeof(struct conf_server),
	.noun = "server", PLACE(conf_server), .short_key = "address",
};

_Static_assert(LENGTH(pool_keys) <= KEYS_MAX, "the largest section fits");
