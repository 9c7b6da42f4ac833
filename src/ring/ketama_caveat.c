/* Traps of ketama rings. */
#include "ring/ketama_caveat.h"

#include "ring/rule.h"

/* Where hashes of 15 bits end, on a circle of 2^64. */
#define END_OF_15_BITS (UINT64_C(0x7fff) << 32 | UINT32_MAX)

/* libmemcached's crc, and what twemproxy calls crc32. */
bool
ketama_hash_is_narrow(const struct placement_spec *spec)
{
	return spec->hash == HASH_CRC || (spec->hash == HASH_CRC32 &&
	    spec->kind == PLACEMENT_TWEMPROXY_KETAMA);
}

/* Arcs that hashes of 15 bits can fall into; 0 if the rule has no circle. */
static size_t
reachable_arcs(const struct placement *placement)
{
	struct placement_arc arc;
	size_t n = 0;

	while (placement_arc_at(placement, n, &arc)) {
		n++;
		if (arc.last >= END_OF_15_BITS)
			break;
	}
	return n;
}

static bool
warn_of_15_bits(const struct placement *placement, struct err *words_r)
{
	const struct placement_spec *spec = placement_spec_of(placement);
	size_t nservers = placement_servers(placement), narcs;

	if (!ketama_hash_is_narrow(spec))
		return false;
	narcs = reachable_arcs(placement);
	if (narcs == 0 || narcs >= nservers)
		return false;
	err_set(words_r, "hash %s has 15 bits, and the ring of placement %s "
	    "32: at most %zu of %zu servers get any key",
	    hash_kind_name(spec->hash), placement_kind_name(spec->kind),
	    narcs, nservers);
	return true;
}

bool
ketama_caveat(const struct placement *placement, struct err *words_r)
{
	if (warn_of_15_bits(placement, words_r))
		return true;
	if (placement_points(placement) == 0)
		return false;
	for (size_t i = 0; i < placement_servers(placement); i++) {
		struct span name = placement_server_at(placement, i)->name;

		if (placement_server_points(placement, i) > 0)
			continue;
		err_set(words_r, "server \"%.*s\" is so light that it gets no "
		    "point on the ring, and no key",
		    (int)(name.len > 200 ? 200 : name.len), name.p);
		return true;
	}
	return false;
}
