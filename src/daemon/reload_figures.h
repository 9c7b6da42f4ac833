/*
 * What reloads leave in the figures: counters of attempts by their result,
 * and the gauges that `stats` and the metrics show. Main thread.
 */
#ifndef DAEMON_RELOAD_FIGURES_H
#define DAEMON_RELOAD_FIGURES_H

#include "proxy/env.h"
#include "route/reload_record.h"
#include "stats/stats.h"

/* The start is over: a success that is not counted as a reload. */
void reload_figures_start(struct reload_gauges *gauges, uint64_t now_s);

/* An attempt is over; `staged` is what waits for its time, or NULL. */
void reload_figures_update(struct reload_gauges *gauges,
    struct stats_cell *cell, const struct reload_record *record,
    const struct table *staged);

#endif
