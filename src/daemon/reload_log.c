/* An attempt to reload in words. */
#include "daemon/reload_log.h"

#include <event2/buffer.h>
#include <stdio.h>
#include <sysexits.h>

#include "base/clock.h"
#include "base/instant.h"
#include "base/log.h"

/* Room for " read_us=N" and so on, and for one pool's counts. */
#define PART_SIZE 256

static const char *
format_stages(const struct reload_record *record, char out[PART_SIZE])
{
	size_t len = 0;

	out[0] = '\0';
	for (int i = 0; i < RELOAD_STAGE_COUNT; i++) {
		enum reload_stage stage = (enum reload_stage)i;

		len += (size_t)snprintf(out + len, PART_SIZE - len,
		    " %s_us=%llu", reload_stage_word(stage),
		    (unsigned long long)record->stage_us[stage]);
	}
	return out;
}

static const char *
format_counts(const struct table_diff_counts *counts, double moved,
    char out[PART_SIZE])
{
	snprintf(out, PART_SIZE, "added=%zu removed=%zu reweighted=%zu "
	    "reordered=%zu readdressed=%zu moved=%.4f%%", counts->added,
	    counts->removed, counts->reweighted, counts->reordered,
	    counts->readdressed, 100.0 * moved);
	return out;
}

/* "pool main changed added=1 …", one pool of a diff. */
static const char *
format_pool(const struct table_diff_pool *pool, char out[2 * PART_SIZE])
{
	char counts[PART_SIZE];

	switch (pool->kind) {
	case TABLE_DIFF_ADDED:
		snprintf(out, 2 * PART_SIZE, "pool %s added servers=%zu "
		    "membership=%016llx", pool->name, pool->nservers,
		    (unsigned long long)pool->membership);
		return out;
	case TABLE_DIFF_REMOVED:
		snprintf(out, 2 * PART_SIZE, "pool %s removed", pool->name);
		return out;
	case TABLE_DIFF_CHANGED:
		snprintf(out, 2 * PART_SIZE, "pool %s changed %s%s%s "
		    "membership=%016llx", pool->name,
		    format_counts(&pool->counts, pool->moved, counts),
		    pool->is_exact ? "" : " estimated=yes",
		    pool->is_other_spec ? " placement=changed" :
		    pool->is_rescaled ? " rescaled=yes" : "",
		    (unsigned long long)pool->membership);
		return out;
	}
	NEVER();
}

static void
log_pools(const struct reload_record *record, const char *what)
{
	char text[2 * PART_SIZE];

	for (size_t i = 0; i < record->diff->npools; i++)
		log_info("%s: %s", what, format_pool(&record->diff->pools[i],
		    text));
}

static void
log_done(const struct reload_record *record, const struct table *table)
{
	const struct table_diff *diff = record->diff;
	char counts[PART_SIZE], stages[PART_SIZE];

	log_info("reload done: trigger=%s generation=%llu pools=%zu "
	    "servers=%zu %s membership=%016llx%s",
	    reload_trigger_word(record->trigger),
	    (unsigned long long)record->generation, table->npools,
	    table->nservers, format_counts(&diff->sum, diff->moved_most,
	    counts), (unsigned long long)table->membership,
	    format_stages(record, stages));
	log_pools(record, "reload");
}

static void
log_staged(const struct reload_record *record, const struct table *staged)
{
	const struct table_diff *diff = record->diff;
	char counts[PART_SIZE], stages[PART_SIZE], at[INSTANT_TEXT_MAX];

	instant_format(record->activate_at_ms, at);
	if (diff == NULL) {
		log_info("reload staged: nothing changed, it waits as before "
		    "trigger=%s generation=%llu activate_at=%s",
		    reload_trigger_word(record->trigger),
		    (unsigned long long)record->generation, at);
		return;
	}
	log_info("reload staged: trigger=%s generation=%llu activate_at=%s "
	    "wait_ms=%llu %s membership=%016llx%s",
	    reload_trigger_word(record->trigger),
	    (unsigned long long)record->generation, at,
	    (unsigned long long)(record->activate_at_ms - record->at_ms),
	    format_counts(&diff->sum, diff->moved_most, counts),
	    (unsigned long long)staged->membership,
	    format_stages(record, stages));
	log_pools(record, "reload staged");
}

