/*
 * twemproxy's nutcracker.yml.
 *
 * A pool of its becomes a pool and a listener of ours. Placement is that of
 * the preset twemproxy-ketama or twemproxy-modula, which also has its names,
 * its order and its rounding. Unnamed servers stay unnamed: the preset spells
 * their addresses as twemproxy does. A name keeps its quotes if it was written
 * in the middle of a plain scalar, where they are part of what is hashed.
 */
#include <string.h>

#include "base/num.h"
#include "convert/convert.h"
#include "convert/nutcracker_server.h"
#include "convert/source.h"

/* A pool while its keys are read. */
struct reading {
	struct draft		*draft;
	struct draft_pool	*pool;
	struct draft_listener	*listener;
	const struct node	*map;
	bool			 is_redis;
	bool			 ejects;
	int64_t			 timeout_ms;	/* below 1: for ever */
	int64_t			 failures;
	int64_t			 retry_ms;
};

#define NOTE(r, ...) draft_note((r)->draft, &(r)->pool->notes, __VA_ARGS__)

/* --- addresses ---------------------------------------------------------- */

static void
read_unix_listen(struct reading *r, const struct node *node,
    struct span text)
{
	const char *blank = memchr(text.p, ' ', text.len);
	struct span path = text;

	if (blank != NULL) {
		path.len = (size_t)(blank - text.p);
		r->listener->mode = draft_copy(r->draft,
		    span_of(blank + 1, text.len - path.len - 1));
	}
	r->listener->listen = source_unix_address(r->draft, node, path);
}

static void
read_listen(struct reading *r, const struct node *node)
{
	static const char local[] = "localhost:";
	struct span text, host, port;
	const char *colon;

	if (!source_text(r->draft, node, "listen", &text))
		return;
	if (text.len > 0 && text.p[0] == '/') {
		read_unix_listen(r, node, text);
		return;
	}
	colon = text.len == 0 ? NULL : memrchr(text.p, ':', text.len);
	if (colon == NULL) {
		source_complain(r->draft, node, "\"listen\" needs host:port "
		    "or a path");
		return;
	}
	host = span_of(text.p, (size_t)(colon - text.p));
	port = span_of(colon + 1, text.len - host.len - 1);
	if (span_starts(text, span_str(local)) &&
	    host.len == sizeof(local) - 2) {
		host = span_str("127.0.0.1");
		draft_note(r->draft, &r->listener->notes,
		    "was localhost, which here must be an address");
	}
	r->listener->listen = source_address(r->draft, node, host, port);
	if (r->listener->listen != NULL &&
	    source_is_host_name(r->listener->listen))
		source_complain(r->draft, node, "\"listen\" must be an address "
		    "here: put that of %.*s in its place", (int)host.len,
		    host.p);
}

static void
set_weight(struct reading *r, const struct node *node,
    struct draft_server *server, struct span weight)
{
	uint64_t n;

	if (!num_parse_u64_max(weight, 1000000, &n) || n == 0)
		source_complain(r->draft, node, "the weight of a server must "
		    "be a whole number from 1 to 1000000");
	else if (n != 1)
		server->weight = draft_copy(r->draft, weight);
}

static void
read_server(struct reading *r, const struct node *node)
{
	struct nutcracker_server parts;
	struct draft_server *server;

	if (node->kind != NODE_SCALAR ||
	    !nutcracker_server_parse(node->text, &parts)) {
		source_complain(r->draft, node, "a server must be "
		    "host:port:weight or /path:weight, perhaps with a name "
		    "after a blank");
		return;
	}
	server = draft_add_server(r->draft, r->pool);
	if (server == NULL)
		return;
	server->address = parts.is_unix ?
	    source_unix_address(r->draft, node, parts.host) :
	    source_address(r->draft, node, parts.host, parts.port);
	set_weight(r, node, server, parts.weight);
	if (parts.name.len > 0)
		server->name = draft_copy(r->draft, parts.name);
	if (parts.name.len > 0 && (parts.name.p[0] == '"' ||
	    parts.name.p[0] == '\''))
		NOTE(r, "the quotes are part of the name %.*s: twemproxy "
		    "hashes them", (int)parts.name.len, parts.name.p);
}

