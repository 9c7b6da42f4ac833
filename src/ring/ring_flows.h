/*
 * How much of a circle of 2^64 positions went from which server to which.
 * Collected arc by arc; readers get the flows as part of a ring_update. What
 * an extent counts is the collector's matter: cli/ counts keys.
 */
#ifndef RING_RING_FLOWS_H
#define RING_RING_FLOWS_H

#include "ring/ring_update.h"

struct ring_flows {		/* embedded; zeroed is empty */
	struct ring_flow	*flows;		/* owned */
	size_t			 nflows;
	size_t			 room;
	uint32_t		*slots;		/* owned: hash table of them */
	size_t			 nslots;
};

/* `extent` more from `from` to `to`; false: no memory, nothing has changed. */
bool ring_flows_add(struct ring_flows *flows, uint32_t from, uint32_t to,
    uint64_t extent) MUST_CHECK;

/* Largest first; equal ones by `from`, then `to`. No more may be added. */
void ring_flows_sort(struct ring_flows *flows);

void ring_flows_fini(struct ring_flows *flows);

#endif