static void
log_mistakes(const struct reload_record *record, const char *what)
{
	const struct conf_errors *errors = record->errors;

	for (size_t i = 0; i < conf_errors_count(errors); i++)
		log_error("%s: %s", what, conf_errors_line(errors, i));
}

static void
log_refused(const struct reload_record *record, const struct table *staged)
{
	log_mistakes(record, "reload refused");
	log_error("reload refused: the last valid table stays%s trigger=%s "
	    "generation=%llu result=%s", staged == NULL ? "" :
	    ", and so does the one that is staged",
	    reload_trigger_word(record->trigger),
	    (unsigned long long)record->generation,
	    reload_result_word(record->result));
}

void
reload_log(const struct reload_record *record, const struct table *table,
    const struct table *staged)
{
	if (record->trigger == RELOAD_BY_START) {
		if (!reload_is_success(record->result))
			log_mistakes(record, "cannot start");
		return;
	}
	switch (record->result) {
	case RELOAD_DONE:
		log_done(record, table);
		return;
	case RELOAD_STAGED:
		log_staged(record, staged);
		return;
	case RELOAD_UNCHANGED:
		log_info("reload done: nothing changed trigger=%s "
		    "generation=%llu membership=%016llx",
		    reload_trigger_word(record->trigger),
		    (unsigned long long)record->generation,
		    (unsigned long long)table->membership);
		return;
	case RELOAD_UNREADABLE:
	case RELOAD_INVALID:
	case RELOAD_UNBINDABLE:
	case RELOAD_NO_MEMORY:
		log_refused(record, staged);
		return;
	}
	NEVER();
}

int
reload_exit_status(enum reload_result result)
{
	switch (result) {
	case RELOAD_UNREADABLE:
		return EX_NOINPUT;
	case RELOAD_UNBINDABLE:
		return EX_UNAVAILABLE;
	case RELOAD_NO_MEMORY:
		return EX_OSERR;
	case RELOAD_INVALID:
		return EX_CONFIG;
	case RELOAD_DONE:
	case RELOAD_STAGED:
	case RELOAD_UNCHANGED:
		break;
	}
	NEVER();
}

static const char *
heading(const struct reload_record *record)
{
	switch (record->result) {
	case RELOAD_DONE:
		return "reload done";
	case RELOAD_STAGED:
		return "reload staged";
	case RELOAD_UNCHANGED:
		return "nothing changed";
	case RELOAD_UNREADABLE:
	case RELOAD_INVALID:
	case RELOAD_UNBINDABLE:
	case RELOAD_NO_MEMORY:
		break;
	}
	NEVER();
}

void
reload_say(struct evbuffer *words, const struct reload_record *record,
    const struct table *table)
{
	char text[2 * PART_SIZE], at[INSTANT_TEXT_MAX];
	const struct conf_errors *errors = record->errors;

	if (!reload_is_success(record->result)) {
		for (size_t i = 0; i < conf_errors_count(errors); i++)
			evbuffer_add_printf(words, "%s\n",
			    conf_errors_line(errors, i));
		return;
	}
	evbuffer_add_printf(words, "%s: generation=%llu pools=%zu "
	    "servers=%zu membership=%016llx", heading(record),
	    (unsigned long long)record->generation, table->npools,
	    table->nservers, (unsigned long long)table->membership);
	if (record->result == RELOAD_STAGED)
		evbuffer_add_printf(words, " activate_at=%s",
		    instant_format(record->activate_at_ms, at));
	evbuffer_add_printf(words, "\n");
	for (size_t i = 0; record->diff != NULL && i < record->diff->npools;
	    i++)
		evbuffer_add_printf(words, "%s\n",
		    format_pool(&record->diff->pools[i], text));
}
