/*
 * GET /ring.json: the arcs of one pool's circle. They are many, and stay the
 * same as long as the membership does.
 */
#include "admin/circle.h"
#include "admin/site.h"
#include "base/mem.h"

static void
put_arcs(struct json_doc *doc, const struct pool *pool,
    struct circle_arc *room)
{
	size_t n = circle_arcs(pool->placement, room);
	json_t *ends = json_doc_array(doc, doc->root, "ends");
	json_t *owners = json_doc_array(doc, doc->root, "owners");

	for (size_t i = 0; i < n; i++) {
		json_doc_append_number(doc, ends, room[i].to);
		json_doc_append_number(doc, owners, room[i].server);
	}
}

static void
answer(struct http_call *call, const struct pool *pool,
    struct circle_arc *room)
{
	struct json_doc doc;
	json_t *servers;

	json_doc_init(&doc);
	json_doc_text(&doc, doc.root, "pool", pool->name);
	servers = json_doc_array(&doc, doc.root, "servers");
	for (size_t i = 0; i < pool->nservers; i++)
		json_doc_append_text(&doc, servers, pool->servers[i]->name);
	put_arcs(&doc, pool, room);
	site_answer_json(call, &doc);
}

void
site_ring(void *arg, struct http_call *call)
{
	struct admin_view view = site_look(arg);
	char *name = http_value(call, "pool", NULL);
	const struct pool *pool = name == NULL ? &view.table->pools[0] :
	    table_pool_by_name(view.table, name);
	struct circle_arc *room = mem_alloc(CIRCLE_ARCS_MAX * sizeof(*room));

	http_free_value(&name);
	if (pool == NULL)
		http_say(call, 404, "there is no such pool");
	else if (room == NULL)
		http_say(call, 503, "out of memory");
	else
		answer(call, pool, room);
	mem_free(room);
}
