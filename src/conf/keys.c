/* The table of every key. */
#include "conf/keys.h"

#include "conf/conf.h"
#include "ring/hash.h"
#include "ring/placement.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define SECOND UINT64_C(1000)
#define HOUR (3600 * SECOND)

/* Where a value goes: a field of the section's struct. */
#define FIELD(s, f) .offset = offsetof(struct s, f),                           \
	.width = sizeof(((struct s *)NULL)->f)
#define AUX(s, f) .aux = offsetof(struct s, f)

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static const char *
on_down_word(size_t i)
{
	static const char *const words[] = {
		[CONF_ON_DOWN_MISS] = "miss",
		[CONF_ON_DOWN_ERROR] = "error",
		[CONF_ON_DOWN_NEXT] = "next",
	};

	return words[i];
}

static const char *
auth_word(size_t i)
{
	return i == CONF_AUTH_ACCEPT ? "accept" : "none";
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

static const struct choices on_down_choices = {3, on_down_word};
static const struct choices auth_choices = {2, auth_word};
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

static const struct key reload_keys[] = {
	{
		.name = "watch",
		.type = KEY_DURATION,
		FIELD(conf, reload_watch_ms),
		.initial = 0, .min = 0, .max = HOUR,
		.help = "How often the file is looked at; a change that "
		    "still stands at the next look is loaded. `0`: every 2s "
		    "if the file belongs to a mounted ConfigMap, else never.",
	},
};

static const struct key root_keys[] = {
	{
		.name = "config_version",
		.type = KEY_INTEGER,
		FIELD(conf, config_version),
		.initial = CONF_VERSION, .min = CONF_VERSION,
		.max = CONF_VERSION,
		.help = "Version of this format.",
	}, {
		.name = "workers",
		.type = KEY_INTEGER,
		FIELD(conf, workers), AUX(conf, workers_place),
		.initial = 1, .min = 1, .max = 64,
		.is_restart_only = true,
		.help = "Threads that serve clients. One is enough for most "
		    "hosts; more than there are processors is waste.",
	}, {
		.name = "shutdown_timeout",
		.type = KEY_DURATION,
		FIELD(conf, shutdown_timeout_ms),
		.initial = 8 * SECOND, .min = 0, .max = HOUR,
		.help = "After SIGTERM, how long clients are still served "
		    "before the process ends anyway.",
	}, {
		.name = "reload",
		.type = KEY_SECTION, .section = SECTION_RELOAD,
		.help = "When the file is read again without a signal.",
	}, {
		.name = "limits",
		.type = KEY_SECTION, .section = SECTION_LIMITS,
		FIELD(conf, limits),
		.help = "What clients may use.",
	}, {
		.name = "listeners",
		.type = KEY_LIST, .section = SECTION_LISTENER,
		FIELD(conf, listeners), AUX(conf, nlisteners),
		.min = 1, .max = 64,
		.is_required = true,
		.help = "Where clients connect.",
	}, {
		.name = "pools",
		.type = KEY_TABLE, .section = SECTION_POOL,
		FIELD(conf, pools), AUX(conf, npools),
		.min = 1, .max = 1024,
		.is_required = true,
		.help = "Groups of servers among which keys are placed, by "
		    "name. A name has letters, digits, `_`, `-` and `.`.",
	},
};

static const struct key limits_keys[] = {
	{
		.name = "clients",
		.type = KEY_INTEGER,
		FIELD(conf_limits, clients),
		.initial = 4096, .min = 1, .max = 1000000,
		.help = "Client connections at a time; one more is told so "
		    "and closed.",
	}, {
		.name = "value_size",
		.type = KEY_SIZE,
		FIELD(conf_limits, value_size),
		.initial = MIB, .min = KIB, .max = GIB,
		.help = "Bytes of one value. It should not be less than the "
		    "servers' own limit (their -I).",
	}, {
		.name = "client_buffer",
		.type = KEY_SIZE,
		FIELD(conf_limits, client_buffer),
		.initial = 4 * MIB, .min = 64 * KIB, .max = 4 * GIB,
		.help = "Bytes that may wait for one client; it is not read "
		    "while there are more.",
	}, {
		.name = "memory",
		.type = KEY_SIZE,
		FIELD(conf_limits, memory),
		.initial = 256 * MIB, .min = MIB, .max = 1024 * GIB,
		.help = "Bytes of all buffers together; past it, requests "
		    "are answered with an error.",
	}, {
		.name = "request_line",
		.type = KEY_SIZE,
		FIELD(conf_limits, request_line),
		.initial = MIB, .min = 2 * KIB, .max = 64 * MIB,
		.help = "Bytes of one `get` line with many keys.",
	},
};

static const struct key listener_keys[] = {
	{
		.name = "listen",
		.type = KEY_LISTEN,
		FIELD(conf_listener, listen), AUX(conf_listener, endpoint),
		.is_required = true,
		.help = "`1.2.3.4:port`, `[v6]:port` or `unix:/path`. Never "
		    "a host name.",
	}, {
		.name = "mode",
		.type = KEY_MODE,
		FIELD(conf_listener, mode),
		.initial_words = "0660 for a unix socket",
		.min = 0001, .max = 0777,
		.help = "Permissions of a unix socket, in octal.",
	}, {
		.name = "pool",
		.type = KEY_POOL,
		FIELD(conf_listener, pool_name),
		.initial_words = "the pool, if there is only one",
		.help = "The pool of every key that no route matches.",
	}, {
		.name = "routes",
		.type = KEY_LIST, .section = SECTION_ROUTE,
		FIELD(conf_listener, routes), AUX(conf_listener, nroutes),
		.min = 0, .max = 4096,
		.help = "Prefixes of keys that go to other pools. The longest "
		    "one that matches wins, in whatever order they stand.",
	}, {
		.name = "auth",
		.type = KEY_CHOICE, .choices = &auth_choices,
		FIELD(conf_listener, auth),
		.initial = CONF_AUTH_NONE,
		.help = "Of clients that log in by memcached's text protocol: "
		    "`accept` answers a `set` that is the first command of a "
		    "connection with STORED and drops it; `none` takes it "
		    "for a `set` like any other. No password is checked.",
	},
};

static const struct key route_keys[] = {
	{
		.name = "prefix",
		.type = KEY_PREFIX,
		FIELD(conf_route, prefix), AUX(conf_route, prefix_len),
		.min = 1, .max = 250,
		.is_required = true,
		.help = "The first bytes of a key, compared exactly.",
	}, {
		.name = "pool",
		.type = KEY_POOL,
		FIELD(conf_route, pool_name),
		.is_required = true,
		.help = "The pool of keys that start with the prefix.",
	},
};

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
		    "fails) or `next` (the next server takes them).",
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
		.help = "From then to the first probe; longer after each "
		    "relapse.",
	}, {
		.name = "retry_max",
		.type = KEY_DURATION,
		FIELD(conf_pool, health_retry_max_ms),
		.initial = 60 * SECOND, .min = 1, .max = HOUR,
		.help = "The longest time between two probes.",
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

#define KEYS(a) .keys = (a), .nkeys = LENGTH(a)
#define PLACE(s) .has_place = true, .place = offsetof(struct s, place)

static const struct section sections[] = {
	[SECTION_ROOT] = {
		KEYS(root_keys), .size = sizeof(struct conf),
	},
	[SECTION_RELOAD] = {
		KEYS(reload_keys), .size = sizeof(struct conf),
		.noun = "reload",
	},
	[SECTION_LIMITS] = {
		KEYS(limits_keys), .size = sizeof(struct conf_limits),
		.noun = "limits",
	},
	[SECTION_LISTENER] = {
		KEYS(listener_keys), .size = sizeof(struct conf_listener),
		.noun = "listener", PLACE(conf_listener),
	},
	[SECTION_ROUTE] = {
		KEYS(route_keys), .size = sizeof(struct conf_route),
		.noun = "route", PLACE(conf_route),
	},
	[SECTION_POOL] = {
		KEYS(pool_keys), .size = sizeof(struct conf_pool),
		.noun = "pool", PLACE(conf_pool),
		.name = offsetof(struct conf_pool, name),
	},
	[SECTION_TIMEOUTS] = {
		KEYS(timeouts_keys), .size = sizeof(struct conf_pool),
		.noun = "timeouts",
	},
	[SECTION_HEALTH] = {
		KEYS(health_keys), .size = sizeof(struct conf_pool),
		.noun = "health",
	},
	[SECTION_SERVER] = {
		KEYS(server_keys), .size = sizeof(struct conf_server),
		.noun = "server", PLACE(conf_server), .short_key = "address",
	},
};

_Static_assert(LENGTH(sections) == SECTION_COUNT, "one row a section");
_Static_assert(LENGTH(pool_keys) <= KEYS_MAX, "the largest section fits");

const struct section *
section_by_id(enum section_id id)
{
	return &sections[id];
}

const struct key *
section_key(const struct section *section, struct span name)
{
	for (size_t i = 0; i < section->nkeys; i++) {
		if (span_eq(span_str(section->keys[i].name), name))
			return &section->keys[i];
	}
	return NULL;
}

bool
key_is_for_placement(const struct key *key, enum placement_kind kind)
{
	struct span name = span_str(placement_kind_name(kind));

	if (key->placements == NULL)
		return true;
	for (size_t i = 0; key->placements[i] != NULL; i++) {
		if (span_starts(name, span_str(key->placements[i])))
			return true;
	}
	return false;
}
