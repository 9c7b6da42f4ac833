/* Keys of what faces clients, and of the process itself. */
#include "conf/keys_rows.h"

static const char *
auth_word(size_t i)
{
	return i == CONF_AUTH_ACCEPT ? "accept" : "none";
}

static const struct choices auth_choices = {2, auth_word};

static const char *
privacy_word(size_t i)
{
	return i == CONF_PRIVACY_HASH ? "hash" : "none";
}

static const struct choices privacy_choices = {2, privacy_word};

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

static const struct key stats_keys[] = {
	{
		.name = "backend_totals",
		.type = KEY_BOOL,
		FIELD(conf, backend_totals),
		.initial = false,
		.help = "Whether servers are asked for their own statistics "
		    "every five seconds, so that `stats` shows the sums of "
		    "what only they know: items, bytes, evictions. Else they "
		    "are 0.",
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
		.name = "dns_refresh",
		.type = KEY_DURATION,
		FIELD(conf, dns_refresh_ms),
		.initial = 30 * SECOND, .min = SECOND, .max = HOUR,
		.help = "How often the host names of servers are looked up "
		    "again; besides at the start, at a reload, and when a "
		    "server goes down or does not answer a probe.",
	}, {
		.name = "admin",
		.type = KEY_SECTION, .section = SECTION_ADMIN,
		FIELD(conf, admin),
		.help = "HTTP for whoever runs the proxy: probes, metrics, "
		    "the status page.",
	}, {
		.name = "activate_at",
		.type = KEY_TIME,
		FIELD(conf, activate_at_ms),
		.initial_words = "at once",
		.help = "When a reload of this file comes into force, so that "
		    "many proxies change together. A time that has passed is "
		    "at once; so is the start of a process.",
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
		.name = "log",
		.type = KEY_SECTION, .section = SECTION_LOG,
		FIELD(conf, log),
		.help = "What is logged, how and where.",
	}, {
		.name = "stats",
		.type = KEY_SECTION, .section = SECTION_STATS,
		.help = "What is counted besides what passes.",
	}, {
		.name = "privacy",
		.type = KEY_CHOICE, .choices = &privacy_choices,
		FIELD(conf, privacy),
		.initial = CONF_PRIVACY_NONE,
		.help = "How keys are shown among the hot keys and in lines "
		    "about slow requests: `none`, as they are; `hash`, as a "
		    "number that is drawn anew at each start, so that nobody "
		    "can find the key by trying.",
	}, {
		.name = "listeners",
		.type = KEY_LIST, .section = SECTION_LISTENER,
		FIELD(conf, listeners), AUX(conf, nlisteners),
		.min = 1, .max = CONF_LISTENERS_MAX,
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

static const struct key admin_keys[] = {
	{
		.name = "listen",
		.type = KEY_LISTEN,
		FIELD(conf_admin, listen), AUX(conf_admin, endpoint),
		.initial_words = "nowhere",
		.help = "`127.0.0.1:9211`, or `unix:/path`; never a host "
		    "name. No password is asked: let nobody reach it who may "
		    "not see keys and addresses.",
	}, {
		.name = "mode",
		.type = KEY_MODE,
		FIELD(conf_admin, mode),
		.initial_words = "0660 for a unix socket",
		.min = 0001, .max = 0777,
		.help = "Permissions of a unix socket, in octal.",
	}, {
		.name = "actions",
		.type = KEY_BOOL,
		FIELD(conf_admin, actions),
		.initial = false,
		.help = "Whether POSTs are allowed, which do something, as "
		    "`POST /-/reload` does. GETs only look.",
	},
};

static const struct key limits_keys[] = {
	{
		.name = "clients",
		.type = KEY_INTEGER,
		FIELD(conf_limits, clients),
		.initial = 16384, .min = 1, .max = 1000000,
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
		.initial_words = "80 % of the cgroup's limit; 256MiB if "
		    "there is none",
		.min = MIB, .max = 1024 * GIB,
		.help = "Bytes of all buffers together; past it, requests "
		    "are answered with an error.",
	}, {
		.name = "request_line",
		.type = KEY_SIZE,
		FIELD(conf_limits, request_line),
		.initial = MIB, .min = 2 * KIB, .max = 64 * MIB,
		.help = "Bytes of one `get` line with many keys.",
	}, {
		.name = "client_idle",
		.type = KEY_DURATION,
		FIELD(conf_limits, client_idle_ms),
		.initial = 0, .min = 0, .max = 24 * HOUR,
		.help = "A client that asks nothing for so long, and waits "
		    "for nothing, is closed. `0`: never.",
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
		.name = "socket",
		.type = KEY_TEXT,
		FIELD(conf_listener, socket),
		.initial_words = "none",
		.help = "Name of a socket that systemd passes "
		    "(`FileDescriptorName=` in fairlead.socket), to be used "
		    "whatever it is bound to. Without one of that name, one "
		    "that is bound to `listen` is used, else a new one "
		    "opened.",
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

const struct section admin_section = {
	KEYS(admin_keys), .size = sizeof(struct conf_admin),
	.noun = "admin", PLACE(conf_admin),
};

const struct section reload_section = {
	KEYS(reload_keys), .size = sizeof(struct conf),
	.noun = "reload",
};

const struct section stats_section = {
	KEYS(stats_keys), .size = sizeof(struct conf),
	.noun = "stats",
};

const struct section root_section = {
	KEYS(root_keys), .size = sizeof(struct conf),
};

const struct section limits_section = {
	KEYS(limits_keys), .size = sizeof(struct conf_limits),
	.noun = "limits",
};

const struct section listener_section = {
	KEYS(listener_keys), .size = sizeof(struct conf_listener),
	.noun = "listener", PLACE(conf_listener),
};

const struct section route_section = {
	KEYS(route_keys), .size = sizeof(struct conf_route),
	.noun = "route", PLACE(conf_route),
};
