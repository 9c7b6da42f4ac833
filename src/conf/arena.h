/*
 * Memory that is freed all at once: the nodes of one parse, or everything a
 * configuration points to.
 */
#ifndef CONF_ARENA_H
#define CONF_ARENA_H

#include <stddef.h>

#include "base/must.h"
#include "base/span.h"

struct arena;

/* An empty arena, or NULL without memory. */
struct arena *arena_new(void) MUST_CHECK;

/* Frees everything given by the arena, and nulls; NULL inside is fine. */
void arena_free(struct arena **arena);

/*
 * Zeroed room for `n` members of `size` bytes, aligned for anything, or NULL
 * without memory. Lent until arena_free().
 */
void *arena_alloc(struct arena *arena, size_t n, size_t size) MUST_CHECK;

/* A NUL-terminated copy, or NULL without memory. Lent as above. */
char *arena_copy(struct arena *arena, struct span s) MUST_CHECK;

/* Text in the manner of printf, or NULL without memory. Lent as above. */
char *arena_printf(struct arena *arena, const char *fmt, ...)
    PRINTF_LIKE(2, 3) MUST_CHECK;

#endif
