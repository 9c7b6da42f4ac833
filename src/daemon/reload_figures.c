/* Reloads in figures. */
#include "daemon/reload_figures.h"

static enum stats_counter
counter_of(enum reload_result result)
{
	switch (result) {
	case RELOAD_DONE:
		return STATS_RELOAD_DONE;
	case RELOAD_STAGED:
		return STATS_RELOAD_STAGED;
	case RELOAD_UNCHANGED:
		return STATS_RELOAD_UNCHANGED;
	case RELOAD_UNREADABLE:
		return STATS_RELOAD_UNREADABLE;
	case RELOAD_INVALID:
		return STATS_RELOAD_INVALID;
	case RELOAD_UNBINDABLE:
		return STATS_RELOAD_UNBINDABLE;
	case RELOAD_NO_MEMORY:
		return STATS_RELOAD_NO_MEMORY;
	}
	NEVER();
}

/* Relaxed: a reader wants recent values, and no order between them. */
static void
set_success(struct reload_gauges *gauges, uint64_t unix_s)
{
	atomic_store_explicit(&gauges->is_last_ok, true,
	    memory_order_relaxed);
	atomic_store_explicit(&gauges->last_success_s, unix_s,
	    memory_order_relaxed);
}

void
reload_figures_start(struct reload_gauges *gauges, uint64_t now_s)
{
	set_success(gauges, now_s);
}

void
reload_figures_update(struct reload_gauges *gauges, struct stats_cell *cell,
    const struct reload_record *record, const struct table *staged)
{
	stats_bump(cell, counter_of(record->result));
	if (reload_is_success(record->result))
		set_success(gauges, record->at_ms / 1000);
	else
		atomic_store_explicit(&gauges->is_last_ok, false,
		    memory_order_relaxed);
	atomic_store_explicit(&gauges->activate_at_s, staged == NULL ? 0 :
	    staged->conf->activate_at_ms / 1000, memory_order_relaxed);
}
