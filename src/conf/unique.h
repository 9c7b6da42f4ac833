/* Finding the same text twice among many, in n log n. */
#ifndef CONF_UNIQUE_H
#define CONF_UNIQUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/must.h"
#include "base/span.h"
#include "conf/conf.h"

/* One text and where it stands. */
struct unique_item {
	struct span		text;		/* lent */
	struct conf_place	place;
};

/*
 * Sorts `items` by text, equal ones by place, and calls `twice` for each one
 * that has an equal before it, with the first of them.
 */
void unique_check(struct unique_item *items, size_t n,
    void (*twice)(void *arg, const struct unique_item *first,
    const struct unique_item *again), void *arg);

#endif
