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
#include "route/table.h"

struct json_doc;
struct json_t;

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
 * Whether a native ring may have so many points a unit of weight; if not, the
 * words are in `err`.
 */
bool spread_fits(const struct placement *ring, uint32_t points_per_weight,
    struct err *err) MUST_CHECK;

/*
 * The same ring with other points a unit of weight, which fit; NULL without
 * memory. The caller owns it.
 */
struct placement *spread_rebuild(const struct placement *ring,
    uint32_t points_per_weight) MUST_CHECK;

/* What a table of more and fewer points for one pool has as its rows. */
#define SPREAD_TABLE_ROWS 6

extern const uint32_t spread_table_points[SPREAD_TABLE_ROWS];

/*
 * Both tell of a pool's spread, and of other numbers of points where the
 * placement is the native ring; false without memory. The first writes to
 * standard output, the second fills `object`.
 */
bool spread_print(const struct spread *spread, const struct pool *pool)
    MUST_CHECK;
bool spread_put_json(const struct spread *spread, const struct pool *pool,
    struct json_doc *doc, struct json_t *object) MUST_CHECK;

#endif
