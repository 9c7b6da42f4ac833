/*
 * Blocks: the storage of everything that is read and written.
 *
 * A block is shared by counting references and is freed with the last one.
 * Free blocks wait in their pool for the next use, up to a number; the others
 * go back to the system. What the pools hold, used or waiting, counts against
 * one budget that all of them share.
 *
 * A pool and its blocks belong to one thread.
 */
#ifndef BASE_BLOCK_H
#define BASE_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/must.h"

/* Bytes that all pools together may take from the system. Shared. */
struct budget {
	_Atomic uint64_t	used;
	_Atomic uint64_t	limit;	/* may change at any time */
};

/* Whether less than an eighth of it is left; whether nothing is. Any thread. */
bool budget_is_tight(const struct budget *budget);
bool budget_is_spent(const struct budget *budget);

enum block_class {
	BLOCK_SMALL,		/* for bytes copied together */
	BLOCK_LARGE,		/* for reading from sockets */
	BLOCK_HUGE,		/* the same, where a long body comes */
	BLOCK_ODD,		/* sized for one use, never kept */
};

#define BLOCK_SMALL_SIZE 4096	/* with the header */
#define BLOCK_LARGE_SIZE 65536
#define BLOCK_HUGE_SIZE	 262144

struct block {
	SLIST_ENTRY(block)	 next;	/* while it waits in the pool */
	struct block_pool	*pool;
	uint32_t		 refs;
	enum block_class	 class;
	size_t			 cap;	/* bytes of data */
	size_t			 used;	/* bytes handed out, from the start */
	char			 data[];
};

SLIST_HEAD(block_list, block);

struct block_pool {
	struct budget		*budget;	/* lent, outlives the pool */
	struct block_list	 free[BLOCK_ODD];
	uint32_t		 nfree[BLOCK_ODD];
	uint32_t		 low[BLOCK_ODD];	/* least nfree lately */
};

void block_pool_init(struct block_pool *pool, struct budget *budget);

/* Frees the waiting blocks. All others must have been released. */
void block_pool_fini(struct block_pool *pool);

/*
 * Gives back to the system the waiting blocks that nobody needed since the
 * last call. Called now and then.
 */
void block_pool_trim(struct block_pool *pool);

/* Gives back all waiting blocks at once. */
void block_pool_empty(struct block_pool *pool);

/* Whether any block waits: whether a trim can give something back. */
bool block_pool_has_spare(const struct block_pool *pool);

/* An empty block with one reference, or NULL: no memory, or over budget. */
struct block *block_new(struct block_pool *pool, enum block_class class)
    MUST_CHECK;

/*
 * As block_new(), but also past the budget, for what must go on; the caller
 * sees to it that there are few. NULL only if the system has no memory.
 */
struct block *block_new_past(struct block_pool *pool, enum block_class class)
    MUST_CHECK;

/* As block_new(), with room for `size` bytes, whatever class that takes. */
struct block *block_new_sized(struct block_pool *pool, size_t size) MUST_CHECK;

static inline struct block *
block_ref(struct block *block)
{
	block->refs++;
	return block;
}

/* Drops one reference and nulls it. */
void block_unref(struct block **block);

static inline size_t
block_room(const struct block *block)
{
	return block->cap - block->used;
}

#endif
