/* Memory that is freed all at once: a chain of blocks, filled in order. */
#include "conf/arena.h"

#include <stdarg.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>

#include "base/mem.h"

/*
 * What an ordinary block holds; larger wishes get a block of their own. A
 * test makes it one byte, so that every wish asks the heap and may fail.
 */
#ifndef ARENA_BLOCK_BYTES
#define ARENA_BLOCK_BYTES 16384
#endif

struct block {
	SLIST_ENTRY(block)	 next;
	size_t			 used;
	size_t			 size;
	alignas(max_align_t) unsigned char bytes[];
};

struct arena {
	SLIST_HEAD(, block)	 blocks;	/* the one being filled first */
};

struct arena *
arena_new(void)
{
	struct arena *arena = mem_zalloc(1, sizeof(*arena));

	if (arena != NULL)
		SLIST_INIT(&arena->blocks);
	return arena;
}

void
arena_free(struct arena **arena)
{
	struct block *block;

	if (*arena == NULL)
		return;
	while ((block = SLIST_FIRST(&(*arena)->blocks)) != NULL) {
		SLIST_REMOVE_HEAD(&(*arena)->blocks, next);
		mem_free(block);
	}
	mem_free(*arena);
	*arena = NULL;
}

static struct block *
add_block(struct arena *arena, size_t wish)
{
	size_t size = wish > ARENA_BLOCK_BYTES ? wish : ARENA_BLOCK_BYTES;
	struct block *block;

	if (size > SIZE_MAX - sizeof(*block))
		return NULL;
	block = mem_zalloc(1, sizeof(*block) + size);
	if (block == NULL)
		return NULL;
	block->size = size;
	SLIST_INSERT_HEAD(&arena->blocks, block, next);
	return block;
}

void *
arena_alloc(struct arena *arena, size_t n, size_t size)
{
	struct block *block = SLIST_FIRST(&arena->blocks);
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    bytes > SIZE_MAX - alignof(max_align_t))
		return NULL;
	bytes = (bytes + alignof(max_align_t) - 1) &
	    ~(alignof(max_align_t) - 1);
	if (block == NULL || bytes > block->size - block->used) {
		block = add_block(arena, bytes);
		if (block == NULL)
			return NULL;
	}
	p = block->bytes + block->used;
	block->used += bytes;
	return p;
}

char *
arena_copy(struct arena *arena, struct span s)
{
	char *copy;

	if (s.len == SIZE_MAX)
		return NULL;
	copy = arena_alloc(arena, s.len + 1, 1);
	if (copy != NULL && s.len > 0)
		memcpy(copy, s.p, s.len);
	return copy;
}

char *
arena_printf(struct arena *arena, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		return NULL;
	text = arena_alloc(arena, (size_t)len + 1, 1);
	if (text == NULL)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return text;
}
