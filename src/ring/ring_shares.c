/* Shares of the hash space. */
#include "ring/ring_shares.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ring/ketama_caveat.h"
#include "ring/rule.h"

bool
ring_has_circle(const struct placement *p)
{
	struct placement_arc arc;

	return placement_arc_at(p, 0, &arc) &&
	    !ketama_hash_is_narrow(placement_spec_of(p));
}

/* `positions` more; all 2^64 of them wrap to zero and make a whole. */
static void
extend(struct ring_extent *extent, uint64_t positions)
{
	if (__builtin_add_overflow(extent->positions, positions,
	    &extent->positions))
		extent->is_whole = true;
}

bool
ring_shares_exact(const struct placement *p, struct ring_extent *shares_r)
{
	struct placement_arc arc;
	uint64_t from = 0;

	if (!ring_has_circle(p))
		return false;
	memset(shares_r, 0, placement_servers(p) * sizeof(*shares_r));
	for (size_t i = 0; placement_arc_at(p, i, &arc); i++) {
		/* Equal points: only the first of them has an arc. */
		if (i > 0 && arc.last < from)
			continue;
		/* In two steps, as one arc may be 2^64 long. */
		extend(&shares_r[arc.owner], arc.last - from);
		extend(&shares_r[arc.owner], 1);
		from = arc.last + 1;
		if (arc.last == UINT64_MAX)
			break;
	}
	return true;
}

/*
 * Without a pattern: keys that count up crowd together under the weaker
 * hashes (FNV, sdbm), and would tell of themselves and not of the space.
 */
struct span
ring_sample_key(uint32_t i, char buf[RING_SAMPLE_KEY_MAX])
{
	int len = snprintf(buf, RING_SAMPLE_KEY_MAX, "%016" PRIx64,
	    hash_mix64(i + UINT64_C(0x9e3779b97f4a7c15)));

	return span_of(buf, (size_t)len);
}

void
ring_shares_sampled(const struct placement *p, uint32_t nkeys,
    uint64_t *counts_r)
{
	char buf[RING_SAMPLE_KEY_MAX];

	memset(counts_r, 0, placement_servers(p) * sizeof(*counts_r));
	for (uint32_t i = 0; i < nkeys; i++)
		counts_r[placement_owner(p, ring_sample_key(i, buf))]++;
}