static void
read_servers(struct reading *r, const struct node *node)
{
	const struct node_entry *entry;

	if (node->kind != NODE_LIST) {
		source_complain(r->draft, node, "\"servers\" must be a list");
		return;
	}
	STAILQ_FOREACH(entry, &node->entries, next)
		read_server(r, entry->value);
}

/* --- placement ---------------------------------------------------------- */

static void
read_hash(struct reading *r, const struct node *node)
{
	struct span text;

	if (source_text(r->draft, node, "hash", &text))
		r->pool->hash = draft_copy(r->draft, text);
	if (r->pool->hash != NULL && strcmp(r->pool->hash, "crc32") == 0)
		NOTE(r, "hash crc32 has 15 bits only: with ketama one server "
		    "gets nearly all keys, with twemproxy as well");
}

static void
read_distribution(struct reading *r, const struct node *node)
{
	char quoted[ERRORS_QUOTED_MAX];
	struct span text;

	if (!source_text(r->draft, node, "distribution", &text))
		return;
	if (span_eq(text, span_str("modula"))) {
		r->pool->placement = "twemproxy-modula";
	} else if (span_eq(text, span_str("random"))) {
		r->pool->placement = "ring";
		NOTE(r, "LOST: distribution random places no key: a server by "
		    "chance each time. Here each key has its place, by the "
		    "placement ring.");
	} else if (!span_eq(text, span_str("ketama"))) {
		source_complain(r->draft, node, "\"distribution\" must be "
		    "ketama, modula or random, not %s",
		    errors_quote(text, quoted));
	}
}

static void
read_hash_tag(struct reading *r, const struct node *node)
{
	struct span text;

	if (!source_text(r->draft, node, "hash_tag", &text))
		return;
	if (text.len != 2)
		source_complain(r->draft, node, "\"hash_tag\" must be two "
		    "characters");
	else
		r->pool->hash_tag = draft_copy(r->draft, text);
}

/* --- the rest ----------------------------------------------------------- */

static void
read_redis(struct reading *r, const struct node *node)
{
	if (!source_bool(r->draft, node, "redis", &r->is_redis) ||
	    !r->is_redis)
		return;
	source_complain(r->draft, node, "pool \"%s\" is for Redis, which "
	    "Fairlead does not speak: leave it to twemproxy", r->pool->name);
}

static void
read_timeout(struct reading *r, const struct node *node)
{
	if (!source_number(r->draft, node, "timeout", &r->timeout_ms))
		r->timeout_ms = 0;
}

static void
read_ejects(struct reading *r, const struct node *node)
{
	if (!source_bool(r->draft, node, "auto_eject_hosts", &r->ejects))
		r->ejects = false;
}

static void
read_failures(struct reading *r, const struct node *node)
{
	if (!source_number(r->draft, node, "server_failure_limit",
	    &r->failures))
		r->failures = 1;
}

static void
read_retry(struct reading *r, const struct node *node)
{
	if (!source_number(r->draft, node, "server_retry_timeout",
	    &r->retry_ms))
		r->retry_ms = 1;
}

static void
read_connections(struct reading *r, const struct node *node)
{
	int64_t n;

	if (source_number(r->draft, node, "server_connections", &n) && n > 1)
		NOTE(r, "server_connections: %lld is not taken over: one "
		    "connection carries all requests, so that a client reads "
		    "what it wrote", (long long)n);
}

static void
read_client_connections(struct reading *r, const struct node *node)
{
	int64_t n;

	if (source_number(r->draft, node, "client_connections", &n))
		NOTE(r, "client_connections: %lld is not taken over, and "
		    "twemproxy forgets it as well; see limits.clients, for "
		    "all pools together", (long long)n);
}

static void
read_preconnect(struct reading *r, const struct node *node)
{
	bool is_on;

	if (source_bool(r->draft, node, "preconnect", &is_on) && is_on)
		NOTE(r, "preconnect is not taken over: connections open with "
		    "the first request");
}

static void
read_backlog(struct reading *r, const struct node *node)
{
	int64_t n;

	if (source_number(r->draft, node, "backlog", &n) && n > 1024)
		NOTE(r, "backlog: %lld is not taken over: it is 1024",
		    (long long)n);
}

static void
read_keepalive(struct reading *r, const struct node *node)
{
	bool is_on;

	if (source_bool(r->draft, node, "tcpkeepalive", &is_on) && !is_on)
		NOTE(r, "tcpkeepalive: false is not taken over: it is on");
}

