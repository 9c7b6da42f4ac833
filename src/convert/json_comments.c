/* Taking comments out of JSON. */
#include "convert/json_comments.h"

#include <string.h>

enum where { IN_CODE, IN_STRING, IN_LINE, IN_BLOCK };

/* Where the byte after `p` is; a mark of two bytes takes both. */
static enum where
step(enum where where, const char *p, const char *end, size_t *n_r)
{
	bool is_pair = end - p > 1;

	*n_r = 1;
	switch (where) {
	case IN_CODE:
		if (*p == '"')
			return IN_STRING;
		if (!is_pair || p[0] != '/' || (p[1] != '/' && p[1] != '*'))
			return IN_CODE;
		*n_r = 2;
		return p[1] == '/' ? IN_LINE : IN_BLOCK;
	case IN_STRING:
		if (is_pair && *p == '\\')
			*n_r = 2;
		return *p == '"' ? IN_CODE : IN_STRING;
	case IN_LINE:
		return *p == '\n' ? IN_CODE : IN_LINE;
	case IN_BLOCK:
		if (!is_pair || p[0] != '*' || p[1] != '/')
			return IN_BLOCK;
		*n_r = 2;
		return IN_CODE;
	}
	NEVER();
}

const char *
json_comments_blank(struct draft *draft, struct span text)
{
	char *copy = arena_alloc(draft->arena, text.len + 1, 1);
	const char *end = text.p + text.len, *p = text.p;
	enum where where = IN_CODE;
	size_t n;

	if (copy == NULL) {
		errors_out_of_memory(draft->errors);
		return NULL;
	}
	for (char *out = copy; p < end; p += n, out += n) {
		enum where next = step(where, p, end, &n);
		bool is_comment = where == IN_LINE || where == IN_BLOCK ||
		    next == IN_LINE || next == IN_BLOCK;

		memcpy(out, p, n);
		if (is_comment && *p != '\n')
			memset(out, ' ', n);
		where = next;
	}
	return copy;
}
