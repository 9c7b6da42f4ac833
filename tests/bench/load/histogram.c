/* Durations in buckets. */
#include "histogram.h"

#define SUB_BITS 6
#define SUB	 (1u << SUB_BITS)

/* Below 64 ns one bucket each; above, the six bits behind the first. */
static unsigned
bucket_of(uint64_t ns)
{
	unsigned power, i;

	if (ns < SUB)
		return (unsigned)ns;
	power = 63u - (unsigned)__builtin_clzll(ns);
	i = (power - SUB_BITS + 1) * SUB +
	    (unsigned)((ns >> (power - SUB_BITS)) & (SUB - 1));
	return i < HISTOGRAM_BUCKETS ? i : HISTOGRAM_BUCKETS - 1;
}

/* The least duration of the bucket. */
static uint64_t
start_of(unsigned i)
{
	if (i < SUB)
		return i;
	return (uint64_t)(SUB + i % SUB) << (i / SUB - 1);
}

void
histogram_add(struct histogram *histogram, uint64_t ns)
{
	histogram->buckets[bucket_of(ns)]++;
	histogram->n++;
	if (ns > histogram->max_ns)
		histogram->max_ns = ns;
}

uint64_t
histogram_at(const struct histogram *histogram, double share)
{
	uint64_t wanted = (uint64_t)(share * (double)histogram->n);
	uint64_t seen = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->buckets[i];
		if (seen > wanted)
			return start_of(i);
	}
	return histogram->max_ns;
}
