/*
 * Finding a server by its name: a hash table of indexes into a list of
 * servers. Used to refuse duplicates and to match one membership with the
 * next. Nobody outside ring/ includes this.
 */
#ifndef RING_RING_NAMES_H
#define RING_RING_NAMES_H

#include "ring/placement.h"

struct ring_names {		/* embedded; immutable once filled */
	/* Lent, outlives us. */
	const struct placement_server	*servers;
	uint32_t	*slots;		/* owned; PLACEMENT_NONE where free */
	size_t		 mask;		/* how many slots, less one */
};

/* An empty table with room for `n` servers of `servers`; false: no memory. */
bool ring_names_init(struct ring_names *names,
    const struct placement_server *servers, size_t n) MUST_CHECK;

/*
 * Adds the server at index `i`. PLACEMENT_NONE, or the index of the server
 * that already has this name; nothing is added then.
 */
uint32_t ring_names_add(struct ring_names *names, uint32_t i);

/* Index of the server called `name`, or PLACEMENT_NONE. Never allocates. */
uint32_t ring_names_find(const struct ring_names *names, struct span name);

/* Frees what init took; a zeroed table is fine. */
void ring_names_fini(struct ring_names *names);

#endif
