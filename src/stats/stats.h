/*
 * Counters and histograms: one cell a worker, written by that worker alone,
 * read by anyone. What is counted of each server is server_stats.h's.
 *
 * A counter is bumped by a plain load and store, never by an atomic
 * read-modify-write; the sum over all cells is taken when somebody asks.
 */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "stats/histogram.h"

/* Member, name, unit, help. All of them only grow. */
#define STATS_COUNTERS(X)                                                      \
	X(CLIENTS_OPENED, "clients_opened", "",                                \
	    "client connections accepted")                                     \
	X(CLIENTS_CLOSED, "clients_closed", "", "client connections closed")   \
	X(CLIENTS_REFUSED, "clients_refused", "",                              \
	    "client connections refused at the limit")                         \
	X(CLIENTS_FOREIGN, "clients_foreign", "",                              \
	    "client connections closed for another protocol")                  \
	X(CLIENTS_SHED, "clients_shed", "",                                    \
	    "client connections closed as slow, memory being short")           \
	X(CLIENTS_IDLE_CLOSED, "clients_idle_closed", "",                      \
	    "client connections closed after limits.client_idle")              \
	X(CLIENT_BYTES_READ, "client_bytes_read", "bytes",                     \
	    "bytes read from clients")                                         \
	X(CLIENT_BYTES_WRITTEN, "client_bytes_written", "bytes",               \
	    "bytes written to clients")                                        \
	X(COMMANDS, "commands", "", "commands read from clients")              \
	X(COMMANDS_REFUSED, "commands_refused", "",                            \
	    "commands answered with an error of the proxy's own")              \
	X(CMD_GET, "cmd_get", "",                                              \
	    "keys asked for by get, gets, gat, gats and mg")                   \
	X(CMD_SET, "cmd_set", "", "storage commands")                          \
	X(CMD_FLUSH, "cmd_flush", "", "flush_all, passed on to servers")       \
	X(CMD_TOUCH, "cmd_touch", "", "touch, gat and gats")                   \
	X(CMD_META, "cmd_meta", "", "meta commands")                           \
	X(LOGINS, "logins", "", "logins accepted, and not checked")            \
	X(GET_HITS, "get_hits", "", "keys answered with a value")              \
	X(GET_MISSES, "get_misses", "", "keys answered without a value")       \
	X(DELETE_HITS, "delete_hits", "", "deletes answered DELETED or HD")    \
	X(DELETE_MISSES, "delete_misses", "",                                  \
	    "deletes answered NOT_FOUND or NF")                                \
	X(INCR_HITS, "incr_hits", "", "incr answered with a number")           \
	X(INCR_MISSES, "incr_misses", "", "incr answered NOT_FOUND")           \
	X(DECR_HITS, "decr_hits", "", "decr answered with a number")           \
	X(DECR_MISSES, "decr_misses", "", "decr answered NOT_FOUND")           \
	X(CAS_HITS, "cas_hits", "", "cas answered STORED")                     \
	X(CAS_MISSES, "cas_misses", "", "cas answered NOT_FOUND")              \
	X(CAS_BADVAL, "cas_badval", "", "cas answered EXISTS")                 \
	X(TOUCH_HITS, "touch_hits", "", "touch answered TOUCHED")              \
	X(TOUCH_MISSES, "touch_misses", "", "touch answered NOT_FOUND")        \
	X(SERVER_REQUESTS, "server_requests", "",                              \
	    "requests sent to servers")                                        \
	X(GETS_JOINED, "gets_joined", "",                                      \
	    "gets sent in the line of another one")                            \
	X(SERVER_RETRIES, "server_retries", "",                                \
	    "requests asked again after a connection was lost")                \
	X(GUTTER_KEYS, "gutter_keys", "",                                      \
	    "keys sent to a gutter, for their server was down")                \
	X(SERVER_FAILURES, "server_failures", "",                              \
	    "requests that got no reply from their server")                    \
	X(SERVER_TIMEOUTS, "server_timeouts", "", "requests that timed out")   \
	X(SERVER_LATE_REPLIES, "server_late_replies", "",                      \
	    "replies that came after the time-out and were dropped")           \
	X(SERVER_QUEUE_FULL, "server_queue_full", "",                          \
	    "requests refused as too much was queued for the server")          \
	X(SERVER_CONNECTS, "server_connects", "",                              \
	    "connections opened to servers")                                   \
	X(SERVER_CLOSES, "server_closes", "",                                  \
	    "connections to servers closed")                                   \
	X(SERVER_BYTES_READ, "server_bytes_read", "bytes",                     \
	    "bytes read from servers")                                         \
	X(SERVER_BYTES_WRITTEN, "server_bytes_written", "bytes",               \
	    "bytes written to servers")                                        \
	X(TURNS, "turns", "", "turns of the workers' loops")                   \
	X(RELOAD_DONE, "reload_done", "",                                      \
	    "reloads that put a new table in force")                           \
	X(RELOAD_STAGED, "reload_staged", "",                                  \
	    "reloads whose table was staged for its activate_at")              \
	X(RELOAD_UNCHANGED, "reload_unchanged", "",                            \
	    "reloads of a file that meant what was in force")                  \
	X(RELOAD_UNREADABLE, "reload_unreadable", "",                          \
	    "reloads refused as the file could not be read")                   \
	X(RELOAD_INVALID, "reload_invalid", "",                                \
	    "reloads refused as the file was wrong")                           \
	X(RELOAD_UNBINDABLE, "reload_unbindable", "",                          \
	    "reloads refused as a listener could not be opened")               \
	X(RELOAD_NO_MEMORY, "reload_no_memory", "",                            \
	    "reloads refused for want of memory")                              \
	X(NO_MEMORY, "no_memory", "",                                          \
	    "requests refused and clients closed for want of memory")

