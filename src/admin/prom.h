/*
 * Writing metrics: Prometheus' text format 0.0.4, or OpenMetrics 1.0.
 *
 * A family is begun, then all its samples follow, then the next one begins.
 * In OpenMetrics a counter's family lacks the `_total` that its samples end
 * in; here names are given without it, and it is put where it belongs.
 */
#ifndef ADMIN_PROM_H
#define ADMIN_PROM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "stats/histogram.h"

struct evbuffer;

enum prom_type {
	PROM_COUNTER,
	PROM_GAUGE,
	PROM_HISTOGRAM,
	PROM_INFO,
};

struct prom_family {
	const char	*name;		/* without "fairlead_", "_total" */
	const char	*help;
	enum prom_type	 type;
	bool		 is_bare;	/* `name` is all of it */
};

/* A label; the last one of a list has no name. */
struct prom_label {
	const char	*name;
	const char	*value;
};

struct prom {				/* embedded; what is being written */
	struct evbuffer			*out;
	bool				 is_openmetrics;
	const struct prom_family	*family;	/* lent */
	bool				 is_broken;	/* no memory */
	size_t				 len;		/* of the page */
	char				 page[4096];
};

/* Whether an Accept header (may be NULL) prefers OpenMetrics. */
bool prom_wants_openmetrics(const char *accept);

/* The media type of what is written. */
const char *prom_media_type(bool is_openmetrics);

/* Lent until the next one begins. */
void prom_begin(struct prom *prom, const struct prom_family *family);

void prom_count(struct prom *prom, const struct prom_label *labels,
    uint64_t n);

void prom_number(struct prom *prom, const struct prom_label *labels,
    double n);

/* What values in a histogram are. */
enum prom_unit {
	PROM_MICROSECONDS,	/* shown as seconds */
	PROM_BYTES,
	PROM_ITEMS,
};

void prom_histogram(struct prom *prom, const struct prom_label *labels,
    enum prom_unit unit, const struct histogram_sum *sum);

/* After the last family. False if there was no memory for all of it. */
bool prom_end(struct prom *prom) MUST_CHECK;

#endif
