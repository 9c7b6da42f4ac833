/*
 * Placement: what all rules have in common.
 *
 * Keeps a copy of the membership and the spec, refuses doubled names, cuts
 * hash tags out of keys, and turns a rule's walk (in which a server may come
 * up again) into an order of distinct servers. The rule itself is a leaf
 * behind rule.h.
 */
#include "ring/placement.h"

#include <string.h>

#include "base/mem.h"
#include "ring/ring.h"
#include "ring/ring_names.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

struct placement {		/* immutable after build */
	struct placement_spec		 spec;
	const struct placement_rule	*rule;
	void				*state;		/* owned, the rule's */
	struct placement_server		*servers;	/* owned */
	size_t				 n;
	char				*text;		/* owned: their bytes */
	struct ring_names		 names;
};

static const struct placement_rule *const rules[] = {
#define X(member, rule) [PLACEMENT_##member] = &(rule),
	PLACEMENT_RULES(X)
#undef X
};

static struct span
copy_span(struct span s, char **at)
{
	struct span copy = span_of(*at, s.len);

	if (s.len > 0)
		memcpy(*at, s.p, s.len);
	*at += s.len;
	return copy;
}

/* Copies the servers and, into one block, the bytes they point at. */
static bool
copy_servers(struct placement *p, const struct placement_server *servers,
    size_t n)
{
	size_t bytes = 1;
	char *at;

	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(bytes, servers[i].name.len,
		    &bytes) || __builtin_add_overflow(bytes,
		    servers[i].host.len, &bytes))
			return false;
	}
	p->servers = mem_zalloc(n, sizeof(*p->servers));
	if (p->servers == NULL || (p->text = mem_alloc(bytes)) == NULL)
		return false;
	at = p->text;
	for (size_t i = 0; i < n; i++) {
		p->servers[i] = servers[i];
		p->servers[i].name = copy_span(servers[i].name, &at);
		p->servers[i].host = copy_span(servers[i].host, &at);
	}
	p->n = n;
	return true;
}

static enum placement_error
no_memory(size_t n, struct err *err)
{
	err_set(err, "out of memory for a pool of %zu servers", n);
	return PLACEMENT_STATE_CAPACITY_EXCEEDED;
}

static enum placement_error
index_names(struct placement *p, struct err *err)
{
	if (!ring_names_init(&p->names, p->servers, p->n))
		return no_memory(p->n, err);
	for (uint32_t i = 0; i < p->n; i++) {
		struct span name = p->servers[i].name;
		uint32_t first = ring_names_add(&p->names, i);

		if (first != PLACEMENT_NONE) {
			err_set(err, "two servers are called \"%.*s\", the "
			    "ones at positions %u and %u",
			    (int)(name.len > 200 ? 200 : name.len), name.p,
			    first + 1, i + 1);
			return PLACEMENT_DUPLICATE_IDENTITY;
		}
	}
	return PLACEMENT_OK;
}

static enum placement_error
fill(struct placement *p, const struct placement_server *servers, size_t n,
    struct err *err)
{
	enum placement_error error;

	if (n == 0) {
		err_set(err, "a pool needs at least one server");
		return PLACEMENT_NO_SERVERS;
	}
	if (n >= PLACEMENT_NONE) {
		err_set(err, "%zu servers are more than a pool can hold", n);
		return PLACEMENT_STATE_CAPACITY_EXCEEDED;
	}
	if (!copy_servers(p, servers, n))
		return no_memory(n, err);
	error = index_names(p, err);
	if (error != PLACEMENT_OK)
		return error;
	p->state = p->rule->build(&(struct rule_build){
	    &p->spec, p->servers, n, &error, err});
	MUST((p->state == NULL) == (error != PLACEMENT_OK));
	return error;
}

struct placement *
placement_build(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n,
    enum placement_error *error_r, struct err *err)
{
	struct placement *p = mem_zalloc(1, sizeof(*p));

	MUST((unsigned)spec->kind < PLACEMENT_KIND_COUNT);
	if (p == NULL) {
		*error_r = no_memory(n, err);
		return NULL;
	}
	p->spec = *spec;
	p->rule = rules[spec->kind];
	*error_r = fill(p, servers, n, err);
	if (*error_r != PLACEMENT_OK)
		placement_free(&p);
	return p;
}

void
placement_free(struct placement **placement)
{
	struct placement *p = *placement;

	*placement = NULL;
	if (p == NULL)
		return;
	if (p->state != NULL)
		p->rule->free(p->state);
	ring_names_fini(&p->names);
	mem_free(p->text);
	mem_free(p->servers);
	mem_free(p);
}

/* Between the first tag[0] and the first tag[1] after it, if not empty. */
static struct span
tagged_part(const char tag[2], struct span key)
{
	const char *open, *close;
	size_t rest;

	if (tag[0] == '\0' || key.len == 0)
		return key;
	open = memchr(key.p, tag[0], key.len);
	if (open == NULL)
		return key;
	open++;
	rest = key.len - (size_t)(open - key.p);
	close = rest == 0 ? NULL : memchr(open, tag[1], rest);
	if (close == NULL || close == open)
		return key;
	return span_of(open, (size_t)(close - open));
}

struct span
placement_key_part(const struct placement *p, struct span key)
{
	if (p->rule->key_part != NULL)
		return p->rule->key_part(&p->spec, key);
	return tagged_part(p->spec.hash_tag, key);
}

