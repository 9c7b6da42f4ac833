/*
 * The shares of all servers of a table, measured once a table: it takes too
 * long to do so each time that somebody looks. Main thread.
 */
#ifndef ADMIN_SHARES_H
#define ADMIN_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "route/table.h"

struct shares {			/* embedded; zero has none */
	uint64_t	 generation;	/* of the table; 0: none yet */
	double		*values;	/* owned: all pools, one a server */
	int32_t		*samples;	/* owned: as circle_shares(), a pool */
};

/* Makes them those of `table`. False without memory. */
bool shares_update(struct shares *shares, const struct table *table)
    MUST_CHECK;

void shares_fini(struct shares *shares);

#endif
