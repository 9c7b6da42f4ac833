/*
 * twemproxy's distributions (Twitter; the program is nutcracker):
 * twemproxy-ketama, its default, and twemproxy-modula.
 *
 * Names: a server's name if it was given one; without, the host if the port
 * is 11211, else host:port; a unix socket's path with a colon at its end.
 *
 * Order: servers are sorted by the length of the name, then by its bytes.
 * ketama shows it only where points are equal; modula depends on it:
 * 127.0.3.10 comes after 127.0.3.9, and "zz" before "aaa". Answers here are
 * indexes of the configuration's order all the same.
 *
 * Key part: between the first hash_tag[0] and the first hash_tag[1] after it,
 * unless that is empty: what every rule here does by default.
 *
 * ketama: points from MD5 of "name-r", four a digest; about 160 a server of
 * average weight, the exact number by weighted_points() below: as
 * libmemcached's, but for two details. Keys by the pool's hash, fnv1a_64
 * unless told otherwise, to the first point at or after it.
 *
 * modula: each server weight times in a row; slot number hash mod all slots.
 *
 * One server alone owns every key. `random` is not here: it is no placement.
 *
 * Proven against twemproxy at 60aaf85 and Debian's nutcracker 0.5.0 on
 * x86-64: tests/vectors/twemproxy-*.tsv, rings.tsv and points.tsv.
 */
#include "ring/twemproxy.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ring/hashes_choice.h"
#include "ring/hashes_md5.h"
#include "ring/ketama_members.h"
#include "ring/ketama_ring.h"
#include "ring/rule.h"
#include "ring/rule_check.h"

/* twemproxy reads a weight into an int. */
#define WEIGHT_MAX INT32_MAX

static const struct hashes_choice choices[] = {
	{HASH_ONE_AT_A_TIME, hashes_one_at_a_time,
	    hashes_one_at_a_time_unsigned},
	{HASH_MD5, md5_le32, md5_le32},
	{HASH_CRC16, hashes_crc16, hashes_crc16},
	{HASH_CRC32, hashes_crc32_15bit, hashes_crc32_15bit},
	{HASH_CRC32A, hashes_crc32, hashes_crc32},
	{HASH_FNV1_64, hashes_fnv1_64, hashes_fnv1_64_unsigned},
	{HASH_FNV1A_64, hashes_fnv1a_64, hashes_fnv1a_64_unsigned},
	{HASH_FNV1_32, hashes_fnv1_32, hashes_fnv1_32_unsigned},
	{HASH_FNV1A_32, hashes_fnv1a_32, hashes_fnv1a_32_unsigned},
	{HASH_HSIEH, hashes_hsieh, hashes_hsieh_unsigned},
	{HASH_MURMUR, hashes_murmur, hashes_murmur},
	{HASH_JENKINS, hashes_jenkins, hashes_jenkins},
};

static const struct hashes_offer offer = {
	choices, sizeof(choices) / sizeof(choices[0])
};

static int
by_length_then_bytes(const void *a, const void *b)
{
	const struct ketama_member *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return span_cmp(span_of(x->text, x->len), span_of(y->text, y->len));
}

/* The pool's members in twemproxy's order, weights checked. */
static bool
init_members(struct ketama_members *members, const struct rule_build *build,
    uint64_t *weight_sum_r)
{
	if (!rule_takes_no_points(build) ||
	    !rule_takes_whole_weights(build, WEIGHT_MAX, weight_sum_r) ||
	    !ketama_members_init(members, build, KETAMA_TWEMPROXY))
		return false;
	qsort(members->list, members->n, sizeof(*members->list),
	    by_length_then_bytes);
	return true;
}

/*
 * Every assignment rounds to single precision. Unlike libmemcached's, the sum
 * of weights wraps at 2^32, and the last step adds in double precision; no
 * weights were found for which that last one matters.
 */
static uint64_t
weighted_points(uint32_t weight, uint64_t weight_sum, size_t nservers)
{
	float share = (float)weight / (float)(uint32_t)weight_sum;
	float points = share * 160.0F;

	points = points / 4.0F;
	points = points * (float)nservers;
	points = (float)((double)points + 1e-10);
	return ketama_four_times_floor(points);
}

