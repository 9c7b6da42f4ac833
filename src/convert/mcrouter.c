/*
 * mcrouter's JSON.
 *
 * A pool with the hash of the route that leads to it becomes a pool of ours
 * with mcrouter's placement; two routes with different hashes make two pools
 * of it. The policies of a PrefixSelectorRoute become routes by prefix. Of
 * routes that do more than to choose a pool (fail over, copy, warm up) the
 * first way on is taken, and a remark says what is lost.
 */
#include <string.h>

#include "base/num.h"
#include "convert/convert.h"
#include "convert/json_comments.h"
#include "convert/source.h"

/* Routes stand in routes; tree_parse() bounds how deep. */
struct reading {
	struct draft		*draft;
	struct draft_listener	*listener;
	const struct node	*pools;		/* by name; may be NULL */
	bool			 is_behind_prefix;
};

/* How a route spreads keys over its pool. */
struct hashing {
	const char		*placement;
	const char		*seed;		/* or NULL */
	const struct node	*weights;	/* or NULL */
	const struct node	*tags;		/* or NULL */
};

#define LOST(r, ...) draft_note((r)->draft, &(r)->draft->notes,                \
    "LOST: " __VA_ARGS__)

static const char *follow(struct reading *r, const struct node *route);

/* --- pools -------------------------------------------------------------- */

/* What follows host and port: a protocol, and how it is secured. */
static void
check_access(struct reading *r, const struct node *node, struct span rest)
{
	static const struct span ascii = SPAN_LIT(":ascii");

	if (!span_starts(rest, ascii)) {
		source_complain(r->draft, node, "only servers of the ascii "
		    "protocol can be taken over");
		return;
	}
	rest = span_of(rest.p + ascii.len, rest.len - ascii.len);
	if (rest.len > 0 && !span_starts(rest, span_str(":plain")))
		source_complain(r->draft, node, "only servers without TLS can "
		    "be taken over");
}

/* "host:port", perhaps with more after it. */
static const char *
read_address(struct reading *r, const struct node *node, struct span text)
{
	struct span host = text, port = span_of(NULL, 0);
	const char *colon, *end;

	if (span_starts(text, span_str("unix:")))
		return source_unix_address(r->draft, node,
		    span_of(text.p + 5, text.len - 5));
	end = text.len > 0 && text.p[0] == '[' ?
	    memchr(text.p, ']', text.len) : text.p;
	colon = end == NULL ? NULL : memchr(end, ':', (size_t)(text.p +
	    text.len - end));
	if (colon != NULL) {
		host.len = (size_t)(colon - text.p);
		port = span_of(colon + 1, text.len - host.len - 1);
		colon = memchr(port.p, ':', port.len);
	}
	if (colon != NULL) {
		struct span rest = span_of(colon, port.len -
		    (size_t)(colon - port.p));

		port.len -= rest.len;
		check_access(r, node, rest);
	}
	return source_address(r->draft, node, host, port);
}

/* The i-th member of a list, or NULL. */
static const struct node *
member(const struct node *list, size_t i)
{
	const struct node_entry *entry;

	if (list == NULL || list->kind != NODE_LIST)
		return NULL;
	STAILQ_FOREACH(entry, &list->entries, next) {
		if (i-- == 0)
			return entry->value;
	}
	return NULL;
}

static void
read_server(struct reading *r, struct draft_pool *pool,
    const struct node *node, const struct hashing *hashing)
{
	const struct node *weight = member(hashing->weights, pool->nservers);
	const struct node *tag = member(hashing->tags, pool->nservers);
	struct draft_server *server;
	struct span text;

	if (!source_text(r->draft, node, "servers", &text))
		return;
	server = draft_add_server(r->draft, pool);
	if (server == NULL)
		return;
	server->address = read_address(r, node, text);
	if (tag != NULL && source_text(r->draft, tag, "tags", &text))
		server->name = draft_copy(r->draft, text);
	if (hashing->weights == NULL)
		return;
	/* As mcrouter has it where the list is too short. */
	server->weight = "0.5";
	if (weight != NULL && source_text(r->draft, weight, "weights", &text))
		server->weight = draft_copy(r->draft, text);
}

