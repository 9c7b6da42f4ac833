/* Bytes that grow. */
#include "bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
bytes_add(struct bytes *bytes, struct span more)
{
	if (more.len == 0)
		return;
	if (bytes->room - bytes->len <= more.len) {
		bytes->room = 2 * (bytes->len + more.len);
		bytes->p = realloc(bytes->p, bytes->room);
		MUST(bytes->p != NULL);
	}
	memcpy(bytes->p + bytes->len, more.p, more.len);
	bytes->len += more.len;
	bytes->p[bytes->len] = '\0';
}

void
bytes_say(struct bytes *bytes, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	MUST(n >= 0 && (size_t)n < sizeof(text));
	bytes_add(bytes, span_of(text, (size_t)n));
}

void
bytes_drop(struct bytes *bytes, size_t n)
{
	MUST(n <= bytes->len);
	bytes->len -= n;
	if (n > 0)
		memmove(bytes->p, bytes->p + n, bytes->len + 1);
}

void
bytes_free(struct bytes *bytes)
{
	free(bytes->p);
	*bytes = (struct bytes){0};
}
