/*
 * The one way to the heap.
 *
 * An allocation may fail, and its caller treats that as a normal result. All
 * of them come through here, so that a test can make the Nth one fail. Sizes
 * that a peer or a configuration chose are checked against a limit by the
 * caller first. Any thread.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/must.h"

/* Uninitialised memory for `size` bytes (at least one), or NULL. */
void *mem_alloc(size_t size) MUST_CHECK;

/* Zeroed memory for `n` members of `size` bytes; NULL also on overflow. */
void *mem_zalloc(size_t n, size_t size) MUST_CHECK;

/*
 * As mem_alloc, with room for `n` members of `size` bytes, keeping what `old`
 * (may be NULL) held. On NULL, also for overflow, `old` is untouched.
 */
void *mem_resize(void *old, size_t n, size_t size) MUST_CHECK;

/* A NUL-terminated copy of `len` bytes, or NULL. */
char *mem_strndup(const char *s, size_t len) MUST_CHECK;

/*
 * Hints that the `size` bytes at `p`, from one of the above, are large and
 * read all over, so that the kernel may back them with huge pages: a ring of a
 * million points answers in two thirds of the time. Nothing below 4 MiB, and
 * nothing where the kernel has none; never fails.
 */
void mem_hint_large(void *p, size_t size);

/* Frees what this module gave; NULL is fine. */
void mem_free(void *p);

/*
 * Gives free memory back to the system. Slow: after a peak, not often.
 *
 * To be called once before there are threads. Where another allocator stands
 * before libc's (a sanitizer's, or one loaded first), this is the first call
 * that libc's sees, and two threads that make it at once make it abort.
 */
void mem_give_back(void);

/*
 * For tests: after `n` more successes, one allocation fails (n = 0: the very
 * next); a negative `n` turns it off. Process-wide.
 */
void mem_fail_after(int64_t n);

/* For tests: whether the failure asked for has happened since then. */
int mem_has_failed(void);

#endif
