/* The members of a pool while a ketama ring is being built from them. */
#include "ring/ketama_members.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "ring/hashes_md5.h"
#include "ring/load_le.h"
#include "ring/ring_names.h"

/*
 * The numbers of points are what single precision makes of them, each step
 * rounded. A machine that computes floats in more would give other rings.
 */
_Static_assert(FLT_EVAL_METHOD == 0, "float arithmetic must be single");

/* Points that one MD5 gives. */
#define POINTS_PER_DIGEST 4

/* Bytes that follow a name in its room: a separator and a counter. */
#define COUNTER_MAX (1 + NUM_U64_MAX_LEN)

/* The bytes of all names; false if a size_t does not hold them. */
static bool
count_text(const struct rule_build *build, size_t *size_r)
{
	size_t size = 0;

	for (size_t i = 0; i < build->n; i++) {
		size_t room = ketama_spelled_max(&build->servers[i]) +
		    COUNTER_MAX;

		if (__builtin_add_overflow(size, room, &size))
			return false;
	}
	*size_r = size;
	return true;
}

static void
spell_members(struct ketama_members *members, enum ketama_spelling spelling)
{
	char *at = members->text;

	for (size_t i = 0; i < members->n; i++) {
		const struct placement_server *server =
		    &members->build->servers[i];

		members->list[i] = (struct ketama_member){
			.text = at,
			.len = ketama_spell(spelling, server, at),
			.server = (uint32_t)i,
			.weight = server->weight < UINT32_MAX ?
			    (uint32_t)server->weight : UINT32_MAX,
		};
		at += ketama_spelled_max(server) + COUNTER_MAX;
	}
}

static bool
refuse_twins(const struct ketama_members *members, size_t a, size_t b)
{
	const struct ketama_member *twin = &members->list[a];

	return rule_refuse(members->build, PLACEMENT_DUPLICATE_IDENTITY,
	    "the servers at positions %zu and %zu would both be hashed as "
	    "\"%.*s\"", a + 1, b + 1, (int)(twin->len > 200 ? 200 : twin->len),
	    twin->text);
}

/*
 * Two distinct names may be spelled alike ("a" and "a:11211"). All their
 * points would be the same, and one of them would get no key at all.
 */
static bool
check_twins(const struct ketama_members *members)
{
	struct placement_server *spelled;
	struct ring_names names = {0};
	uint32_t first = PLACEMENT_NONE;
	size_t i;

	spelled = mem_zalloc(members->n, sizeof(*spelled));
	if (spelled == NULL || !ring_names_init(&names, spelled, members->n)) {
		mem_free(spelled);
		return rule_no_memory(members->build);
	}
	for (i = 0; i < members->n && first == PLACEMENT_NONE; i++) {
		spelled[i].name = span_of(members->list[i].text,
		    members->list[i].len);
		first = ring_names_add(&names, (uint32_t)i);
	}
	ring_names_fini(&names);
	mem_free(spelled);
	return first == PLACEMENT_NONE || refuse_twins(members, first, i - 1);
}

bool
ketama_members_init(struct ketama_members *members,
    const struct rule_build *build, enum ketama_spelling spelling)
{
	size_t size;

	*members = (struct ketama_members){.build = build, .n = build->n};
	if (!count_text(build, &size))
		return rule_no_memory(build);
	members->list = mem_zalloc(build->n, sizeof(*members->list));
	members->text = mem_alloc(size);
	if (members->list == NULL || members->text == NULL) {
		ketama_members_fini(members);
		return rule_no_memory(build);
	}
	spell_members(members, spelling);
	if (!check_twins(members)) {
		ketama_members_fini(members);
		return false;
	}
	return true;
}

void
ketama_members_fini(struct ketama_members *members)
{
	mem_free(members->list);
	mem_free(members->text);
	members->list = NULL;
	members->text = NULL;
}

uint64_t
ketama_four_times_floor(float x)
{
	/* Written so that a NaN is out of bounds, too. */
	if (!(x >= 0 && x < (float)(KETAMA_POINTS_MAX / POINTS_PER_DIGEST)))
		return KETAMA_POINTS_MAX;
	return POINTS_PER_DIGEST * (uint64_t)floorf(x);
}

struct span
ketama_point_name(const struct ketama_member *member, char separator,
    uint64_t counter)
{
	size_t len = member->len;

	member->text[len++] = separator;
	len += num_put_u64(member->text + len, counter);
	return span_of(member->text, len);
}

static void
add_md5(struct continuum32 *ring, const struct ketama_member *member)
{
	uint8_t digest[MD5_DIGEST_LEN];

	MUST(member->npoints % POINTS_PER_DIGEST == 0);
	for (uint64_t r = 0; r < member->npoints / POINTS_PER_DIGEST; r++) {
		md5_digest(ketama_point_name(member, '-', r), digest);
		for (size_t word = 0; word < POINTS_PER_DIGEST; word++)
			continuum32_add(ring, load_le32(digest + 4 * word),
			    member->server);
	}
}

static void
add_hashed(struct continuum32 *ring, const struct ketama_member *member,
    hashes_fn *hash)
{
	for (uint64_t r = 0; r < member->npoints; r++)
		continuum32_add(ring, hash(ketama_point_name(member, '-', r)),
		    member->server);
}

static struct continuum32 *
new_ring(const struct ketama_members *members)
{
	const struct rule_build *build = members->build;
	uint64_t npoints = 0;

	/* At most 2^32 members of at most 2^40 points: no overflow before. */
	for (size_t i = 0; i < members->n; i++) {
		MUST(members->list[i].npoints <= KETAMA_POINTS_MAX);
		if (npoints < KETAMA_POINTS_MAX)
			npoints += members->list[i].npoints;
	}
	return continuum32_new(build->spec, npoints, build->error_r,
	    build->err);
}

static struct continuum32 *
seal(const struct ketama_members *members, struct continuum32 *ring)
{
	if (!continuum32_seal(ring, CONTINUUM32_KEEP_ALL,
	    members->build->error_r, members->build->err))
		continuum32_free(&ring);
	return ring;
}

struct continuum32 *
ketama_ring_md5(const struct ketama_members *members)
{
	struct continuum32 *ring = new_ring(members);

	if (ring == NULL)
		return NULL;
	for (size_t i = 0; i < members->n; i++)
		add_md5(ring, &members->list[i]);
	return seal(members, ring);
}

struct continuum32 *
ketama_ring_hashed(const struct ketama_members *members, hashes_fn *hash)
{
	struct continuum32 *ring = new_ring(members);

	if (ring == NULL)
		return NULL;
	for (size_t i = 0; i < members->n; i++)
		add_hashed(ring, &members->list[i], hash);
	return seal(members, ring);
}