/*
 * Member, name, what it is of (a label, or ""), unit, help. Requests are
 * timed from the turn that read them to the one in which their answer was
 * complete and due.
 */
#define STATS_HISTOGRAMS(X)                                                    \
	X(REQUEST_GET, "request_duration", "get", "us", "get, gets")           \
	X(REQUEST_SET, "request_duration", "set", "us", "storage commands")    \
	X(REQUEST_DELETE, "request_duration", "delete", "us", "delete")        \
	X(REQUEST_ARITHMETIC, "request_duration", "arithmetic", "us",          \
	    "incr, decr")                                                      \
	X(REQUEST_TOUCH, "request_duration", "touch", "us", "touch, gat, gats")\
	X(REQUEST_META_READ, "request_duration", "meta_read", "us", "mg, me")  \
	X(REQUEST_META_WRITE, "request_duration", "meta_write", "us",          \
	    "ms, md, ma")                                                      \
	X(REQUEST_OTHER, "request_duration", "other", "us", "flush_all")       \
	X(VALUES_READ, "value_size", "read", "bytes",                          \
	    "values that servers answered")                                    \
	X(VALUES_STORED, "value_size", "stored", "bytes",                      \
	    "values that clients stored")                                      \
	X(TURN_COMMANDS, "turn_commands", "", "",                              \
	    "commands read in one turn of a worker's loop")                    \
	X(SERVER_QUEUE, "server_queue", "", "",                                \
	    "requests that one connection was owed when it was written to")

enum stats_counter {
#define X(member, name, unit, help) STATS_##member,
	STATS_COUNTERS(X)
#undef X
	STATS_NCOUNTERS
};

enum stats_histogram {
#define X(member, name, of, unit, help) STATS_##member,
	STATS_HISTOGRAMS(X)
#undef X
	STATS_NHISTOGRAMS
};

/* On cache lines of its own, so that no two workers write the same one. */
struct stats_cell {
	_Alignas(64) _Atomic uint64_t counters[STATS_NCOUNTERS];
	struct histogram	 histograms[STATS_NHISTOGRAMS];
};

struct stats;		/* shared; each cell has one writer */

/* Cells for `n` writers, all zero, or NULL. */
struct stats *stats_new(size_t n) MUST_CHECK;

void stats_free(struct stats **stats);

/* The i-th cell. Lent until stats_free(). */
struct stats_cell *stats_cell(struct stats *stats, size_t i);

/* Starts counting from 0 again, for those who ask for sums. Any thread. */
void stats_reset(struct stats *stats);

/*
 * The sum over all cells since the last reset. Any thread; each cell is read
 * at its own moment.
 */
uint64_t stats_sum(struct stats *stats, enum stats_counter counter);

/* The same since the start, whatever was reset: for those who want rates. */
uint64_t stats_total(struct stats *stats, enum stats_counter counter);

/* The counter's name. */
const char *stats_name(enum stats_counter counter);

/* Sets `sum_r` to what all cells counted since the last reset. As above. */
void stats_read(struct stats *stats, enum stats_histogram histogram,
    struct histogram_sum *sum_r);

/* The same since the start. */
void stats_read_total(struct stats *stats, enum stats_histogram histogram,
    struct histogram_sum *sum_r);

/* What the cell has counted, whatever was reset. Any thread. */
static inline uint64_t
stats_get(const struct stats_cell *cell, enum stats_counter counter)
{
	return atomic_load_explicit(&cell->counters[counter],
	    memory_order_relaxed);
}

/*
 * Adds `n`. The cell's own thread. Relaxed: a reader wants some recent value
 * of each counter and no order between them.
 */
static inline void
stats_add(struct stats_cell *cell, enum stats_counter counter, uint64_t n)
{
	atomic_store_explicit(&cell->counters[counter],
	    stats_get(cell, counter) + n, memory_order_relaxed);
}

static inline void
stats_bump(struct stats_cell *cell, enum stats_counter counter)
{
	stats_add(cell, counter, 1);
}

/* Counts one value, `n` times. The cell's own thread. */
static inline void
stats_note_n(struct stats_cell *cell, enum stats_histogram histogram,
    uint64_t value, uint64_t n)
{
	histogram_add_n(&cell->histograms[histogram], value, n);
}

static inline void
stats_note(struct stats_cell *cell, enum stats_histogram histogram,
    uint64_t value)
{
	stats_note_n(cell, histogram, value, 1);
}

#endif
