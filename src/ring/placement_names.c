/* Placement: rules and failures by name, and specs compared. */
#include "ring/placement.h"

static const char *const kind_names[] = {
#define X(member, name) [PLACEMENT_##member] = (name),
	PLACEMENT_KINDS(X)
#undef X
};

bool
placement_kind_by_name(struct span name, enum placement_kind *kind_r)
{
	for (int kind = 0; kind < PLACEMENT_KIND_COUNT; kind++) {
		if (span_eq(name, span_str(kind_names[kind]))) {
			*kind_r = (enum placement_kind)kind;
			return true;
		}
	}
	return false;
}

const char *
placement_kind_name(enum placement_kind kind)
{
	MUST((unsigned)kind < PLACEMENT_KIND_COUNT);
	return kind_names[kind];
}

const char *
placement_error_name(enum placement_error error)
{
	switch (error) {
	case PLACEMENT_OK:
		return "OK";
	case PLACEMENT_NO_SERVERS:
		return "NoServers";
	case PLACEMENT_DUPLICATE_IDENTITY:
		return "DuplicateIdentity";
	case PLACEMENT_STATE_CAPACITY_EXCEEDED:
		return "StateCapacityExceeded";
	case PLACEMENT_UNSUPPORTED:
		return "Unsupported";
	}
	NEVER();
}

bool
placement_spec_eq(const struct placement_spec *a,
    const struct placement_spec *b)
{
	return a->kind == b->kind && a->hash == b->hash &&
	    a->points_per_weight == b->points_per_weight &&
	    a->max_points == b->max_points &&
	    memcmp(a->hash_tag, b->hash_tag, sizeof(a->hash_tag)) == 0 &&
	    memcmp(a->hash_key, b->hash_key, sizeof(a->hash_key)) == 0 &&
	    a->is_char_unsigned == b->is_char_unsigned &&
	    strcmp(a->hash_seed, b->hash_seed) == 0 &&
	    strcmp(a->hash_stop, b->hash_stop) == 0 &&
	    a->hash_avalanche == b->hash_avalanche &&
	    a->ring_size_min == b->ring_size_min &&
	    a->ring_size_max == b->ring_size_max;
}
