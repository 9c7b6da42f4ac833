/* The names of the hashes. */
#include "ring/hash.h"

static const char *const kind_names[] = {
	[HASH_DEFAULT] = "default",
#define X(member, name) [HASH_##member] = (name),
	HASH_KINDS(X)
#undef X
};

bool
hash_kind_by_name(struct span name, enum hash_kind *kind_r)
{
	for (int kind = HASH_DEFAULT + 1; kind < HASH_KIND_COUNT; kind++) {
		if (span_eq(name, span_str(kind_names[kind]))) {
			*kind_r = (enum hash_kind)kind;
			return true;
		}
	}
	return false;
}

const char *
hash_kind_name(enum hash_kind kind)
{
	MUST((unsigned)kind < HASH_KIND_COUNT);
	return kind_names[kind];
}
