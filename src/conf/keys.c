/* The table of every key. */
#include "conf/keys.h"

#include "conf/keys_rows.h"
#include "ring/placement.h"

static const struct section *const sections[] = {
	[SECTION_ADMIN] = &admin_section,
	[SECTION_RELOAD] = &reload_section,
	[SECTION_ROOT] = &root_section,
	[SECTION_LIMITS] = &limits_section,
	[SECTION_LOG] = &log_section,
	[SECTION_STATS] = &stats_section,
	[SECTION_LISTENER] = &listener_section,
	[SECTION_ROUTE] = &route_section,
	[SECTION_POOL] = &pool_section,
	[SECTION_TIMEOUTS] = &timeouts_section,
	[SECTION_HEALTH] = &health_section,
	[SECTION_SERVER] = &server_section,
};

_Static_assert(LENGTH(sections) == SECTION_COUNT, "one row a section");

const struct section *
section_by_id(enum section_id id)
{
	return sections[id];
}

const struct key *
section_key(const struct section *section, struct span name)
{
	for (size_t i = 0; i < section->nkeys; i++) {
		if (span_eq(span_str(section->keys[i].name), name))
			return &section->keys[i];
	}
	return NULL;
}

bool
key_is_for_placement(const struct key *key, enum placement_kind kind)
{
	struct span name = span_str(placement_kind_name(kind));

	if (key->placements == NULL)
		return true;
	for (size_t i = 0; key->placements[i] != NULL; i++) {
		if (span_starts(name, span_str(key->placements[i])))
			return true;
	}
	return false;
}
