/* The cells of servers. */
#include "stats/server_stats.h"

#include <string.h>

#include "base/mem.h"

struct server_cell *
server_stats_cell(struct server_stats *stats, size_t worker)
{
	struct server_cell *cell;

	/* Acquire: pairs with the release of whoever listed a cell. */
	cell = atomic_load_explicit(&stats->head, memory_order_acquire);
	while (cell != NULL && cell->worker != worker)
		cell = cell->next;
	if (cell != NULL)
		return cell;
	cell = mem_zalloc(1, sizeof(*cell));
	if (cell == NULL)
		return NULL;
	cell->worker = worker;
	cell->next = atomic_load_explicit(&stats->head, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&stats->head,
	    &cell->next, cell, memory_order_release, memory_order_relaxed))
		;
	return cell;
}

uint64_t
server_stats_count(struct server_stats *stats, enum server_counter counter)
{
	const struct server_cell *cell;
	uint64_t n = 0;

	/* Acquire: as above. */
	cell = atomic_load_explicit(&stats->head, memory_order_acquire);
	for (; cell != NULL; cell = cell->next)
		n += atomic_load_explicit(&cell->counters[counter],
		    memory_order_relaxed);
	return n;
}

void
server_stats_add(struct server_stats *stats, struct server_sum *sum)
{
	const struct server_cell *cell;

	/* Acquire: as above. */
	cell = atomic_load_explicit(&stats->head, memory_order_acquire);
	for (; cell != NULL; cell = cell->next) {
		for (int i = 0; i < SERVER_NCOUNTERS; i++)
			sum->counters[i] += atomic_load_explicit(
			    &cell->counters[i], memory_order_relaxed);
		histogram_read(&cell->time_us, &sum->time_us);
	}
}

void
server_stats_read(struct server_stats *stats, struct server_sum *sum_r)
{
	memset(sum_r, 0, sizeof(*sum_r));
	server_stats_add(stats, sum_r);
}

void
server_stats_fini(struct server_stats *stats)
{
	struct server_cell *cell, *next;

	cell = atomic_load_explicit(&stats->head, memory_order_relaxed);
	for (; cell != NULL; cell = next) {
		next = cell->next;
		mem_free(cell);
	}
	atomic_store_explicit(&stats->head, NULL, memory_order_relaxed);
}

const char *
server_counter_name(enum server_counter counter)
{
	static const char *const names[] = {
#define X(member, name, type, unit, help) [SERVER_##member] = name,
		SERVER_COUNTERS(X)
#undef X
	};

	return names[counter];
}
