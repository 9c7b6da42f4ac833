/* What becomes of tables: in force, staged, out of force. */
#include "daemon/reloader.h"

#include <event2/buffer.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/instant.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/plan.h"
#include "daemon/activation.h"
#include "daemon/reload.h"
#include "daemon/reload_log.h"

struct reloader {
	struct reloader_parts	 parts;
	struct table		*table;		/* in force; one reference */
	struct table		*staged;	/* one reference, or NULL */
	struct table_diff	*staged_diff;	/* for its activation */
	struct table		*retired;	/* newest first; one each */
	struct activation	*activation;
	uint64_t		 committed_us;
	struct reload_history	 history;
};

static void on_time(void *arg);

struct reloader *
reloader_new(const struct reloader_parts *parts)
{
	struct reloader *r = mem_zalloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->parts = *parts;
	r->activation = activation_new(parts->base, on_time, r);
	if (r->activation == NULL)
		reloader_free(&r);
	return r;
}

/* Takes `table`; what was in force waits for the workers to leave it. */
static void
put_in_force(struct reloader *r, struct table *table)
{
	if (r->table != NULL) {
		r->table->next_retired = r->retired;
		r->retired = r->table;
	}
	r->table = table;
	r->committed_us = clock_now_us();
	r->parts.commit(r->parts.arg, table);
	/* One that no worker came to take, as the next one was there. */
	reloader_sweep(r);
}

static void
drop_staged(struct reloader *r)
{
	activation_set(r->activation, 0);
	table_diff_free(&r->staged_diff);
	table_unref(&r->staged);
}

static const struct reload_record *
finish(struct reloader *r, struct reload_record *record)
{
	const struct reload_record *kept;

	record->generation = r->table == NULL ? 0 : r->table->generation;
	kept = reload_history_add(&r->history, record);
	reload_log(kept, r->table, r->staged);
	r->parts.over(r->parts.arg, kept);
	return kept;
}

static struct table *
prepare(struct reloader *r, struct reload_record *record)
{
	record->at_ms = clock_wall_ms();
	return reload_prepare(&(struct reload){
	    .path = r->parts.path,
	    .current = r->table,
	    .staged = r->staged,
	    .registry = r->parts.registry,
	    .listeners = r->parts.listeners,
	    .door = r->parts.door,
	}, record);
}

struct table *
reloader_prepare_first(struct reloader *r,
    const struct reload_record **record_r)
{
	struct reload_record record = {.trigger = RELOAD_BY_START};

	r->staged = prepare(r, &record);
	*record_r = finish(r, &record);
	return r->staged;
}

void
reloader_commit_first(struct reloader *r)
{
	struct table *table = r->staged;
	uint64_t at_ms = table->conf->activate_at_ms;
	char at[INSTANT_TEXT_MAX];

	r->staged = NULL;
	put_in_force(r, table);
	r->history.records[0].generation = table->generation;
	if (at_ms > clock_wall_ms())
		log_warn("activate_at=%s is still to come, but a process that "
		    "starts has no earlier table to serve by: this one is in "
		    "force at once, perhaps before other proxies have it",
		    instant_format(at_ms, at));
}

static void
commit(struct reloader *r, struct reload_record *record, struct table *table)
{
	uint64_t since_us = clock_now_us();

	drop_staged(r);
	put_in_force(r, table);
	record->stage_us[RELOAD_STAGE_COMMIT] = clock_now_us() - since_us;
}

/*
 * Takes `table`. What its activation tells is worked out now: then nothing
 * may fail any more.
 */
static void
stage(struct reloader *r, struct reload_record *record, struct table *table)
{
	struct table_diff *diff = table_diff_new(r->table, table);

	if (diff == NULL) {
		listeners_discard_fresh(r->parts.listeners);
		door_discard_fresh(r->parts.door);
		table_diff_free(&record->diff);
		table_unref(&table);
		record->result = RELOAD_NO_MEMORY;
		return;
	}
	drop_staged(r);
	r->staged = table;
	r->staged_diff = diff;
	listeners_keep(r->parts.listeners, table->conf);
	door_keep(r->parts.door, table->conf);
	record->result = RELOAD_STAGED;
	activation_set(r->activation, table->conf->activate_at_ms);
}

/* The file went back to what is in force: nothing waits any more. */
static void
call_off(struct reloader *r)
{
	char at[INSTANT_TEXT_MAX];

	if (r->staged == NULL)
		return;
	log_info("the staged table is dropped: the file no longer has it "
	    "activate_at=%s", instant_format(
	    r->staged->conf->activate_at_ms, at));
	drop_staged(r);
	listeners_discard(r->parts.listeners);
	door_discard(r->parts.door);
}

const struct reload_record *
reloader_run(struct reloader *r, enum reload_trigger trigger)
{
	struct reload_record record = {.trigger = trigger};
	struct table *table = prepare(r, &record);

	if (table == NULL) {
		if (record.result == RELOAD_UNCHANGED)
			call_off(r);
	} else if (table->conf->activate_at_ms > clock_wall_ms()) {
		stage(r, &record, table);
	} else {
		commit(r, &record, table);
	}
	if (record.result == RELOAD_STAGED)
		record.activate_at_ms = r->staged->conf->activate_at_ms;
	return finish(r, &record);
}

/* The staged table's time has come. */
static void
on_time(void *arg)
{
	struct reloader *r = arg;
	struct reload_record record = {
		.trigger = RELOAD_BY_ACTIVATE_AT,
		.result = RELOAD_DONE,
		.at_ms = clock_wall_ms(),
		.diff = r->staged_diff,
	};
	struct table *table = r->staged;

	r->staged = NULL;
	r->staged_diff = NULL;
	commit(r, &record, table);
	finish(r, &record);
}

bool
reloader_dry_run(const struct reloader *r, struct evbuffer *words)
{
	bool is_accepted;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL) {
		evbuffer_add_printf(words, "out of memory\n");
		return false;
	}
	is_accepted = plan_from_table(r->table, r->parts.path, out);
	if (fclose(out) == 0)
		evbuffer_add(words, text, len);
	/* The stream's memory is libc's, not base/mem's. */
	free(text);
	return is_accepted;
}

void
reloader_sweep(struct reloader *r)
{
	struct table **at = &r->retired, *table;

	while ((table = *at) != NULL) {
		if (!table_is_last_reference(table)) {
			at = &table->next_retired;
			continue;
		}
		*at = table->next_retired;
		log_debug("the last worker left generation=%llu "
		    "after_us=%llu", (unsigned long long)table->generation,
		    (unsigned long long)(clock_now_us() - r->committed_us));
		table_unref(&table);
	}
}

struct table *
reloader_table(const struct reloader *r)
{
	return r->table;
}

const struct table *
reloader_staged(const struct reloader *r)
{
	return r->staged;
}

const struct reload_history *
reloader_history(const struct reloader *r)
{
	return &r->history;
}

void
reloader_free(struct reloader **reloaderp)
{
	struct reloader *r = *reloaderp;
	struct table *table;

	*reloaderp = NULL;
	if (r == NULL)
		return;
	if (r->activation != NULL)
		drop_staged(r);
	activation_free(&r->activation);
	while ((table = r->retired) != NULL) {
		r->retired = table->next_retired;
		table_unref(&table);
	}
	table_unref(&r->table);
	reload_history_fini(&r->history);
	mem_free(r);
}
