/* The parts of /status.json, each added to the document's root. */
#ifndef ADMIN_STATUS_H
#define ADMIN_STATUS_H

#include "admin/admin.h"
#include "admin/shares.h"
#include "cli/json.h"
#include "stats/histogram.h"

/* Version of the schema: docs/status.md. Members may come, none changes. */
#define STATUS_SCHEMA 1

void status_put_clients(struct json_doc *doc, const struct admin_view *view);
void status_put_pools(struct json_doc *doc, const struct admin_view *view,
    const struct shares *shares);
void status_put_hot_keys(struct json_doc *doc, const struct admin_view *view);
void status_put_reloads(struct json_doc *doc, const struct admin_view *view);

/* Adds "count", "p50_us", "p90_us", "p99_us", "p999_us". */
void status_put_times(struct json_doc *doc, json_t *object,
    const struct histogram_sum *sum);

/*
 * Adds "buckets": how many times were at most each of the bounds that the
 * root's "bounds_us" lists, and none if there are no times; for whoever wants
 * to know of the last seconds.
 */
void status_put_buckets(struct json_doc *doc, json_t *object,
    const struct histogram_sum *sum);
void status_put_bounds(struct json_doc *doc);

#endif
