/* A plan for programs. */
#include <stdio.h>

#include "cli/json.h"
#include "cli/plan.h"

/* Where a visitor puts what it is told. */
struct place {
	struct json_doc	*doc;
	json_t		*array;
};

static void
put_lines(struct json_doc *doc, const char *name,
    const struct conf_errors *errors, bool has_lines)
{
	json_t *array = json_doc_array(doc, doc->root, name);
	size_t n = has_lines ? conf_errors_count(errors) : 0;

	for (size_t i = 0; i < n; i++)
		json_doc_append_text(doc, array, conf_errors_line(errors, i));
}

static void
put_setting(void *arg, const struct conf_change *change)
{
	struct place *place = arg;
	json_t *row = json_doc_append(place->doc, place->array);

	json_doc_text(place->doc, row, "path", change->path);
	json_doc_text(place->doc, row, "old", change->before);
	json_doc_text(place->doc, row, "new", change->after);
	json_doc_bool(place->doc, row, "restart_only",
	    change->is_restart_only);
}

/* Text, or null where there is none. */
static void
put_maybe(struct json_doc *doc, json_t *object, const char *name,
    const char *text)
{
	if (text == NULL)
		json_doc_null(doc, object, name);
	else
		json_doc_text(doc, object, name, text);
}

static void
put_route(void *arg, const struct plan_route *route)
{
	struct place *place = arg;
	json_t *row = json_doc_append(place->doc, place->array);

	/* Such text always has a NUL behind it. */
	json_doc_text(place->doc, row, "prefix", route->prefix.p);
	put_maybe(place->doc, row, "old_pool", route->before);
	put_maybe(place->doc, row, "new_pool", route->after);
}

static void
put_listener(void *arg, const struct plan_listener *l)
{
	struct place *place = arg;
	json_t *row = json_doc_append(place->doc, place->array);
	struct place routes;

	json_doc_text(place->doc, row, "listen", l->after != NULL ?
	    l->after->listen : l->before->listen);
	json_doc_text(place->doc, row, "change", l->before == NULL ? "opened" :
	    l->after == NULL ? "closed" : "changed");
	put_maybe(place->doc, row, "old_pool", l->before == NULL ? NULL :
	    l->before->pool_name);
	put_maybe(place->doc, row, "new_pool", l->after == NULL ? NULL :
	    l->after->pool_name);
	json_doc_bool(place->doc, row, "mode_changed", l->is_other_mode);
	json_doc_bool(place->doc, row, "auth_changed", l->is_other_auth);
	routes = (struct place){place->doc,
	    json_doc_array(place->doc, row, "routes")};
	if (l->before != NULL && l->after != NULL)
		plan_visit_routes(l, put_route, &routes);
}

static void
put_server(struct json_doc *doc, json_t *array, const struct plan_server *s)
{
	json_t *row = json_doc_append(doc, array);
	const struct conf_server *server = s->after != NULL ? s->after :
	    s->before;

	json_doc_text(doc, row, "name", server->name);
	json_doc_text(doc, row, "address", server->address);
	json_doc_text(doc, row, "change", s->before == NULL ? "added" :
	    s->after == NULL ? "removed" : "kept");
	json_doc_bool(doc, row, "renamed", s->is_renamed);
	json_doc_bool(doc, row, "readdressed", s->is_readdressed);
	json_doc_bool(doc, row, "reweighted", s->is_reweighted);
	json_doc_bool(doc, row, "reordered", s->is_reordered);
	put_maybe(doc, row, "old_name", s->before == NULL ? NULL :
	    s->before->name);
	put_maybe(doc, row, "old_address", s->before == NULL ? NULL :
	    s->before->address);
	json_doc_number(doc, row, "old_weight", s->before == NULL ? 0 :
	    s->before->weight);
	json_doc_number(doc, row, "new_weight", s->after == NULL ? 0 :
	    s->after->weight);
	json_doc_number(doc, row, "old_share", s->old_share);
	json_doc_number(doc, row, "new_share", s->new_share);
}

