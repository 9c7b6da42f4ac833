/* GET /locate: which server has a key, and who would follow. */
#include "admin/circle.h"
#include "admin/site.h"

/* The longest key there is. */
#define KEY_MAX 250

/* Servers named, the owner first. */
#define OWNERS_MAX 8

/* What is asked for; all owned. */
struct wanted {
	char	*key;
	size_t	 key_len;
	char	*listen;	/* NULL: the first listener */
	char	*pool;		/* NULL: as the listener routes */
};

static void
put_owners(struct json_doc *doc, const struct pool *pool, struct span key)
{
	json_t *owners = json_doc_array(doc, doc->root, "owners"), *owner;
	uint32_t found[OWNERS_MAX];
	size_t n = placement_owners(pool->placement, key,
	    pool->nservers < OWNERS_MAX ? pool->nservers : OWNERS_MAX, found);

	for (size_t i = 0; i < n; i++) {
		const struct server *server = pool->servers[found[i]];

		owner = json_doc_append(doc, owners);
		json_doc_text(doc, owner, "server", server->name);
		json_doc_text(doc, owner, "address",
		    pool->conf->servers[found[i]].address);
		json_doc_text(doc, owner, "state",
		    health_state_name(health_state(&server->health)));
	}
}

static void
put_circle(struct json_doc *doc, const struct pool *pool, struct span key)
{
	struct circle_key where;

	if (!circle_find(pool->placement, key, &where)) {
		json_doc_null(doc, doc->root, "at");
		json_doc_null(doc, doc->root, "point");
		return;
	}
	json_doc_number(doc, doc->root, "at", where.at);
	json_doc_number(doc, doc->root, "point", where.point);
}

static void
answer(struct http_call *call, const struct pool *pool,
    const struct wanted *wanted)
{
	struct span key = span_of(wanted->key, wanted->key_len);
	struct json_doc doc;

	json_doc_init(&doc);
	json_doc_text(&doc, doc.root, "key", wanted->key);
	json_doc_text(&doc, doc.root, "pool", pool->name);
	json_doc_text(&doc, doc.root, "placement",
	    placement_kind_name(placement_spec_of(pool->placement)->kind));
	put_circle(&doc, pool, key);
	put_owners(&doc, pool, key);
	site_answer_json(call, &doc);
}

static bool
is_key(const struct wanted *wanted)
{
	if (wanted->key == NULL || wanted->key_len == 0 ||
	    wanted->key_len > KEY_MAX)
		return false;
	for (size_t i = 0; i < wanted->key_len; i++) {
		unsigned char c = (unsigned char)wanted->key[i];

		if (c <= ' ' || c == 0x7f)
			return false;
	}
	return true;
}

static const struct pool *
find_pool(const struct table *table, const struct wanted *wanted)
{
	const struct entrance *entrance;

	if (wanted->pool != NULL)
		return table_pool_by_name(table, wanted->pool);
	entrance = wanted->listen == NULL ? &table->entrances[0] :
	    table_entrance(table, wanted->listen);
	return entrance == NULL ? NULL : table_pool(table, entrance,
	    span_of(wanted->key, wanted->key_len));
}

void
site_locate(void *arg, struct http_call *call)
{
	struct admin_view view = site_look(arg);
	struct wanted wanted = {.key_len = 0};
	const struct pool *pool;

	wanted.key = http_value(call, "key", &wanted.key_len);
	wanted.listen = http_value(call, "listener", NULL);
	wanted.pool = http_value(call, "pool", NULL);
	pool = is_key(&wanted) ? find_pool(view.table, &wanted) : NULL;
	if (!is_key(&wanted))
		http_say(call, 400, "key must have 1 to %d bytes, and no "
		    "blanks or control characters", KEY_MAX);
	else if (pool == NULL)
		http_say(call, 404, "there is no such %s",
		    wanted.pool != NULL ? "pool" : "listener");
	else
		answer(call, pool, &wanted);
	http_free_value(&wanted.key);
	http_free_value(&wanted.listen);
	http_free_value(&wanted.pool);
}
