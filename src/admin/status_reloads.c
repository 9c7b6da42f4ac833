/* The audit trail of reloads in /status.json. */
#include <stdio.h>

#include "admin/status.h"

static void
put_counts(struct json_doc *doc, json_t *object,
    const struct table_diff_counts *counts)
{
	json_doc_count(doc, object, "added", counts->added);
	json_doc_count(doc, object, "removed", counts->removed);
	json_doc_count(doc, object, "reweighted", counts->reweighted);
	json_doc_count(doc, object, "reordered", counts->reordered);
	json_doc_count(doc, object, "readdressed", counts->readdressed);
}

static void
put_diff(struct json_doc *doc, json_t *object, const struct table_diff *diff)
{
	json_t *pools = json_doc_array(doc, object, "pools"), *pool;

	for (size_t i = 0; diff != NULL && i < diff->npools; i++) {
		const struct table_diff_pool *from = &diff->pools[i];

		pool = json_doc_append(doc, pools);
		json_doc_text(doc, pool, "name", from->name);
		json_doc_text(doc, pool, "change",
		    from->kind == TABLE_DIFF_ADDED ? "added" :
		    from->kind == TABLE_DIFF_REMOVED ? "removed" : "changed");
		put_counts(doc, pool, &from->counts);
		json_doc_number(doc, pool, "moved", from->moved);
	}
}

static void
put_record(struct json_doc *doc, json_t *reloads,
    const struct reload_record *record)
{
	json_t *object = json_doc_append(doc, reloads), *stages, *errors;
	size_t n = 0;

	json_doc_count(doc, object, "number", record->number);
	json_doc_text(doc, object, "trigger",
	    reload_trigger_word(record->trigger));
	json_doc_text(doc, object, "result",
	    reload_result_word(record->result));
	json_doc_text(doc, object, "meaning",
	    reload_result_meaning(record->result));
	json_doc_bool(doc, object, "is_success",
	    reload_is_success(record->result));
	json_doc_count(doc, object, "at_ms", record->at_ms);
	json_doc_count(doc, object, "generation", record->generation);
	json_doc_count(doc, object, "activate_at_ms", record->activate_at_ms);
	stages = json_doc_object(doc, object, "stages_us");
	for (int i = 0; i < RELOAD_STAGE_COUNT; i++)
		json_doc_count(doc, stages,
		    reload_stage_word((enum reload_stage)i),
		    record->stage_us[i]);
	put_diff(doc, object, record->diff);
	errors = json_doc_array(doc, object, "errors");
	if (!reload_is_success(record->result))
		n = conf_errors_count(record->errors);
	for (size_t i = 0; i < n; i++)
		json_doc_append_text(doc, errors,
		    conf_errors_line(record->errors, i));
}

void
status_put_reloads(struct json_doc *doc, const struct admin_view *view)
{
	json_t *reloads = json_doc_array(doc, doc->root, "reloads");

	json_doc_count(doc, doc->root, "staged_for_ms", view->staged == NULL ?
	    0 : view->staged->conf->activate_at_ms);
	for (size_t i = 0; i < reload_history_count(view->reloads); i++)
		put_record(doc, reloads, reload_history_at(view->reloads, i));
}