static void *
build_ketama(const struct rule_build *build)
{
	hashes_fn *hash = hashes_choose(build, &offer, HASH_FNV1A_64);
	struct ketama_members members;
	struct ketama_ring *ring;
	uint64_t sum;

	if (hash == NULL || !init_members(&members, build, &sum))
		return NULL;
	for (size_t i = 0; i < members.n; i++)
		members.list[i].npoints =
		    weighted_points(members.list[i].weight, sum, build->n);
	ring = ketama_ring_new(&members, ketama_ring_md5(&members), hash);
	ketama_members_fini(&members);
	return ring;
}

const struct placement_rule placement_twemproxy_ketama_rule = {
	.build = build_ketama,
	.owner = ketama_ring_owner,
	.walk = ketama_ring_walk,
	.free = ketama_ring_free,
	.arc = ketama_ring_arc,
	.points = ketama_ring_points,
	.bytes = ketama_ring_bytes,
};

/* One server's slots, in twemproxy's order. */
struct slots {
	uint32_t	end;		/* they end before this one */
	uint32_t	server;
	uint32_t	weight;		/* of the server with our own index */
};

struct modula {			/* immutable after build */
	hashes_fn	*hash;
	uint32_t	 nslots;
	uint32_t	 nservers;
	struct slots	 slots[];
};

static struct modula *
new_modula(const struct ketama_members *members)
{
	struct modula *modula;
	uint32_t end = 0;

	/* The list of members is longer than this: it cannot overflow. */
	modula = mem_zalloc(1,
	    sizeof(*modula) + members->n * sizeof(modula->slots[0]));
	if (modula == NULL) {
		(void)rule_no_memory(members->build);
		return NULL;
	}
	for (size_t i = 0; i < members->n; i++) {
		const struct ketama_member *member = &members->list[i];

		end += member->weight;
		modula->slots[i].end = end;
		modula->slots[i].server = member->server;
		modula->slots[member->server].weight = member->weight;
	}
	modula->nslots = end;
	modula->nservers = (uint32_t)members->n;
	return modula;
}

static void *
build_modula(const struct rule_build *build)
{
	hashes_fn *hash = hashes_choose(build, &offer, HASH_FNV1A_64);
	struct ketama_members members;
	struct modula *modula;
	uint64_t sum;

	if (hash == NULL || !init_members(&members, build, &sum))
		return NULL;
	if (sum > UINT32_MAX) {
		(void)rule_refuse(build, PLACEMENT_STATE_CAPACITY_EXCEEDED,
		    "the weights add up to %llu, at most %u are possible",
		    (unsigned long long)sum, UINT32_MAX);
		modula = NULL;
	} else {
		modula = new_modula(&members);
	}
	ketama_members_fini(&members);
	if (modula != NULL)
		modula->hash = hash;
	return modula;
}

static uint32_t
modula_owner(const void *state, struct span key)
{
	const struct modula *modula = state;
	uint32_t slot, low = 0, high = modula->nservers - 1;

	if (modula->nservers == 1)
		return 0;
	slot = modula->hash(key) % modula->nslots;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (modula->slots[middle].end <= slot)
			low = middle + 1;
		else
			high = middle;
	}
	return modula->slots[low].server;
}

static uint64_t
modula_points(const void *state, uint32_t server)
{
	const struct modula *modula = state;

	MUST(server < modula->nservers);
	return modula->slots[server].weight;
}

static size_t
modula_bytes(const void *state)
{
	const struct modula *modula = state;

	return modula->nservers * sizeof(modula->slots[0]);
}

const struct placement_rule placement_twemproxy_modula_rule = {
	.build = build_modula,
	.owner = modula_owner,
	.free = mem_free,
	.points = modula_points,
	.bytes = modula_bytes,
};

struct placement *
twemproxy_eject(const struct placement *whole, const bool *is_ejected,
    enum placement_error *error_r, struct err *err)
{
	size_t n = placement_servers(whole), nliving = 0;
	struct placement_server *living;
	struct placement *placement;

	living = mem_zalloc(n, sizeof(*living));
	if (living == NULL) {
		*error_r = PLACEMENT_STATE_CAPACITY_EXCEEDED;
		err_set(err, "out of memory for a pool of %zu servers", n);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		if (!is_ejected[i])
			living[nliving++] = *placement_server_at(whole, i);
	placement = placement_build(placement_spec_of(whole), living, nliving,
	    error_r, err);
	mem_free(living);
	return placement;
}