static uint64_t
read_timeout(struct reading *r, const struct node *map, const char *name)
{
	const struct node *node = node_get(map, name);
	int64_t ms;

	if (node == NULL || !source_number(r->draft, node, name, &ms))
		return 0;
	return source_clamp_ms(ms);
}

/* What a pool says of all its servers' connections. */
static void
check_pool_access(struct reading *r, const struct node *map)
{
	const struct node *protocol = node_get(map, "protocol");
	const struct node *security = node_get(map, "security_mech");
	struct span text;

	if (protocol != NULL && source_text(r->draft, protocol, "protocol",
	    &text) && !span_eq(text, span_str("ascii")))
		source_complain(r->draft, protocol, "only servers of the "
		    "ascii protocol can be taken over");
	if (security != NULL && source_text(r->draft, security,
	    "security_mech", &text) && !span_eq(text, span_str("plain")))
		source_complain(r->draft, security, "only servers without TLS "
		    "can be taken over");
}

static void
fill_pool(struct reading *r, struct draft_pool *pool, const struct node *map,
    const struct hashing *hashing)
{
	const struct node *servers = node_get(map, "servers");
	const struct node_entry *entry;

	pool->placement = hashing->placement;
	pool->hash_seed = hashing->seed;
	pool->on_down = "miss";
	pool->connect_ms = read_timeout(r, map, "connect_timeout");
	pool->request_ms = read_timeout(r, map, "server_timeout");
	check_pool_access(r, map);
	if (servers == NULL || servers->kind != NODE_LIST ||
	    servers->nentries == 0) {
		source_complain(r->draft, map, "pool \"%s\" has no list of "
		    "servers", pool->name);
		return;
	}
	STAILQ_FOREACH(entry, &servers->entries, next)
		read_server(r, pool, entry->value, hashing);
}

static bool
is_same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Our pool for one of its, made at the first call; its name, or NULL. */
static const char *
pool_of(struct reading *r, const struct node *map, struct span name,
    const struct hashing *hashing)
{
	struct draft_pool *pool;

	STAILQ_FOREACH(pool, &r->draft->pools, next) {
		if (pool->origin == map &&
		    strcmp(pool->placement, hashing->placement) == 0 &&
		    is_same_text(pool->hash_seed, hashing->seed))
			return pool->name;
	}
	pool = draft_add_pool(r->draft);
	if (pool == NULL)
		return NULL;
	pool->origin = map;
	draft_name_pool(r->draft, pool, name);
	fill_pool(r, pool, map, hashing);
	return pool->name;
}

/* A pool by its name, "Pool|name", or written out in place. */
static const char *
find_pool(struct reading *r, const struct node *node,
    const struct hashing *hashing)
{
	const struct node *name = node_get(node, "name"), *map = node;
	struct span text = span_str("pool");

	if (name != NULL && !source_text(r->draft, name, "name", &text))
		return NULL;
	if (node->kind == NODE_SCALAR) {
		text = node->text;
		if (span_starts(text, span_str("Pool|")))
			text = span_of(text.p + 5, text.len - 5);
	}
	if (node_get(node, "servers") == NULL) {
		const char *key = draft_copy(r->draft, text);

		map = key == NULL || r->pools == NULL ? NULL :
		    node_get(r->pools, key);
	}
	if (map == NULL || map->kind != NODE_MAP) {
		source_complain(r->draft, node, "there is no pool \"%.*s\"",
		    (int)text.len, text.p);
		return NULL;
	}
	return pool_of(r, map, text, hashing);
}

/* --- hashing ------------------------------------------------------------ */

