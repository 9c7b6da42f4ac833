/*
 * What /metrics shows, each group of families in a file of its own. All of
 * them only read.
 */
#ifndef ADMIN_METRICS_H
#define ADMIN_METRICS_H

#include "admin/admin.h"
#include "admin/prom.h"

/* Leaves 48 bits, which a float holds: to be compared, not to be read. */
#define METRICS_MEMBERSHIP_SHIFT 16

/* The process, its memory, its workers. */
void metrics_process(struct prom *prom, const struct admin_view *view);

/* How often reloads came to what. */
void metrics_reloads(struct prom *prom, const struct admin_view *view);

/* What clients asked for and got. */
void metrics_clients(struct prom *prom, const struct admin_view *view);

/* All servers together, with those that are gone. */
void metrics_all_servers(struct prom *prom, const struct admin_view *view);

/* Each pool. */
void metrics_pools(struct prom *prom, const struct admin_view *view);

/* Each server. False without memory. */
bool metrics_servers(struct prom *prom, const struct admin_view *view)
    MUST_CHECK;

/* Each server's times, which are many series. */
void metrics_server_times(struct prom *prom, const struct admin_view *view);

/* No labels. */
extern const struct prom_label metrics_plain[];

#endif
