/*
 * Histograms of whole numbers: microseconds, bytes, lengths of queues.
 *
 * Log-linear: each power of two is cut into 32 buckets of equal width, so a
 * value read back lies within 1/64 (1.6 %) of the one that was counted. Below
 * 64 every value has a bucket of its own. Values above HISTOGRAM_MAX count as
 * that.
 *
 * A histogram is written by one thread, with plain loads and stores; anyone
 * may read it. It is read by adding it to a sum, as many as make one answer.
 */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The largest value told from others: 17 minutes, or a GiB. */
#define HISTOGRAM_MAX ((UINT64_C(1) << 30) - 1)

#define HISTOGRAM_BUCKETS 832

struct histogram {			/* one writer; zeroed memory is empty */
	_Atomic uint64_t	counts[HISTOGRAM_BUCKETS];
};

/* What was read; the reader's own. Zeroed memory is empty. */
struct histogram_sum {
	uint64_t	counts[HISTOGRAM_BUCKETS];
	uint64_t	n;		/* of all buckets */
};

/* Where `value` is counted. */
static inline size_t
histogram_bucket(uint64_t value)
{
	unsigned shift;

	if (value > HISTOGRAM_MAX)
		value = HISTOGRAM_MAX;
	/* What its leading bit stands above 32; nothing below 64. */
	shift = 58u - (unsigned)__builtin_clzll(value | 32);
	return shift * 32 + (size_t)(value >> shift);
}

/*
 * Counts `value`, `n` times. The histogram's own thread. Relaxed: a reader
 * wants some recent count of each bucket and no order between them.
 */
static inline void
histogram_add_n(struct histogram *histogram, uint64_t value, uint64_t n)
{
	_Atomic uint64_t *count = &histogram->counts[histogram_bucket(value)];

	atomic_store_explicit(count, atomic_load_explicit(count,
	    memory_order_relaxed) + n, memory_order_relaxed);
}

static inline void
histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram_add_n(histogram, value, 1);
}

/* Adds what `histogram` has counted to `sum`. Any thread. */
void histogram_read(const struct histogram *histogram,
    struct histogram_sum *sum);

/* Takes away what an earlier reading of the same histograms had. */
void histogram_subtract(struct histogram_sum *sum,
    const struct histogram_sum *earlier);

/*
 * The value below or at which `share` (0 to 1) of those counted lie; 0 if
 * there are none.
 */
uint64_t histogram_quantile(const struct histogram_sum *sum, double share);

/* How many are at most `bound`, to the bucket. */
uint64_t histogram_count_to(const struct histogram_sum *sum, uint64_t bound);

/* All values together, each taken for the middle of its bucket. */
double histogram_total(const struct histogram_sum *sum);

#endif
