/*
 * Where keys and servers lie on a placement's circle of hashes, as parts of
 * the whole from 0 to 1, for showing. For the control plane.
 */
#ifndef ADMIN_CIRCLE_H
#define ADMIN_CIRCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "ring/placement.h"

/* More arcs than anybody can see; beyond, slices of the circle are shown. */
#define CIRCLE_ARCS_MAX 4096

/* Neighbouring arcs of one server are one. */
struct circle_arc {
	double		to;	/* where it ends; the next one begins there */
	uint32_t	server;
};

/*
 * The arcs of the circle, clockwise from 0, into room for CIRCLE_ARCS_MAX.
 * Their number; 0 if the rule has no circle.
 */
size_t circle_arcs(const struct placement *placement,
    struct circle_arc *arcs_r);

/* Where a key lies, and the point that it finds. */
struct circle_key {
	double	at;
	double	point;
};

/* False if the rule does not say: only the native ring does. */
bool circle_find(const struct placement *placement, struct span key,
    struct circle_key *key_r) MUST_CHECK;

#define CIRCLE_NO_MEMORY (-1)

/*
 * The share of the space that each server has, into one number a server. The
 * number of made-up keys that were asked for it; 0: none, it is exact.
 * CIRCLE_NO_MEMORY without.
 */
int32_t circle_shares(const struct placement *placement, double *shares_r);

#endif
