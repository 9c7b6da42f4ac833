/* The stages of a reload. */
#include "daemon/reload.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/logging.h"
#include "ring/ketama_caveat.h"

/* One attempt, as it goes from stage to stage. */
struct attempt {
	const struct reload	*reload;
	struct reload_record	*record;	/* the caller's */
	uint64_t		 since_us;	/* when this stage began */
};

/* The stage is over; always NULL, for use after `return`. */
static void *
end_stage(struct attempt *a, enum reload_stage stage,
    enum reload_result result)
{
	uint64_t now_us = clock_now_us();

	a->record->stage_us[stage] = now_us - a->since_us;
	a->record->result = result;
	a->since_us = now_us;
	return NULL;
}

/* Why a stage failed that needs the content to be right, and memory. */
static enum reload_result
failure(const struct attempt *a)
{
	const struct conf_errors *errors = a->record->errors;

	if (conf_errors_is_out_of_memory(errors))
		return RELOAD_NO_MEMORY;
	return conf_errors_is_unreadable(errors) ? RELOAD_UNREADABLE :
	    RELOAD_INVALID;
}

static struct conf *
read_and_check(struct attempt *a)
{
	const char *path = a->reload->path;
	struct conf *conf;
	size_t len;
	char *text = conf_read(path, &len, &a->record->errors);

	if (text == NULL)
		return end_stage(a, RELOAD_STAGE_READ, failure(a));
	end_stage(a, RELOAD_STAGE_READ, RELOAD_DONE);
	conf = conf_load_text(path, text, len, &a->record->errors);
	mem_free(text);
	if (conf == NULL)
		return end_stage(a, RELOAD_STAGE_CHECK, failure(a));
	end_stage(a, RELOAD_STAGE_CHECK, RELOAD_DONE);
	return conf;
}

/* Whether `conf` asks for something: else the result says why not. */
static bool
is_news(struct attempt *a, const struct conf *conf)
{
	const struct table *current = a->reload->current;
	const struct table *staged = a->reload->staged;
	struct reload_record *record = a->record;

	if (current == NULL)
		return true;
	if (staged != NULL && conf_is_same(staged->conf, conf) &&
	    staged->conf->activate_at_ms == conf->activate_at_ms)
		record->result = RELOAD_STAGED;
	else if (conf_is_same(current->conf, conf))
		record->result = RELOAD_UNCHANGED;
	else if (conf_restart_only_changes(current->conf, conf,
	    &record->errors))
		record->result = failure(a);
	else
		return true;
	return false;
}

/* Takes `conf`. */
static struct table *
build(struct attempt *a, struct conf *conf)
{
	struct table *table = table_build(conf, a->reload->current,
	    a->reload->registry, &a->record->errors);

	if (table == NULL) {
		conf_free(&conf);
		return end_stage(a, RELOAD_STAGE_BUILD, failure(a));
	}
	end_stage(a, RELOAD_STAGE_BUILD, RELOAD_DONE);
	return table;
}

/* So that whoever commits knows what that does, and needs no memory. */
static bool
compare(struct attempt *a, const struct table *table)
{
	a->record->diff = table_diff_new(a->reload->current, table);
	end_stage(a, RELOAD_STAGE_COMPARE, a->record->diff == NULL ?
	    RELOAD_NO_MEMORY : RELOAD_DONE);
	return a->record->diff != NULL;
}

static bool
open_listeners(struct attempt *a, const struct conf *conf)
{
	struct conf_errors **errors_r = &a->record->errors;
	bool is_open = logging_check(conf, errors_r);

	/* All are tried, so that all mistakes are told of. */
	is_open &= listeners_stage(a->reload->listeners, conf, errors_r);
	is_open &= door_stage(a->reload->door, conf, errors_r);
	if (!is_open) {
		listeners_discard_fresh(a->reload->listeners);
		door_discard_fresh(a->reload->door);
	}
	end_stage(a, RELOAD_STAGE_OPEN, is_open ? RELOAD_DONE :
	    conf_errors_is_out_of_memory(*errors_r) ? RELOAD_NO_MEMORY :
	    RELOAD_UNBINDABLE);
	return is_open;
}

/*
 * Placements that do as they were asked, but perhaps not as was expected;
 * once, when they come.
 */
static void
warn_of_caveats(const struct table *old, const struct table *table)
{
	struct err words;

	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];
		const struct pool *before = table_pool_by_name(old,
		    pool->name);

		if (before != NULL && before->placement == pool->placement)
			continue;
		if (ketama_caveat(pool->placement, &words))
			log_warn("pool %s: %s", pool->name, words.text);
	}
}

struct table *
reload_prepare(const struct reload *reload, struct reload_record *record)
{
	struct attempt a = {reload, record, clock_now_us()};
	struct conf *conf = read_and_check(&a);
	struct table *table;

	if (conf == NULL)
		return NULL;
	if (!is_news(&a, conf)) {
		conf_free(&conf);
		return NULL;
	}
	table = build(&a, conf);
	if (table == NULL)
		return NULL;
	if (!compare(&a, table) || !open_listeners(&a, table->conf)) {
		table_diff_free(&record->diff);
		table_unref(&table);
		return NULL;
	}
	warn_of_caveats(reload->current, table);
	return table;
}