static void
ignore(struct reading *r, const struct node *node)
{
	(void)r;
	(void)node;
}

/* redis_* mean something with redis only, and that is refused. */
static const struct {
	const char	*name;
	void		(*read)(struct reading *r, const struct node *node);
} keys[] = {
	{"listen", read_listen},
	{"hash", read_hash},
	{"hash_tag", read_hash_tag},
	{"distribution", read_distribution},
	{"timeout", read_timeout},
	{"backlog", read_backlog},
	{"preconnect", read_preconnect},
	{"redis", read_redis},
	{"redis_auth", ignore},
	{"redis_db", ignore},
	{"tcpkeepalive", read_keepalive},
	{"reuseport", ignore},
	{"client_connections", read_client_connections},
	{"server_connections", read_connections},
	{"auto_eject_hosts", read_ejects},
	{"server_failure_limit", read_failures},
	{"server_retry_timeout", read_retry},
	{"servers", read_servers},
};

#define NKEYS (sizeof(keys) / sizeof(keys[0]))

static void
read_key(struct reading *r, const struct node_entry *entry)
{
	char quoted[ERRORS_QUOTED_MAX];

	for (size_t i = 0; i < NKEYS; i++) {
		if (!span_eq(entry->key->text, span_str(keys[i].name)))
			continue;
		keys[i].read(r, entry->value);
		return;
	}
	source_complain(r->draft, entry->key, "%s is no key of a pool of "
	    "nutcracker", errors_quote(entry->key->text, quoted));
}

/* What several keys decide together. */
static void
settle(struct reading *r)
{
	struct draft_pool *pool = r->pool;

	if (r->timeout_ms > 0) {
		pool->connect_ms = source_clamp_ms(r->timeout_ms);
		pool->request_ms = pool->connect_ms;
	} else {
		NOTE(r, "no timeout: twemproxy waits for ever, Fairlead as "
		    "long as \"timeouts\" says, by default 250ms to connect "
		    "and 1s for a request");
	}
	if (!r->ejects) {
		pool->on_down = "error";
		return;
	}
	pool->on_down = "next";
	pool->failures = r->failures < 1 ? 1 : (uint64_t)r->failures;
	pool->retry_ms = source_clamp_ms(r->retry_ms);
	NOTE(r, "auto_eject_hosts: twemproxy builds the ring anew without a "
	    "server that failed. Here it keeps its place, and the next "
	    "server on the ring has its keys meanwhile: keys of living "
	    "servers never move. A server is tried again by probes, not by "
	    "requests.");
}

static void
expect(struct reading *r, const char *name)
{
	if (node_get(r->map, name) == NULL)
		source_complain(r->draft, r->map, "pool \"%s\" has no \"%s\"",
		    r->pool->name, name);
}

static void
read_pool(struct draft *draft, const struct node_entry *entry)
{
	struct reading r = {
		.draft = draft,
		.map = entry->value,
		.failures = 2,
		.retry_ms = 30000,
		.pool = draft_add_pool(draft),
		.listener = draft_add_listener(draft),
	};
	const char *name = source_key(draft, entry->key);
	const struct node_entry *key;

	if (r.pool == NULL || r.listener == NULL || name == NULL)
		return;
	draft_name_pool(draft, r.pool, span_str(name));
	if (r.map->kind != NODE_MAP) {
		source_complain(draft, r.map, "a pool has keys: \"listen\", "
		    "\"servers\" and others");
		return;
	}
	r.listener->pool = r.pool->name;
	r.pool->placement = "twemproxy-ketama";
	STAILQ_FOREACH(key, &r.map->entries, next)
		read_key(&r, key);
	expect(&r, "listen");
	expect(&r, "servers");
	settle(&r);
}

void
convert_nutcracker(struct draft *draft, struct span text,
    const struct convert_options *options)
{
	const struct node *root = source_parse(draft, text);
	const struct node_entry *entry;

	(void)options;
	if (root == NULL)
		return;
	if (root->kind != NODE_MAP || root->nentries == 0) {
		source_complain(draft, root, "has no pools");
		return;
	}
	STAILQ_FOREACH(entry, &root->entries, next)
		read_pool(draft, entry);
}
