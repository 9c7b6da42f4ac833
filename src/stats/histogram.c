/* Reading histograms. */
#include "stats/histogram.h"

/* The smallest value of a bucket, and how many share it. */
static uint64_t
bucket_start(size_t bucket, uint64_t *width_r)
{
	size_t shift = bucket < 64 ? 0 : bucket / 32 - 1;

	*width_r = UINT64_C(1) << shift;
	return (uint64_t)(bucket - shift * 32) << shift;
}

static uint64_t
bucket_middle(size_t bucket)
{
	uint64_t width, start = bucket_start(bucket, &width);

	return start + width / 2;
}

void
histogram_read(const struct histogram *histogram, struct histogram_sum *sum)
{
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t n = atomic_load_explicit(&histogram->counts[i],
		    memory_order_relaxed);

		sum->counts[i] += n;
		sum->n += n;
	}
}

/*
 * A bucket never falls, save where the readings are of several threads that
 * reset at once: then it is taken for empty.
 */
void
histogram_subtract(struct histogram_sum *sum,
    const struct histogram_sum *earlier)
{
	sum->n = 0;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t n = earlier->counts[i];

		sum->counts[i] -= n < sum->counts[i] ? n : sum->counts[i];
		sum->n += sum->counts[i];
	}
}

uint64_t
histogram_quantile(const struct histogram_sum *sum, double share)
{
	double wanted = share * (double)sum->n;
	uint64_t seen = 0;
	size_t last = 0;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (sum->counts[i] == 0)
			continue;
		seen += sum->counts[i];
		last = i;
		if ((double)seen >= wanted)
			break;
	}
	return seen == 0 ? 0 : bucket_middle(last);
}

uint64_t
histogram_count_to(const struct histogram_sum *sum, uint64_t bound)
{
	size_t end = histogram_bucket(bound);
	uint64_t n = 0;

	for (size_t i = 0; i <= end; i++)
		n += sum->counts[i];
	return n;
}

double
histogram_total(const struct histogram_sum *sum)
{
	double total = 0;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		total += (double)sum->counts[i] * (double)bucket_middle(i);
	return total;
}
