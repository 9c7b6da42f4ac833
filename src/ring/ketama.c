/*
 * The original ketama (libketama of Last.fm, by Richard Jones), placement
 * `ketama`.
 *
 * Names: the first column of its server file as written; a port is never
 * dropped, and there may be none. Here that is the server's name, by default
 * its address as written. libketama refuses names of more than 23 bytes.
 *
 * Points: MD5 of "name-r", four a digest; about 160 a server of average
 * weight (its memory column), the exact number by weighted_points() below.
 * With equal weights that is 160, but 156 for 61, 122, 237, 244 servers.
 *
 * Keys: the first four bytes of the MD5, little-endian. The key belongs to
 * the first point at or after it. Equal points fall in the order that the C
 * library's unstable-by-contract qsort leaves; glibc's is stable, so the
 * server listed first has them.
 *
 * Proven against libketama at 18cf9a7 on x86-64: tests/vectors/ketama-rj.tsv
 * and whole rings in rings.tsv.
 */
#include <stddef.h>

#include "ring/hashes_md5.h"
#include "ring/ketama_members.h"
#include "ring/ketama_ring.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

/* Bytes of a name that libketama can hold. */
#define NAME_MAX_LEN 23

/* The products in double precision, then rounded to single once. */
static uint64_t
weighted_points(uint32_t weight, uint64_t weight_sum, size_t nservers)
{
	float share = (float)weight / (float)weight_sum;
	double digests = (double)share * 40.0 * (double)(float)nservers;

	return ketama_four_times_floor((float)digests);
}

static bool
names_fit(const struct rule_build *build)
{
	for (size_t i = 0; i < build->n; i++) {
		struct span name = build->servers[i].name;

		if (name.len > NAME_MAX_LEN)
			return rule_refuse(build, PLACEMENT_UNSUPPORTED,
			    "names have at most %d bytes, as in libketama; "
			    "\"%.*s\" has %zu", NAME_MAX_LEN,
			    (int)(name.len > 200 ? 200 : name.len), name.p,
			    name.len);
	}
	return true;
}

static void *
build_ketama(const struct rule_build *build)
{
	struct ketama_members members;
	struct ketama_ring *ring;
	uint64_t sum;

	if (!rule_takes_hash(build, HASH_MD5) ||
	    !rule_takes_no_points(build) || !names_fit(build) ||
	    !rule_takes_whole_weights(build, UINT32_MAX, &sum))
		return NULL;
	if (!ketama_members_init(&members, build, KETAMA_AS_WRITTEN))
		return NULL;
	for (size_t i = 0; i < members.n; i++)
		members.list[i].npoints =
		    weighted_points(members.list[i].weight, sum, build->n);
	ring = ketama_ring_new(&members, ketama_ring_md5(&members), md5_le32);
	ketama_members_fini(&members);
	return ring;
}

const struct placement_rule placement_ketama_rule = {
	.build = build_ketama,
	.owner = ketama_ring_owner,
	.walk = ketama_ring_walk,
	.free = ketama_ring_free,
	.arc = ketama_ring_arc,
	.ignores_addresses = true,
	.points = ketama_ring_points,
	.bytes = ketama_ring_bytes,
};
