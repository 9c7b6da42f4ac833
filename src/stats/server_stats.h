/*
 * What each worker counts of one server: one cell a worker and server, made
 * when the worker first has to do with it, and gone with the server.
 *
 *	server -> head -> cell of worker 2 -> cell of worker 0
 *
 * A cell is written by its worker alone. Readers walk the list and add up.
 */
#ifndef STATS_SERVER_STATS_H
#define STATS_SERVER_STATS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "stats/histogram.h"

/* Member, name, type (counter or gauge), unit, help. */
#define SERVER_COUNTERS(X)                                                     \
	X(REQUESTS, "requests", counter, "", "requests sent to the server")    \
	X(REPLIES, "replies", counter, "",                                     \
	    "requests that the server answered in time")                       \
	X(LATE_REPLIES, "late_replies", counter, "",                           \
	    "replies that came after the time-out and were dropped")           \
	X(RETRIES, "retries", counter, "",                                     \
	    "requests asked again after a connection was lost")                \
	X(FAILED_DOWN, "failed_down", counter, "",                             \
	    "requests not sent, for the server was down")                      \
	X(FAILED_QUEUE, "failed_queue", counter, "",                           \
	    "requests not sent, for the queue was full")                       \
	X(FAILED_CONNECT, "failed_connect", counter, "",                       \
	    "requests not sent, for there was no connection")                  \
	X(FAILED_TIMEOUT, "failed_timeout", counter, "",                       \
	    "requests not answered in time")                                   \
	X(FAILED_LOST, "failed_lost", counter, "",                             \
	    "requests whose connection was lost before the reply")             \
	X(FAILED_NONSENSE, "failed_nonsense", counter, "",                     \
	    "requests whose reply made no sense")                              \
	X(FAILED_OTHER, "failed_other", counter, "",                           \
	    "requests that failed for the proxy's own reasons")                \
	X(CONNECTS, "connects", counter, "", "connections tried")              \
	X(CONNECT_FAILURES, "connect_failures", counter, "",                   \
	    "connections tried in vain")                                       \
	X(CLOSES, "closes", counter, "", "connections closed")                 \
	X(BYTES_READ, "bytes_read", counter, "bytes",                          \
	    "bytes read from the server")                                      \
	X(BYTES_WRITTEN, "bytes_written", counter, "bytes",                    \
	    "bytes written to the server")                                     \
	X(IN_FLIGHT, "in_flight", gauge, "",                                   \
	    "requests sent or queued, and not answered yet")                   \
	X(CONNECTIONS, "connections", gauge, "",                               \
	    "connections open or being opened")

enum server_counter {
#define X(member, name, type, unit, help) SERVER_##member,
	SERVER_COUNTERS(X)
#undef X
	SERVER_NCOUNTERS
};

struct server_cell {			/* one writer: its worker */
	struct server_cell	*next;		/* immutable once listed */
	size_t			 worker;	/* immutable */
	_Atomic uint64_t	 counters[SERVER_NCOUNTERS];
	struct histogram	 time_us;	/* from sending to the reply */
};

/* The cells of one server; part of it. Zeroed memory has none. */
struct server_stats {
	_Atomic(struct server_cell *) head;
};

/* What was read; the reader's own. */
struct server_sum {
	uint64_t		counters[SERVER_NCOUNTERS];
	struct histogram_sum	time_us;
};

/*
 * The cell of that worker, made if need be; NULL without memory. Lent until
 * server_stats_fini(). The worker's thread.
 */
struct server_cell *server_stats_cell(struct server_stats *stats,
    size_t worker) MUST_CHECK;

/* Sets `sum_r` to what all workers counted. Any thread that has the server. */
void server_stats_read(struct server_stats *stats, struct server_sum *sum_r);

/* Adds it to `sum`, for several servers together. As above. */
void server_stats_add(struct server_stats *stats, struct server_sum *sum);

/* One counter, over all workers. As above. */
uint64_t server_stats_count(struct server_stats *stats,
    enum server_counter counter);

/* Frees the cells. Nobody else has the server any more. */
void server_stats_fini(struct server_stats *stats);

/* The counter's name. */
const char *server_counter_name(enum server_counter counter);

/* Adds `n`, for a gauge perhaps less than 0. The cell's own thread. */
static inline void
server_add(struct server_cell *cell, enum server_counter counter, uint64_t n)
{
	_Atomic uint64_t *at = &cell->counters[counter];

	atomic_store_explicit(at, atomic_load_explicit(at,
	    memory_order_relaxed) + n, memory_order_relaxed);
}

static inline void
server_bump(struct server_cell *cell, enum server_counter counter)
{
	server_add(cell, counter, 1);
}

#endif
