/* How two configurations place keys, for programs. */
#include <sysexits.h>

#include "cli/compare.h"
#include "cli/json.h"

static void
put_count(struct json_doc *doc, json_t *row, const struct compare_count *count)
{
	json_doc_count(doc, row, "keys", count->keys);
	json_doc_count(doc, row, "alike", count->alike);
}

static void
put_side(struct json_doc *doc, const char *name,
    const struct compare_side *side)
{
	json_t *object = json_doc_object(doc, doc->root, name);
	json_t *pools, *servers, *row;

	json_doc_text(doc, object, "path", side->table->conf->path);
	pools = json_doc_array(doc, object, "pools");
	for (size_t i = 0; i < side->table->npools; i++) {
		row = json_doc_append(doc, pools);
		json_doc_text(doc, row, "name",
		    side->table->pools[i].conf->name);
		put_count(doc, row, &side->pools[i]);
	}
	servers = json_doc_array(doc, object, "servers");
	for (size_t i = 0; i < side->table->nservers; i++) {
		row = json_doc_append(doc, servers);
		json_doc_text(doc, row, "pool", compare_pool(side, i)->name);
		json_doc_text(doc, row, "name", compare_server(side, i)->name);
		json_doc_text(doc, row, "address",
		    compare_server(side, i)->address);
		put_count(doc, row, &side->servers[i]);
	}
}

static void
put_pairs(struct json_doc *doc, const struct compare *c)
{
	json_t *pairs = json_doc_array(doc, doc->root, "differ");

	for (size_t i = 0; i < c->flows.nflows; i++) {
		const struct ring_flow *flow = &c->flows.flows[i];
		json_t *row = json_doc_append(doc, pairs);

		json_doc_text(doc, row, "pool_a",
		    compare_pool(&c->a, flow->from)->name);
		json_doc_text(doc, row, "server_a",
		    compare_server(&c->a, flow->from)->name);
		json_doc_text(doc, row, "pool_b",
		    compare_pool(&c->b, flow->to)->name);
		json_doc_text(doc, row, "server_b",
		    compare_server(&c->b, flow->to)->name);
		json_doc_count(doc, row, "keys", flow->extent.positions);
	}
}

int
compare_print_json(const struct compare *c)
{
	struct json_doc doc;

	json_doc_init(&doc);
	json_doc_text(&doc, doc.root, "by", c->is_by_address ?
	    "address" : "name");
	put_count(&doc, doc.root, &c->total);
	json_doc_number(&doc, doc.root, "share_alike",
	    (double)c->total.alike / (double)c->total.keys);
	json_doc_count(&doc, doc.root, "not_keys", c->not_keys);
	put_side(&doc, "a", &c->a);
	put_side(&doc, "b", &c->b);
	put_pairs(&doc, c);
	return json_doc_print(&doc, EX_OK);
}
