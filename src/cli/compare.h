/*
 * How many of a person's keys two configurations place alike, and where the
 * others go. Collected by compare.c, written for a person by compare_text.c
 * and for programs by compare_json.c.
 */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"
#include "ring/ring_flows.h"
#include "route/table.h"

/* What became of the keys of one server, or pool. */
struct compare_count {
	uint64_t	keys;
	uint64_t	alike;
};

/* One of the two configurations. Servers of all pools count through. */
struct compare_side {
	const struct table	*table;		/* lent, outlives us */
	const struct entrance	*entrance;	/* lent by it */
	size_t			*first;		/* owned: of each pool */
	struct compare_count	*servers;	/* owned */
	struct compare_count	*pools;		/* owned */
	uint32_t		*pool_of;	/* owned: of each server */
};

struct compare {		/* embedded */
	struct compare_side	 a;
	struct compare_side	 b;
	bool			 is_by_address;	/* else by name */
	struct compare_count	 total;
	uint64_t		 not_keys;	/* lines left out */
	/* Keys that differ, by server of A and of B; extents are counts. */
	struct ring_flows	 flows;
	bool			 is_broken;	/* no memory for them */
};

/*
 * Before any key; sets `table` and `entrance` of both sides first. False
 * without memory. Call compare_fini() anyway.
 */
bool compare_init(struct compare *compare) MUST_CHECK;

void compare_fini(struct compare *compare);

/*
 * Takes one more key; a line that no client could send as one is counted and
 * left out.
 */
void compare_key(struct compare *compare, struct span key);

/* The server that counts as `i` on that side, and its pool. */
const struct conf_server *compare_server(const struct compare_side *side,
    size_t i);
const struct conf_pool *compare_pool(const struct compare_side *side,
    size_t i);

/*
 * Both write what was collected, from at least one key and with the flows
 * sorted, to standard output; the exit status.
 */
int compare_print(const struct compare *compare) MUST_CHECK;
int compare_print_json(const struct compare *compare) MUST_CHECK;

#endif
