/*
 * Spans: bytes that somebody else owns, with a length and no terminator.
 */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char	*p;	/* lent; any bytes; NULL only if empty */
	size_t		 len;
};

/* A span over a string literal, usable in a static initialiser. */
#define SPAN_LIT(s) {(s), sizeof(s) - 1}

static inline struct span
span_of(const char *p, size_t len)
{
	return (struct span){p, len};
}

static inline struct span
span_str(const char *s)
{
	return (struct span){s, strlen(s)};
}

static inline bool
span_eq(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline bool
span_starts(struct span s, struct span prefix)
{
	return s.len >= prefix.len &&
	    (prefix.len == 0 || memcmp(s.p, prefix.p, prefix.len) == 0);
}

/* Byte order first, then the shorter one: -1, 0 or 1 as strcmp has it. */
static inline int
span_cmp(struct span a, struct span b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n == 0 ? 0 : memcmp(a.p, b.p, n);

	if (c != 0)
		return c < 0 ? -1 : 1;
	return (a.len > b.len) - (a.len < b.len);
}

#endif
