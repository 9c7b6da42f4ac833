/* Counters and histograms. */
#include "stats/stats.h"

#include <string.h>

#include "base/mem.h"

struct stats {
	size_t			 n;
	void			*memory;	/* what `cells` was cut from */
	struct stats_cell	*cells;
	/* One more: the sums at the last reset. Whoever resets writes it. */
	struct stats_cell	*origin;
};

struct stats *
stats_new(size_t n)
{
	struct stats *stats = mem_zalloc(1, sizeof(*stats));
	size_t size = (n + 1) * sizeof(*stats->cells), align;

	if (stats == NULL)
		return NULL;
	align = _Alignof(struct stats_cell);
	stats->memory = mem_zalloc(size + align, 1);
	if (stats->memory == NULL) {
		mem_free(stats);
		return NULL;
	}
	stats->n = n;
	stats->cells = (struct stats_cell *)
	    (((uintptr_t)stats->memory + align - 1) & ~(uintptr_t)(align - 1));
	stats->origin = &stats->cells[n];
	return stats;
}

void
stats_free(struct stats **statsp)
{
	struct stats *stats = *statsp;

	*statsp = NULL;
	if (stats == NULL)
		return;
	mem_free(stats->memory);
	mem_free(stats);
}

struct stats_cell *
stats_cell(struct stats *stats, size_t i)
{
	MUST(i < stats->n);
	return &stats->cells[i];
}

static uint64_t
sum_cells(struct stats *stats, enum stats_counter counter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < stats->n; i++)
		sum += atomic_load_explicit(&stats->cells[i].counters[counter],
		    memory_order_relaxed);
	return sum;
}

static void
reset_histogram(struct stats *stats, size_t which)
{
	struct histogram *origin = &stats->origin->histograms[which];

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t sum = 0;

		for (size_t j = 0; j < stats->n; j++)
			sum += atomic_load_explicit(&stats->cells[j]
			    .histograms[which].counts[i],
			    memory_order_relaxed);
		atomic_store_explicit(&origin->counts[i], sum,
		    memory_order_relaxed);
	}
}

void
stats_reset(struct stats *stats)
{
	for (int i = 0; i < STATS_NCOUNTERS; i++)
		/* Release: who sees it sees what it was summed from. */
		atomic_store_explicit(&stats->origin->counters[i],
		    sum_cells(stats, (enum stats_counter)i),
		    memory_order_release);
	for (size_t i = 0; i < STATS_NHISTOGRAMS; i++)
		reset_histogram(stats, i);
}

uint64_t
stats_sum(struct stats *stats, enum stats_counter counter)
{
	/* Read first, or a reset in between would leave less than nothing. */
	uint64_t origin = atomic_load_explicit(
	    &stats->origin->counters[counter], memory_order_acquire);

	return sum_cells(stats, counter) - origin;
}

uint64_t
stats_total(struct stats *stats, enum stats_counter counter)
{
	return sum_cells(stats, counter);
}

void
stats_read_total(struct stats *stats, enum stats_histogram histogram,
    struct histogram_sum *sum_r)
{
	memset(sum_r, 0, sizeof(*sum_r));
	for (size_t i = 0; i < stats->n; i++)
		histogram_read(&stats->cells[i].histograms[histogram], sum_r);
}

void
stats_read(struct stats *stats, enum stats_histogram histogram,
    struct histogram_sum *sum_r)
{
	struct histogram_sum origin = {.n = 0};

	stats_read_total(stats, histogram, sum_r);
	histogram_read(&stats->origin->histograms[histogram], &origin);
	histogram_subtract(sum_r, &origin);
}

const char *
stats_name(enum stats_counter counter)
{
	static const char *const names[] = {
#define X(member, name, unit, help) [STATS_##member] = name,
		STATS_COUNTERS(X)
#undef X
	};

	return names[counter];
}
