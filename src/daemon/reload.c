/* The stages of a reload. */
#include "daemon/reload.h"

#include <event2/buffer.h>

#include "base/log.h"
#include "ring/ketama_caveat.h"
#include "ring/ring_update.h"

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

static enum reload_result
build_and_open(const struct reload *reload, struct conf *conf,
    struct candidate *candidate_r, struct conf_errors **errors_r)
{
	struct table *table;

	table = table_build(conf, reload->current, reload->registry, errors_r);
	if (table == NULL) {
		conf_free(&conf);
		return RELOAD_INVALID;
	}
	if (!listeners_stage(reload->listeners, table->conf, errors_r)) {
		table_unref(&table);
		return RELOAD_UNBINDABLE;
	}
	if (!door_stage(reload->door, table->conf, errors_r)) {
		listeners_discard(reload->listeners);
		table_unref(&table);
		return RELOAD_UNBINDABLE;
	}
	warn_of_caveats(reload->current, table);
	candidate_r->table = table;
	return RELOAD_DONE;
}

enum reload_result
reload_prepare(const struct reload *reload, struct candidate *candidate_r,
    struct conf_errors **errors_r)
{
	struct conf *conf;

	*errors_r = NULL;
	conf = conf_load(reload->path, errors_r);
	if (conf == NULL)
		return conf_errors_is_unreadable(*errors_r) ?
		    RELOAD_UNREADABLE : RELOAD_INVALID;
	if (reload->current != NULL &&
	    conf_is_same(reload->current->conf, conf)) {
		conf_free(&conf);
		return RELOAD_UNCHANGED;
	}
	if (reload->current != NULL && conf_restart_only_changes(
	    reload->current->conf, conf, errors_r)) {
		conf_free(&conf);
		return RELOAD_INVALID;
	}
	return build_and_open(reload, conf, candidate_r, errors_r);
}

static void
log_pool(const struct pool *before, const struct pool *pool)
{
	struct ring_update *update;

	if (before == NULL) {
		log_info("reload: pool %s added servers=%zu", pool->name,
		    pool->nservers);
		return;
	}
	if (before->placement == pool->placement)
		return;
	update = ring_update_between(before->placement, pool->placement);
	if (update == NULL)
		return;
	log_info("reload: pool %s changed added=%zu removed=%zu "
	    "reweighted=%zu reordered=%zu moved=%.4f%%%s%s",
	    pool->name, update->nadded, update->nremoved,
	    update->nreweighted, update->nreordered,
	    100.0 * ring_extent_share(update->moved),
	    update->is_exact ? "" : " estimated=yes",
	    update->is_rescaled ? " rescaled=yes" : "");
	ring_update_free(&update);
}

void
reload_log(const struct table *old, const struct table *table,
    const char *trigger)
{
	log_info("reload done: trigger=%s generation=%llu pools=%zu "
	    "servers=%zu", trigger, (unsigned long long)table->generation,
	    table->npools, table->nservers);
	for (size_t i = 0; i < table->npools; i++)
		log_pool(table_pool_by_name(old, table->pools[i].name),
		    &table->pools[i]);
	for (size_t i = 0; i < old->npools; i++) {
		if (table_pool_by_name(table, old->pools[i].name) ==
		    NULL)
			log_info("reload: pool %s removed",
			    old->pools[i].name);
	}
}

void
reload_say_done(struct evbuffer *words, const char *what,
    const struct table *table)
{
	if (words != NULL)
		evbuffer_add_printf(words, "%s: generation=%llu pools=%zu "
		    "servers=%zu\n", what,
		    (unsigned long long)table->generation, table->npools,
		    table->nservers);
}

void
reload_say_refused(struct evbuffer *words, const struct conf_errors *errors)
{
	for (size_t i = 0; words != NULL && i < conf_errors_count(errors); i++)
		evbuffer_add_printf(words, "%s\n",
		    conf_errors_line(errors, i));
}
