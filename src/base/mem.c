/* The heap behind one door, with a failure that tests can order. */
#include "base/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Below this, a few page faults are not worth a system call. */
#define LARGE_MIN (4u << 20)

/*
 * Successes left before the ordered failure; negative: none is ordered. The
 * two hold no other memory in order, so relaxed access is enough.
 */
static _Atomic int64_t fail_countdown = -1;
static atomic_bool has_failed;

static bool
failure_is_due(void)
{
	if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) < 0)
		return false;
	if (atomic_fetch_sub_explicit(&fail_countdown, 1,
	    memory_order_relaxed) != 0)
		return false;
	atomic_store_explicit(&has_failed, true, memory_order_relaxed);
	return true;
}

void *
mem_alloc(size_t size)
{
	MUST(size > 0);
	if (failure_is_due())
		return NULL;
	return malloc(size);
}

void *
mem_zalloc(size_t n, size_t size)
{
	size_t bytes;

	MUST(size > 0);
	if (__builtin_mul_overflow(n, size, &bytes) || failure_is_due())
		return NULL;
	return calloc(n == 0 ? 1 : n, size);
}

void *
mem_resize(void *old, size_t n, size_t size)
{
	size_t bytes;

	MUST(size > 0);
	if (__builtin_mul_overflow(n, size, &bytes) || failure_is_due())
		return NULL;
	return realloc(old, bytes == 0 ? 1 : bytes);
}

char *
mem_strndup(const char *s, size_t len)
{
	char *copy;

	if (len == SIZE_MAX || (copy = mem_alloc(len + 1)) == NULL)
		return NULL;
	if (len > 0)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void
mem_hint_large(void *p, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(page - 1);

	if (size >= LARGE_MIN)
		(void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}

void
mem_free(void *p)
{
	free(p);
}

void
mem_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void
mem_fail_after(int64_t n)
{
	atomic_store_explicit(&has_failed, false, memory_order_relaxed);
	atomic_store_explicit(&fail_countdown, n, memory_order_relaxed);
}

int
mem_has_failed(void)
{
	return atomic_load_explicit(&has_failed, memory_order_relaxed);
}
