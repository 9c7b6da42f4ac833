/*
 * How evenly a placement spreads the hash space: each server's share against
 * what its weight asks for, and figures over all servers.
 */
#ifndef CLI_SPREAD_H
#define CLI_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "ring/placement.h"

struct spread {			/* embedded */
	size_t		 n;		/* servers */
	double		*shares;	/* owned: of the space, one a server */
	double		*ideals;	/* owned: by weight, one a server */
	/* Made-up keys that were looked up; 0: exact, from the ring's arcs. */
	uint32_t	 nkeys;
	/* Share over ideal: of the heaviest and of the lightest server. */
	double		 max_over_mean;
	double		 min_over_mean;
	size_t		 heaviest;
	size_t		 lightest;
	/*
	 * Standard deviation of share over ideal, each server counting by its
	 * ideal: 0.05 means that shares are off by 5 % of themselves.
	 */
	double		 deviation;
};

/* Measures `placement`; false without memory. Call spread_fini() anyway. */
bool spread_init(struct spread *spread, const struct placement *placement)
    MUST_CHECK;

void spread_fini(struct spread *spread);

/*
 * The same rule over the same servers with other points a unit of weight, or
 * NULL and why not. The caller owns it.
 */
struct placement *spread_rebuild(const struct placement *placement,
    uint32_t points_per_weight, struct err *err) MUST_CHECK;

#endif
