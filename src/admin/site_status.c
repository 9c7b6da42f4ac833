/* GET /status.json: everything, in one document. */
#include <unistd.h>

#include "admin/site.h"
#include "admin/status.h"
#include "base/clock.h"
#include "version.h"

static void
put_process(struct json_doc *doc, const struct admin_view *view)
{
	json_t *root = doc->root;

	json_doc_count(doc, root, "schema", STATUS_SCHEMA);
	json_doc_text(doc, root, "version", FAIRLEAD_VERSION);
	json_doc_count(doc, root, "pid", (uint64_t)getpid());
	json_doc_count(doc, root, "now_ms", clock_wall_ms());
	json_doc_count(doc, root, "started_at", (uint64_t)view->started_at);
	json_doc_number(doc, root, "uptime_seconds",
	    (double)(view->now_ms - view->proxy->start_ms) / 1000);
	json_doc_text(doc, root, "config", view->table->conf->path);
	json_doc_count(doc, root, "generation", view->table->generation);
	json_doc_bool(doc, root, "is_draining", view->is_draining);
	json_doc_bool(doc, root, "actions", view->table->conf->admin.actions);
}

static void
put_workers(struct json_doc *doc, const struct admin_view *view)
{
	json_t *workers = json_doc_array(doc, doc->root, "workers"), *worker;

	for (size_t i = 0; i < view->proxy->nworkers; i++) {
		uint64_t ms = pulse_silent_ms(view->pulse, i, view->now_ms);

		worker = json_doc_append(doc, workers);
		json_doc_count(doc, worker, "silent_ms", ms);
		json_doc_bool(doc, worker, "is_stuck", ms >= PULSE_LIMIT_MS);
	}
}

static void
put_memory(struct json_doc *doc, const struct admin_view *view)
{
	json_t *memory = json_doc_object(doc, doc->root, "buffers");

	json_doc_count(doc, memory, "bytes", atomic_load_explicit(
	    &view->proxy->budget->used, memory_order_relaxed));
	json_doc_count(doc, memory, "limit", view->table->limits.memory);
}

void
site_status(void *arg, struct http_call *call)
{
	struct site *site = arg;
	struct admin_view view = site_look(site);
	struct json_doc doc;

	if (!shares_update(&site->shares, view.table)) {
		http_say(call, 503, "out of memory");
		return;
	}
	json_doc_init(&doc);
	put_process(&doc, &view);
	put_workers(&doc, &view);
	put_memory(&doc, &view);
	status_put_clients(&doc, &view);
	status_put_pools(&doc, &view, &site->shares);
	status_put_hot_keys(&doc, &view);
	status_put_reloads(&doc, &view);
	status_put_bounds(&doc);
	site_answer_json(call, &doc);
}
