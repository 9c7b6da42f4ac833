/*
 * Placements that can be built as asked, but that whoever asked may not
 * expect: they are faithful to a program that has the same trap.
 */
#ifndef RING_KETAMA_CAVEAT_H
#define RING_KETAMA_CAVEAT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/must.h"
#include "ring/placement.h"

/*
 * Whether there is something to warn of, with the words in `words_r`: a hash
 * of 15 bits that cannot reach every server on a ring of 32; or a server too
 * light to get a single point, and so any key. For the control plane: it
 * looks at every server.
 */
bool ketama_caveat(const struct placement *placement, struct err *words_r)
    MUST_CHECK;

/*
 * Whether the keys of this ring are hashed to 15 bits, and so reach only the
 * first part of its circle of 32: shares of the circle are none of the keys.
 */
bool ketama_hash_is_narrow(const struct placement_spec *spec);

#endif
