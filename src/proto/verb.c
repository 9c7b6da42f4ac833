/* The table of commands. */
#include "proto/verb.h"

static const char *const names[] = {
#define X(member, name, shape) [VERB_##member] = name,
	VERBS(X)
#undef X
};

static const enum verb_shape shapes[] = {
#define X(member, name, shape) [VERB_##member] = VERB_SHAPE_##shape,
	VERBS(X)
#undef X
};

const char *
verb_name(enum verb verb)
{
	return names[verb];
}

enum verb_shape
verb_shape(enum verb verb)
{
	return shapes[verb];
}

bool
verb_is_get(enum verb verb)
{
	return shapes[verb] == VERB_SHAPE_GET ||
	    shapes[verb] == VERB_SHAPE_GAT;
}
