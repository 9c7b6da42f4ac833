/*
 * What only servers know of themselves, summed over the servers: what
 * memcached's monitors ask a plain `stats` for.
 *
 * The main thread reads the replies and publishes the sums; workers show
 * them.
 */
#ifndef STATS_BACKEND_TOTALS_H
#define STATS_BACKEND_TOTALS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"

/* Member, memcached's name. */
#define BACKEND_TOTALS(X)                                                      \
	X(LIMIT_MAXBYTES, "limit_maxbytes")                                    \
	X(BYTES, "bytes")                                                      \
	X(CURR_ITEMS, "curr_items")                                            \
	X(TOTAL_ITEMS, "total_items")                                          \
	X(EVICTIONS, "evictions")                                              \
	X(RECLAIMED, "reclaimed")                                              \
	X(EXPIRED_UNFETCHED, "expired_unfetched")                              \
	X(EVICTED_UNFETCHED, "evicted_unfetched")                              \
	X(GET_EXPIRED, "get_expired")                                          \
	X(GET_FLUSHED, "get_flushed")

enum backend_total {
#define X(member, name) BACKEND_##member,
	BACKEND_TOTALS(X)
#undef X
	BACKEND_NTOTALS
};

/*
 * No server is believed more than this of anything: as many as there may be
 * then add up without an overflow.
 */
#define BACKEND_VALUE_MAX ((UINT64_C(1) << 50) - 1)

struct backend_sum {
	uint64_t	nservers;	/* that are in it */
	uint64_t	values[BACKEND_NTOTALS];
};

/* What is published. Zeroed memory says 0. One writer, any reader. */
struct backend_totals {
	_Atomic uint64_t	nservers;
	_Atomic uint64_t	values[BACKEND_NTOTALS];
};

enum backend_reply {
	BACKEND_REPLY_MORE,	/* so far it is right, and it has no end */
	BACKEND_REPLY_WHOLE,
	BACKEND_REPLY_NONSENSE,
};

/*
 * Reads a server's reply to `stats`. If it is whole, its values are added to
 * `sum`, and the server is counted; else `sum` is left alone. A name that the
 * server does not have adds nothing. Pure.
 */
enum backend_reply backend_totals_read(struct span reply,
    struct backend_sum *sum) MUST_CHECK;

/* Shows `sum` from now on. The writer's thread. */
void backend_totals_publish(struct backend_totals *totals,
    const struct backend_sum *sum);

/* memcached's name. */
const char *backend_total_name(enum backend_total which);

/* Some recent value. Any thread. */
static inline uint64_t
backend_totals_get(const struct backend_totals *totals,
    enum backend_total which)
{
	return atomic_load_explicit(&totals->values[which],
	    memory_order_relaxed);
}

/* The servers that are in the values. Any thread. */
static inline uint64_t
backend_totals_nservers(const struct backend_totals *totals)
{
	return atomic_load_explicit(&totals->nservers, memory_order_relaxed);
}

#endif
