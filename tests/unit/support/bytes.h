/*
 * Bytes that grow: what tests gather and compare.
 *
 * Not through base/mem.h, whose failures a test may have ordered: without
 * memory the test dies.
 */
#ifndef TESTS_BYTES_H
#define TESTS_BYTES_H

#include <stddef.h>

#include "base/must.h"
#include "base/span.h"

/* Zero is none. */
/* Once there are any, a NUL follows them, which does not count. */
struct bytes {
	char	*p;
	size_t	 len;
	size_t	 room;
};

void bytes_add(struct bytes *bytes, struct span more);

void bytes_say(struct bytes *bytes, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Takes the first `n` off. */
void bytes_drop(struct bytes *bytes, size_t n);

void bytes_free(struct bytes *bytes);

static inline struct span
bytes_span(const struct bytes *bytes)
{
	return span_of(bytes->p, bytes->len);
}

#endif