static bool
set_function(struct reading *r, const struct node *node,
    struct hashing *hashing)
{
	static const char *const functions[][2] = {
		{"Ch3", "mcrouter-ch3"},
		{"Crc32", "mcrouter-crc32"},
		{"WeightedCh3", "mcrouter-weighted-ch3"},
		{"Rendezvous", "mcrouter-rendezvous"},
		{"WeightedRendezvous", "mcrouter-weighted-rendezvous"},
	};
	struct span text;

	if (!source_text(r->draft, node, "hash_func", &text))
		return false;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!span_eq(text, span_str(functions[i][0])))
			continue;
		hashing->placement = functions[i][1];
		return true;
	}
	source_complain(r->draft, node, "the hash function %.*s cannot be "
	    "taken over", (int)text.len, text.p);
	return false;
}

/* What `map`, a route or its "hash", says; false after complaining. */
static bool
read_hashing(struct reading *r, const struct node *map,
    struct hashing *hashing)
{
	const struct node *function = node_get(map, "hash_func");
	const struct node *salt = node_get(map, "salt");
	struct span text;

	*hashing = (struct hashing){.placement = "mcrouter-ch3"};
	if (map != NULL && map->kind == NODE_SCALAR)
		function = map;
	if (function != NULL && !set_function(r, function, hashing))
		return false;
	if (salt != NULL && source_text(r->draft, salt, "salt", &text) &&
	    text.len > 0)
		hashing->seed = draft_copy(r->draft, text);
	if (strstr(hashing->placement, "weighted") != NULL)
		hashing->weights = node_get(map, "weights");
	if (strstr(hashing->placement, "rendezvous") != NULL)
		hashing->tags = node_get(map, "tags");
	return true;
}

/* --- routes ------------------------------------------------------------- */

static const char *
pool_route(struct reading *r, const struct node *route)
{
	const struct node *pool = node_get(route, "pool");
	struct hashing hashing;

	if (pool == NULL) {
		source_complain(r->draft, route, "a PoolRoute needs a pool");
		return NULL;
	}
	if (node_get(route, "shadows") != NULL)
		LOST(r, "the shadows of a PoolRoute");
	if (!read_hashing(r, node_get(route, "hash"), &hashing))
		return NULL;
	return find_pool(r, pool, &hashing);
}

static const char *
hash_route(struct reading *r, const struct node *route)
{
	const struct node *children = node_get(route, "children");
	struct hashing hashing;

	if (children == NULL || children->kind == NODE_LIST) {
		source_complain(r->draft, route, "of a HashRoute only one "
		    "whose children are a pool can be taken over");
		return NULL;
	}
	if (!read_hashing(r, route, &hashing))
		return NULL;
	return find_pool(r, children, &hashing);
}

static const char *
prefix_route(struct reading *r, const struct node *route)
{
	const struct node *policies = node_get(route, "policies");
	const struct node *wildcard = node_get(route, "wildcard");
	const struct node_entry *entry;
	struct draft_route *ours;

	if (r->is_behind_prefix) {
		source_complain(r->draft, route, "a PrefixSelectorRoute behind "
		    "a prefix of another one cannot be taken over");
		return NULL;
	}
	r->is_behind_prefix = true;
	if (policies != NULL && policies->kind == NODE_MAP) {
		STAILQ_FOREACH(entry, &policies->entries, next) {
			const char *pool = follow(r, entry->value);

			ours = pool == NULL ? NULL :
			    draft_add_route(r->draft, r->listener);
			if (ours == NULL)
				continue;
			ours->prefix = source_key(r->draft, entry->key);
			ours->pool = pool;
		}
	}
	r->is_behind_prefix = false;
	if (wildcard != NULL)
		return follow(r, wildcard);
	source_complain(r->draft, route, "a PrefixSelectorRoute needs a "
	    "\"wildcard\": here each key goes somewhere");
	return NULL;
}

