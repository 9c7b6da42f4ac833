/*
 * The points of a native ring, and putting them in order. Nobody outside
 * ring/ includes this.
 */
#ifndef RING_RING_SORT_H
#define RING_RING_SORT_H

#include <stddef.h>
#include <stdint.h>

/* One point: 16 bytes, so that a look-up's two readings share a cache line. */
struct ring_point {
	uint64_t	position;
	uint32_t	owner;		/* index of the server */
	uint32_t	first;		/* an entry of the index; see ring.c */
};

/*
 * Sorts `n` points by position, keeping the order of equal ones. `scratch`
 * has room for `n` more; the result is in `points`. Linear in `n`, whatever
 * the positions are. Takes no memory.
 */
void ring_sort(struct ring_point *points, struct ring_point *scratch,
    size_t n);

#endif
