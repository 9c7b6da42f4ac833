/* Chains of bytes. */
#include "base/chain.h"

#include <string.h>

#include "base/mem.h"

/* Segs that a pool keeps at most. */
#define KEEP_SEGS_MAX 4096

/* Pieces up to this size are packed: some of them to a small block. */
#define PACK_MAX 512

void
chain_pool_init(struct chain_pool *pool, struct budget *budget)
{
	block_pool_init(&pool->blocks, budget);
	STAILQ_INIT(&pool->free);
	pool->nfree = 0;
	pool->packed = NULL;
}

static void
free_segs(struct chain_pool *pool)
{
	struct seg *seg;

	while ((seg = STAILQ_FIRST(&pool->free)) != NULL) {
		STAILQ_REMOVE_HEAD(&pool->free, next);
		mem_free(seg);
	}
	pool->nfree = 0;
}

void
chain_pool_fini(struct chain_pool *pool)
{
	free_segs(pool);
	if (pool->packed != NULL)
		block_unref(&pool->packed);
	block_pool_fini(&pool->blocks);
}

/* Whether nothing of the packed block is in use. */
static bool
has_idle_packed(const struct chain_pool *pool)
{
	return pool->packed != NULL && pool->packed->refs == 1;
}

void
chain_pool_trim(struct chain_pool *pool)
{
	free_segs(pool);
	if (has_idle_packed(pool))
		block_unref(&pool->packed);
	block_pool_trim(&pool->blocks);
}

bool
chain_pool_has_spare(const struct chain_pool *pool)
{
	return pool->nfree > 0 || has_idle_packed(pool) ||
	    block_pool_has_spare(&pool->blocks);
}

/* A seg over `len` bytes at `p`; takes one reference to `block`. */
static struct seg *
seg_new(struct chain_pool *pool, struct block *block, char *p, size_t len)
{
	struct seg *seg = STAILQ_FIRST(&pool->free);

	if (seg != NULL) {
		STAILQ_REMOVE_HEAD(&pool->free, next);
		pool->nfree--;
	} else if ((seg = mem_alloc(sizeof(*seg))) == NULL) {
		return NULL;
	}
	seg->block = block_ref(block);
	seg->p = p;
	seg->len = len;
	return seg;
}

static void
seg_free(struct seg *seg, struct chain_pool *pool)
{
	block_unref(&seg->block);
	if (pool->nfree >= KEEP_SEGS_MAX) {
		mem_free(seg);
		return;
	}
	STAILQ_INSERT_HEAD(&pool->free, seg, next);
	pool->nfree++;
}

static void
append(struct chain *chain, struct seg *seg)
{
	STAILQ_INSERT_TAIL(&chain->segs, seg, next);
	chain->len += seg->len;
}

static struct seg *
last_seg(const struct chain *chain)
{
	if (STAILQ_EMPTY(&chain->segs))
		return NULL;
	return (struct seg *)(void *)((char *)chain->segs.stqh_last -
	    offsetof(struct seg, next.stqe_next));
}

/*
 * The last seg, if more bytes can be copied behind its own: its block is this
 * chain's alone, small, and has nothing after the seg.
 */
static struct seg *
open_tail(const struct chain *chain)
{
	struct seg *tail = last_seg(chain);

	if (tail == NULL || tail->block->class != BLOCK_SMALL ||
	    tail->block->refs != 1 ||
	    tail->p + tail->len != tail->block->data + tail->block->used)
		return NULL;
	return tail;
}

static size_t
fill_tail(struct chain *chain, struct span bytes)
{
	struct seg *tail = open_tail(chain);
	size_t n;

	if (tail == NULL)
		return 0;
	n = block_room(tail->block);
	if (n > bytes.len)
		n = bytes.len;
	if (n == 0)
		return 0;
	memcpy(tail->block->data + tail->block->used, bytes.p, n);
	tail->block->used += n;
	tail->len += n;
	chain->len += n;
	return n;
}

/* Takes back the last `n` bytes that fill_tail() added to `tail`. */
static void
unfill_tail(struct chain *chain, struct seg *tail, size_t n)
{
	if (n == 0)
		return;
	tail->block->used -= n;
	tail->len -= n;
	chain->len -= n;
}

bool
chain_rewrite_end(struct chain *chain, size_t n, struct span bytes)
{
	struct seg *tail = open_tail(chain);
	size_t filled;

	if (tail == NULL || tail->len < n ||
	    block_room(tail->block) + n < bytes.len)
		return false;
	unfill_tail(chain, tail, n);
	filled = fill_tail(chain, bytes);
	MUST(filled == bytes.len);
	return true;
}

/* Copies into new blocks on a chain of its own; false leaves it empty. */
static bool
copy_to_blocks(struct chain *fresh, struct chain_pool *pool, struct span bytes)
{
	struct block *block;
	struct seg *seg;
	size_t n;

	while (bytes.len > 0) {
		block = block_new(&pool->blocks, BLOCK_SMALL);
		if (block == NULL)
			goto fail;
		n = bytes.len < block->cap ? bytes.len : block->cap;
		seg = seg_new(pool, block, block->data, n);
		if (seg == NULL) {
			block_unref(&block);
			goto fail;
		}
		memcpy(block->data, bytes.p, n);
		block->used = n;
		block_unref(&block);
		append(fresh, seg);
		bytes = span_of(bytes.p + n, bytes.len - n);
	}
	return true;
fail:
	chain_clear(fresh, pool);
	return false;
}