uint32_t
placement_owner(const struct placement *p, struct span key)
{
	/* The native ring is most pools' rule: no call through a pointer. */
	if (p->spec.kind == PLACEMENT_RING)
		return ring_owner(p->state, tagged_part(p->spec.hash_tag, key));
	return p->rule->owner(p->state, placement_key_part(p, key));
}

/* One walk: passes each server on once, to whoever asked for it. */
struct walk {
	size_t		 n;		/* servers there are */
	size_t		 passed;	/* distinct ones so far */
	bool		(*visit)(void *arg, uint32_t server);
	void		*arg;
	bool		 is_done;
	uint64_t	 seen[PLACEMENT_WALK_DISTINCT / 64];
};

static bool
visit_once(void *arg, uint32_t server)
{
	struct walk *walk = arg;

	if (walk->n <= PLACEMENT_WALK_DISTINCT) {
		uint64_t bit = UINT64_C(1) << (server % 64);

		if (walk->seen[server / 64] & bit)
			return false;
		walk->seen[server / 64] |= bit;
		walk->passed++;
	}
	walk->is_done = walk->visit(walk->arg, server);
	return walk->is_done || walk->passed == walk->n;
}

/*
 * `visit` sees each server in order, the owner first, until it returns true.
 * Beyond PLACEMENT_WALK_DISTINCT servers it may see one again.
 */
static void
walk_servers(const struct placement *p, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	struct walk walk;
	uint32_t first = 0;

	walk.n = p->n;
	walk.passed = 0;
	walk.visit = visit;
	walk.arg = arg;
	walk.is_done = false;
	if (p->n <= PLACEMENT_WALK_DISTINCT)
		memset(walk.seen, 0, (p->n + 63) / 64 * sizeof(walk.seen[0]));
	key = placement_key_part(p, key);
	if (p->rule->walk != NULL)
		p->rule->walk(p->state, key, visit_once, &walk);
	else
		first = p->rule->owner(p->state, key);
	for (size_t i = 0; i < p->n && !walk.is_done &&
	    walk.passed < walk.n; i++)
		visit_once(&walk, (uint32_t)((first + i) % p->n));
}

struct collector {
	uint32_t	*owners;
	size_t		 len;
	size_t		 want;
	bool		 may_repeat;	/* the walk may not remember all */
};

static bool
collect(void *arg, uint32_t server)
{
	struct collector *c = arg;

	for (size_t i = 0; c->may_repeat && i < c->len; i++) {
		if (c->owners[i] == server)
			return false;
	}
	c->owners[c->len++] = server;
	return c->len == c->want;
}

size_t
placement_owners(const struct placement *p, struct span key, size_t want,
    uint32_t *owners_r)
{
	struct collector c = {
		.owners = owners_r,
		.want = want < p->n ? want : p->n,
		.may_repeat = p->n > PLACEMENT_WALK_DISTINCT,
	};

	if (c.want > 0)
		walk_servers(p, key, collect, &c);
	return c.len;
}

struct chooser {
	bool		(*accepts)(void *arg, uint32_t server);
	void		*arg;
	uint32_t	 refused;	/* asked before the walk */
	uint32_t	 chosen;
};

static bool
choose(void *arg, uint32_t server)
{
	struct chooser *c = arg;

	if (server == c->refused || !c->accepts(c->arg, server))
		return false;
	c->chosen = server;
	return true;
}

uint32_t
placement_owner_where(const struct placement *p, struct span key,
    bool (*accepts)(void *arg, uint32_t server), void *arg)
{
	uint32_t owner = placement_owner(p, key);
	struct chooser c = {accepts, arg, owner, PLACEMENT_NONE};

	/* Nearly every look-up ends here, so it takes the fast path. */
	if (accepts(arg, owner))
		return owner;
	walk_servers(p, key, choose, &c);
	return c.chosen;
}

size_t
placement_servers(const struct placement *p)
{
	return p->n;
}

const struct placement_server *
placement_server_at(const struct placement *p, size_t i)
{
	MUST(i < p->n);
	return &p->servers[i];
}

uint32_t
placement_find(const struct placement *p, struct span name)
{
	return ring_names_find(&p->names, name);
}

const struct placement_spec *
placement_spec_of(const struct placement *p)
{
	return &p->spec;
}

bool
placement_uses_addresses(const struct placement *p)
{
	return !p->rule->ignores_addresses;
}

uint64_t
placement_server_points(const struct placement *p, size_t i)
{
	MUST(i < p->n);
	if (p->rule->points == NULL)
		return 0;
	return p->rule->points(p->state, (uint32_t)i);
}

uint64_t
placement_points(const struct placement *p)
{
	uint64_t points = 0;

	for (size_t i = 0; i < p->n; i++)
		points += placement_server_points(p, i);
	return points;
}

size_t
placement_bytes(const struct placement *p)
{
	return p->rule->bytes == NULL ? 0 : p->rule->bytes(p->state);
}

bool
placement_arc_at(const struct placement *p, size_t i,
    struct placement_arc *arc_r)
{
	return p->rule->arc != NULL && p->rule->arc(p->state, i, arc_r);
}

bool
placement_is_of(const struct placement *p, const struct placement_spec *spec,
    const struct placement_server *servers, size_t n)
{
	if (p->n != n || !placement_spec_eq(&p->spec, spec))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct placement_server *a = &p->servers[i];
		const struct placement_server *b = &servers[i];

		if (!span_eq(a->name, b->name) || a->weight != b->weight)
			return false;
		if (placement_uses_addresses(p) &&
		    (!span_eq(a->host, b->host) || a->port != b->port ||
		    a->is_named != b->is_named))
			return false;
	}
	return true;
}
