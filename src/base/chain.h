/*
 * Chains: bytes in order, on their way to a socket.
 *
 *	chain -> seg -> seg -> seg        each seg: some bytes of one block
 *	          |      |      |
 *	        block  block  block       counted references
 *
 * Small pieces are copied together into blocks of the chain's own; large
 * ones stay where they are and share their block. Worker-local.
 */
#ifndef BASE_CHAIN_H
#define BASE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <sys/uio.h>

#include "base/block.h"
#include "base/must.h"
#include "base/span.h"

/* From this many bytes on, sharing a block is cheaper than copying. */
#define CHAIN_SHARE_MIN 8192

struct seg {
	STAILQ_ENTRY(seg)	 next;
	struct block		*block;	/* one reference */
	char			*p;
	size_t			 len;	/* > 0 */
};

STAILQ_HEAD(seg_list, seg);

/* Needs chain_init(); holds a pointer into itself, so never copy one. */
struct chain {
	struct seg_list	 segs;
	size_t		 len;	/* bytes in all segs */
};

/* Where chains take their segs and blocks from. */
struct chain_pool {
	struct block_pool	 blocks;
	struct seg_list		 free;
	size_t			 nfree;
	struct block		*packed;	/* pieces of many; or NULL */
};

void chain_pool_init(struct chain_pool *pool, struct budget *budget);

/* All chains must be empty. */
void chain_pool_fini(struct chain_pool *pool);

/* As block_pool_trim(). */
void chain_pool_trim(struct chain_pool *pool);

/* As block_pool_has_spare(). */
bool chain_pool_has_spare(const struct chain_pool *pool);

static inline void
chain_init(struct chain *chain)
{
	STAILQ_INIT(&chain->segs);
	chain->len = 0;
}

/* Appends a copy; on false (memory) the chain is as it was. */
bool chain_copy(struct chain *chain, struct chain_pool *pool,
    struct span bytes) MUST_CHECK;

/*
 * Appends bytes that lie in `block`: a copy if they are few, else a
 * reference. On false (memory) the chain is as it was; a reference keeps the
 * block from its next use, so there is none once the budget is spent.
 */
bool chain_add(struct chain *chain, struct chain_pool *pool,
    struct block *block, struct span bytes) MUST_CHECK;

/*
 * As chain_copy(), for what may wait for long in a chain of its own: small
 * pieces of many chains share one block, where each would keep another.
 */
bool chain_pack(struct chain *chain, struct chain_pool *pool,
    struct span bytes) MUST_CHECK;

/*
 * Moves all of `from` to the end of `to`; `from` is empty afterwards. A lone
 * small piece is copied where there is room, so that many of them do not
 * each keep a block.
 */
void chain_move(struct chain *to, struct chain *from,
    struct chain_pool *pool);

/*
 * Moves the first `n` bytes of `from` (which has them) to the end of `to`.
 * On false (memory) some may have been moved, in order, and none is lost.
 */
bool chain_move_n(struct chain *to, struct chain *from, size_t n,
    struct chain_pool *pool) MUST_CHECK;

/* Describes up to `max` segs from the start; the number described. */
int chain_iov(const struct chain *chain, struct iovec *iov, int max);

/* Drops the first `n` bytes, which the chain has. */
void chain_drop(struct chain *chain, size_t n, struct chain_pool *pool);

/* Drops bytes from the end until `len` are left; the chain has as many. */
void chain_cut(struct chain *chain, size_t len, struct chain_pool *pool);

/*
 * Writes `bytes` over the last `n`. False, and nothing is changed, where
 * those and these do not lie in the last block, the chain's own.
 */
bool chain_rewrite_end(struct chain *chain, size_t n, struct span bytes)
    MUST_CHECK;

static inline void
chain_clear(struct chain *chain, struct chain_pool *pool)
{
	if (chain->len > 0)
		chain_drop(chain, chain->len, pool);
}

#endif
