/*
 * A histogram of durations: buckets that widen with the duration, 64 to each
 * power of two, so that a percentile is right within 1.6 %.
 */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BUCKETS (64 * 40)

struct histogram {
	uint64_t	n;
	uint64_t	max_ns;
	uint64_t	buckets[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *histogram, uint64_t ns);

/* What `share` (0..1) of all stayed within; 0 if there are none. */
uint64_t histogram_at(const struct histogram *histogram, double share);

#endif