static void
put_reasons(struct json_doc *doc, json_t *object, const struct plan_pool *pool)
{
	json_t *array = json_doc_array(doc, object, "reasons");
	struct err words;
	json_t *row;

	for (unsigned why = 0; why < PLAN_WHY_COUNT; why++) {
		if (!plan_pool_why(pool, (enum plan_why)why, &words))
			continue;
		row = json_doc_append(doc, array);
		json_doc_text(doc, row, "reason",
		    plan_why_name((enum plan_why)why));
		json_doc_text(doc, row, "text", words.text);
	}
}

static void
put_flow(void *arg, const struct plan_flow *flow)
{
	struct place *place = arg;
	json_t *row = json_doc_append(place->doc, place->array);

	json_doc_text(place->doc, row, "from", flow->from);
	json_doc_text(place->doc, row, "to", flow->to);
	json_doc_number(place->doc, row, "share", flow->share);
}

/* Where both sides have the pool. */
static void
put_moves(struct json_doc *doc, json_t *object, const struct plan_pool *pool)
{
	const struct ring_update *update = pool->update;
	struct place flows;

	json_doc_bool(doc, object, "exact", pool->is_exact);
	json_doc_number(doc, object, "moved", pool->moved);
	json_doc_number(doc, object, "ideal", pool->ideal);
	json_doc_number(doc, object, "needless", pool->needless);
	json_doc_number(doc, object, "elsewhere", pool->elsewhere);
	json_doc_bool(doc, object, "rescaled", update != NULL &&
	    update->is_rescaled);
	put_reasons(doc, object, pool);
	flows = (struct place){doc, json_doc_array(doc, object, "flows")};
	plan_pool_visit_flows(pool, put_flow, &flows);
}

/* As a text, for a double does not hold 64 bits. */
static void
put_membership(struct json_doc *doc, json_t *object, const char *key,
    const struct pool *pool)
{
	char text[17];

	if (pool == NULL)
		return;
	snprintf(text, sizeof(text), "%016llx",
	    (unsigned long long)pool->membership);
	json_doc_text(doc, object, key, text);
}

static void
put_pool(struct json_doc *doc, json_t *array, const struct plan_pool *pool)
{
	const struct pool *either = pool->after != NULL ? pool->after :
	    pool->before;
	json_t *object = json_doc_append(doc, array), *servers;

	json_doc_text(doc, object, "name", either->conf->name);
	json_doc_text(doc, object, "change", pool->before == NULL ? "added" :
	    pool->after == NULL ? "removed" :
	    plan_pool_has_changes(pool) ? "changed" : "none");
	json_doc_text(doc, object, "placement",
	    placement_kind_name(either->conf->placement.kind));
	put_membership(doc, object, "old_membership", pool->before);
	put_membership(doc, object, "new_membership", pool->after);
	json_doc_count(doc, object, "old_servers", pool->before == NULL ? 0 :
	    pool->before->conf->nservers);
	json_doc_count(doc, object, "new_servers", pool->after == NULL ? 0 :
	    pool->after->conf->nservers);
	if (pool->before != NULL && pool->after != NULL)
		put_moves(doc, object, pool);
	servers = json_doc_array(doc, object, "servers");
	for (size_t i = 0; i < pool->nservers; i++)
		put_server(doc, servers, &pool->servers[i]);
}

int
plan_print_json(const struct plan *plan)
{
	struct json_doc doc;
	struct place place = {.doc = &doc};

	json_doc_init(&doc);
	json_doc_text(&doc, doc.root, "old", plan->old_path);
	json_doc_text(&doc, doc.root, "new", plan->new_path);
	json_doc_bool(&doc, doc.root, "accepted", plan_is_accepted(plan));
	json_doc_bool(&doc, doc.root, "same", plan->is_same);
	put_lines(&doc, "errors", plan->errors, plan->new_table == NULL);
	put_lines(&doc, "restart_only", plan->restart_only,
	    plan->needs_restart);
	if (plan->new_table == NULL)
		return json_doc_print(&doc, plan->status);
	place.array = json_doc_array(&doc, doc.root, "settings");
	conf_visit_changes(plan->old_table->conf, plan->new_table->conf,
	    put_setting, &place);
	place.array = json_doc_array(&doc, doc.root, "listeners");
	plan_visit_listeners(plan, put_listener, &place);
	place.array = json_doc_array(&doc, doc.root, "pools");
	for (size_t i = 0; i < plan->npools; i++)
		put_pool(&doc, place.array, &plan->pools[i]);
	return json_doc_print(&doc, plan->status);
}