bool
chain_copy(struct chain *chain, struct chain_pool *pool, struct span bytes)
{
	struct seg *tail;
	struct chain fresh;
	size_t filled;

	if (bytes.len == 0)
		return true;
	filled = fill_tail(chain, bytes);
	if (filled == bytes.len)
		return true;
	tail = last_seg(chain);
	chain_init(&fresh);
	if (!copy_to_blocks(&fresh, pool,
	    span_of(bytes.p + filled, bytes.len - filled))) {
		unfill_tail(chain, tail, filled);
		return false;
	}
	STAILQ_CONCAT(&chain->segs, &fresh.segs);
	chain->len += fresh.len;
	return true;
}

/* A packed block with room for `len` bytes. False without memory. */
static bool
make_packed_room(struct chain_pool *pool, size_t len)
{
	if (has_idle_packed(pool))
		pool->packed->used = 0;
	if (pool->packed != NULL && block_room(pool->packed) >= len)
		return true;
	if (pool->packed != NULL)
		block_unref(&pool->packed);
	pool->packed = block_new(&pool->blocks, BLOCK_SMALL);
	return pool->packed != NULL;
}

bool
chain_pack(struct chain *chain, struct chain_pool *pool, struct span bytes)
{
	struct block *block;
	struct seg *seg;

	if (bytes.len == 0 || bytes.len > PACK_MAX || open_tail(chain) != NULL)
		return chain_copy(chain, pool, bytes);
	if (!make_packed_room(pool, bytes.len))
		return false;
	block = pool->packed;
	seg = seg_new(pool, block, block->data + block->used, bytes.len);
	if (seg == NULL)
		return false;
	memcpy(seg->p, bytes.p, bytes.len);
	block->used += bytes.len;
	append(chain, seg);
	return true;
}

bool
chain_add(struct chain *chain, struct chain_pool *pool, struct block *block,
    struct span bytes)
{
	struct seg *seg;

	if (bytes.len < CHAIN_SHARE_MIN)
		return chain_copy(chain, pool, bytes);
	MUST(bytes.p >= block->data &&
	    bytes.p + bytes.len <= block->data + block->cap);
	if (budget_is_spent(pool->blocks.budget))
		return false;
	seg = seg_new(pool, block, block->data + (bytes.p - block->data),
	    bytes.len);
	if (seg == NULL)
		return false;
	append(chain, seg);
	return true;
}

void
chain_move(struct chain *to, struct chain *from, struct chain_pool *pool)
{
	struct seg *seg = STAILQ_FIRST(&from->segs), *tail = open_tail(to);

	if (seg != NULL && seg->len == from->len && tail != NULL &&
	    seg->len <= block_room(tail->block)) {
		fill_tail(to, span_of(seg->p, seg->len));
		chain_clear(from, pool);
		return;
	}
	STAILQ_CONCAT(&to->segs, &from->segs);
	to->len += from->len;
	from->len = 0;
}

bool
chain_move_n(struct chain *to, struct chain *from, size_t n,
    struct chain_pool *pool)
{
	struct seg *seg;

	MUST(n <= from->len);
	while (n > 0) {
		seg = STAILQ_FIRST(&from->segs);
		if (seg->len > n) {
			if (!chain_add(to, pool, seg->block,
			    span_of(seg->p, n)))
				return false;
			chain_drop(from, n, pool);
			return true;
		}
		STAILQ_REMOVE_HEAD(&from->segs, next);
		from->len -= seg->len;
		n -= seg->len;
		append(to, seg);
	}
	return true;
}

int
chain_iov(const struct chain *chain, struct iovec *iov, int max)
{
	struct seg *seg;
	int n = 0;

	STAILQ_FOREACH(seg, &chain->segs, next) {
		if (n == max)
			break;
		iov[n].iov_base = seg->p;
		iov[n].iov_len = seg->len;
		n++;
	}
	return n;
}

void
chain_drop(struct chain *chain, size_t n, struct chain_pool *pool)
{
	struct seg *seg;

	MUST(n <= chain->len);
	chain->len -= n;
	while (n > 0) {
		seg = STAILQ_FIRST(&chain->segs);
		if (seg->len > n) {
			seg->p += n;
			seg->len -= n;
			return;
		}
		n -= seg->len;
		STAILQ_REMOVE_HEAD(&chain->segs, next);
		seg_free(seg, pool);
	}
}

void
chain_cut(struct chain *chain, size_t len, struct chain_pool *pool)
{
	struct seg_list kept = STAILQ_HEAD_INITIALIZER(kept);
	struct seg *seg;
	size_t left = len;

	MUST(len <= chain->len);
	while ((seg = STAILQ_FIRST(&chain->segs)) != NULL) {
		STAILQ_REMOVE_HEAD(&chain->segs, next);
		if (left == 0) {
			seg_free(seg, pool);
			continue;
		}
		if (seg->len > left) {
			/* An open tail stays open: its block ends with it. */
			if (seg->p + seg->len ==
			    seg->block->data + seg->block->used &&
			    seg->block->refs == 1)
				seg->block->used -= seg->len - left;
			seg->len = left;
		}
		left -= seg->len;
		STAILQ_INSERT_TAIL(&kept, seg, next);
	}
	STAILQ_CONCAT(&chain->segs, &kept);
	chain->len = len;
}
