/*
 * Pages of STAT lines: the answer to a stats command, which leaves in pieces
 * and may have any length.
 */
#ifndef PROXY_STATS_PAGE_H
#define PROXY_STATS_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "proxy/client.h"

#define STATS_PAGE_SIZE 8192

/* Any line of it fits. */
#define STATS_LINE_MAX 1024

struct stats_page {			/* on the caller's stack */
	struct client	*client;	/* lent */
	size_t		 len;
	char		 text[STATS_PAGE_SIZE];
};

void stats_page_init(struct stats_page *page, struct client *client);

/* Adds one line, its end included. */
void stats_page_line(struct stats_page *page, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

/* Adds "STAT name n". */
void stats_page_number(struct stats_page *page, const char *name, uint64_t n);

/* Says END and what was not said yet. */
void stats_page_end(struct stats_page *page);

#endif
