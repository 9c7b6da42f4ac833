/* Blocks and their pools. */
#include "base/block.h"

#include "base/mem.h"

/* Blocks of a class that a pool keeps at most. */
static const uint32_t keep_max[BLOCK_ODD] = {
	[BLOCK_SMALL] = 1024,
	[BLOCK_LARGE] = 64,
	[BLOCK_HUGE] = 16,
};

static const size_t class_size[BLOCK_ODD] = {
	[BLOCK_SMALL] = BLOCK_SMALL_SIZE,
	[BLOCK_LARGE] = BLOCK_LARGE_SIZE,
	[BLOCK_HUGE] = BLOCK_HUGE_SIZE,
};

void
block_pool_init(struct block_pool *pool, struct budget *budget)
{
	*pool = (struct block_pool){.budget = budget};
}

/*
 * Relaxed order throughout: the budget counts bytes and publishes nothing
 * else.
 */
bool
budget_is_tight(const struct budget *budget)
{
	uint64_t limit = atomic_load_explicit(&budget->limit,
	    memory_order_relaxed);

	return atomic_load_explicit(&budget->used, memory_order_relaxed) >
	    limit - limit / 8;
}

bool
budget_is_spent(const struct budget *budget)
{
	return atomic_load_explicit(&budget->used, memory_order_relaxed) >=
	    atomic_load_explicit(&budget->limit, memory_order_relaxed);
}

static bool
budget_take(struct budget *budget, size_t size)
{
	uint64_t limit = atomic_load_explicit(&budget->limit,
	    memory_order_relaxed);
	uint64_t was = atomic_fetch_add_explicit(&budget->used, size,
	    memory_order_relaxed);

	if (was + size <= limit)
		return true;
	atomic_fetch_sub_explicit(&budget->used, size, memory_order_relaxed);
	return false;
}

static void
give_back(struct block *block)
{
	size_t size = sizeof(*block) + block->cap;

	atomic_fetch_sub_explicit(&block->pool->budget->used, size,
	    memory_order_relaxed);
	mem_free(block);
}

static void
shrink_to(struct block_pool *pool, enum block_class class, uint32_t n)
{
	struct block *block;

	while (pool->nfree[class] > n) {
		block = SLIST_FIRST(&pool->free[class]);
		SLIST_REMOVE_HEAD(&pool->free[class], next);
		pool->nfree[class]--;
		give_back(block);
	}
}

void
block_pool_fini(struct block_pool *pool)
{
	block_pool_empty(pool);
}

void
block_pool_empty(struct block_pool *pool)
{
	for (int class = 0; class < BLOCK_ODD; class++)
		shrink_to(pool, (enum block_class)class, 0);
}

void
block_pool_trim(struct block_pool *pool)
{
	for (int class = 0; class < BLOCK_ODD; class++) {
		shrink_to(pool, (enum block_class)class,
		    pool->nfree[class] - pool->low[class]);
		pool->low[class] = pool->nfree[class];
	}
}

bool
block_pool_has_spare(const struct block_pool *pool)
{
	for (int class = 0; class < BLOCK_ODD; class++) {
		if (pool->nfree[class] > 0)
			return true;
	}
	return false;
}

/* `size` bytes that the budget counts already. */
static struct block *
make_block(struct block_pool *pool, enum block_class class, size_t size)
{
	struct block *block = mem_alloc(size);

	if (block == NULL) {
		atomic_fetch_sub_explicit(&pool->budget->used, size,
		    memory_order_relaxed);
		return NULL;
	}
	block->pool = pool;
	block->class = class;
	block->cap = size - sizeof(*block);
	block->refs = 1;
	block->used = 0;
	return block;
}

static struct block *
take_from_system(struct block_pool *pool, enum block_class class, size_t size)
{
	if (!budget_take(pool->budget, size))
		return NULL;
	return make_block(pool, class, size);
}

struct block *
block_new_past(struct block_pool *pool, enum block_class class)
{
	struct block *block = block_new(pool, class);

	if (block != NULL)
		return block;
	atomic_fetch_add_explicit(&pool->budget->used, class_size[class],
	    memory_order_relaxed);
	return make_block(pool, class, class_size[class]);
}

struct block *
block_new(struct block_pool *pool, enum block_class class)
{
	struct block *block;

	MUST(class < BLOCK_ODD);
	block = SLIST_FIRST(&pool->free[class]);
	if (block == NULL)
		return take_from_system(pool, class, class_size[class]);
	SLIST_REMOVE_HEAD(&pool->free[class], next);
	if (--pool->nfree[class] < pool->low[class])
		pool->low[class] = pool->nfree[class];
	block->refs = 1;
	block->used = 0;
	return block;
}

struct block *
block_new_sized(struct block_pool *pool, size_t size)
{
	if (size <= BLOCK_SMALL_SIZE - sizeof(struct block))
		return block_new(pool, BLOCK_SMALL);
	if (size <= BLOCK_LARGE_SIZE - sizeof(struct block))
		return block_new(pool, BLOCK_LARGE);
	if (size > SIZE_MAX - sizeof(struct block))
		return NULL;
	return take_from_system(pool, BLOCK_ODD, sizeof(struct block) + size);
}

void
block_unref(struct block **blockp)
{
	struct block *block = *blockp;
	struct block_pool *pool = block->pool;

	*blockp = NULL;
	MUST(block->refs > 0);
	if (--block->refs > 0)
		return;
	if (block->class == BLOCK_ODD ||
	    pool->nfree[block->class] >= keep_max[block->class]) {
		give_back(block);
		return;
	}
	SLIST_INSERT_HEAD(&pool->free[block->class], block, next);
	pool->nfree[block->class]++;
}
