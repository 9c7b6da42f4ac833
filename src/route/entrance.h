/*
 * Entrances: by which listener a client came, and so where its keys go.
 *
 * A part of the table; table.h has what others ask of it.
 */
#ifndef ROUTE_ENTRANCE_H
#define ROUTE_ENTRANCE_H

#include <stdbool.h>

#include "base/must.h"
#include "route/table.h"

/*
 * Fills in the entrances of `table`, which has its pools: one a listener of
 * `conf`, and those of `old` (may be NULL) that have none any more. False
 * without memory.
 */
bool entrances_build(struct table *table, const struct conf *conf,
    const struct table *old) MUST_CHECK;

void entrances_free(struct table *table);

#endif