/* The way on that a route of another kind has first. */
static const struct node *
first_way(const struct node *route, const char **key_r)
{
	static const char *const keys[] = {"default_policy", "child",
	    "children", "target", "normal", "cold", "from", "l1", "default"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct node *way = node_get(route, keys[i]);

		*key_r = keys[i];
		if (way != NULL && way->kind == NODE_LIST)
			return member(way, 0);
		if (way != NULL)
			return way;
	}
	return NULL;
}

static const char *
other_route(struct reading *r, const struct node *route, struct span type)
{
	const char *key;
	const struct node *way = first_way(route, &key);

	if (way == NULL) {
		source_complain(r->draft, route, "a route of type \"%.*s\" "
		    "cannot be taken over%s", (int)type.len, type.p,
		    node_get(route, "operation_policies") == NULL ? "" :
		    " without a default_policy: here all commands go one way");
		return NULL;
	}
	LOST(r, "%.*s in line %u: only %s %s is taken over", (int)type.len,
	    type.p, (unsigned)route->place.line,
	    strcmp(key, "children") == 0 ? "the first of its" : "its", key);
	return follow(r, way);
}

static const char *
short_route(struct reading *r, const struct node *route)
{
	static const char pool[] = "PoolRoute|";
	struct hashing hashing;

	if (!span_starts(route->text, span_str(pool))) {
		source_complain(r->draft, route, "the route \"%.*s\" cannot "
		    "be taken over", (int)route->text.len, route->text.p);
		return NULL;
	}
	if (!read_hashing(r, NULL, &hashing))
		return NULL;
	return find_pool(r, &(struct node){
	    .kind = NODE_SCALAR,
	    .place = route->place,
	    .text = span_of(route->text.p + sizeof(pool) - 1,
		route->text.len - (sizeof(pool) - 1)),
	}, &hashing);
}

/* The name of the pool of ours where a route leads, or NULL with errors. */
static const char *
follow(struct reading *r, const struct node *route)
{
	const struct node *type = node_get(route, "type");
	struct span text;

	if (route->kind == NODE_SCALAR)
		return short_route(r, route);
	if (type == NULL || !source_text(r->draft, type, "type", &text)) {
		source_complain(r->draft, route, "a route needs a \"type\"");
		return NULL;
	}
	if (span_eq(text, span_str("PoolRoute")))
		return pool_route(r, route);
	if (span_eq(text, span_str("HashRoute")))
		return hash_route(r, route);
	if (span_eq(text, span_str("PrefixSelectorRoute")))
		return prefix_route(r, route);
	return other_route(r, route, text);
}

/* "routes": one for each region and cluster; the first one is for all. */
static const struct node *
first_of_routes(struct reading *r, const struct node *routes)
{
	const struct node *first = member(routes, 0);

	if (first == NULL)
		return NULL;
	if (routes->nentries > 1)
		LOST(r, "of the routes by /region/cluster/ only the first is "
		    "taken over, for all keys");
	return node_get(first, "route");
}

void
convert_mcrouter(struct draft *draft, struct span text,
    const struct convert_options *options)
{
	const char *blanked = json_comments_blank(draft, text);
	const struct node *root = blanked == NULL ? NULL :
	    source_parse(draft, span_of(blanked, text.len));
	struct reading r = {
		.draft = draft,
		.listener = draft_add_listener(draft),
	};
	const struct node *route;

	if (root == NULL || r.listener == NULL)
		return;
	r.listener->listen = options->listen;
	r.pools = node_get(root, "pools");
	route = node_get(root, "route");
	if (route == NULL && node_get(root, "routes") != NULL)
		route = first_of_routes(&r, node_get(root, "routes"));
	if (route == NULL) {
		source_complain(draft, root, "has no \"route\"");
		return;
	}
	draft_note(draft, &draft->notes, "mcrouter takes /region/cluster/ off "
	    "the keys before it sends them; Fairlead places keys without it, "
	    "and sends them whole.");
	r.listener->pool = follow(&r, route);
}
