/*
 * Why a connection was closed or a request got no reply: one list, used in
 * answers, counters and the log alike.
 */
#ifndef PROXY_REASON_H
#define PROXY_REASON_H

#include <stdbool.h>

#include "stats/server_stats.h"

/*
 * Member, words, whether it speaks against the server's health, and as which
 * kind of failure a request counts at its server (SERVER_FAILED_...).
 */
#define REASONS(X)                                                             \
	X(NONE, "nothing is wrong", false, OTHER)                              \
	X(QUIT, "the client quit", false, OTHER)                               \
	X(CLIENT_GONE, "the client left", false, OTHER)                        \
	X(CLIENT_RESET, "the client's connection broke", false, OTHER)         \
	X(FOREIGN, "the client speaks another protocol", false, OTHER)         \
	X(LINE_TOO_LONG, "the client's line has no end", false, OTHER)         \
	X(VALUE_LOST, "the server failed in the middle of a value", false,     \
	    OTHER)                                                             \
	X(TOO_SLOW, "the client reads too slowly, and memory is short", false, \
	    OTHER)                                                             \
	X(STOPPED, "the client stopped within a command, and memory is short", \
	    false, OTHER)                                                      \
	X(IDLE, "the client was idle for too long", false, OTHER)              \
	X(NO_MEMORY, "out of memory", false, OTHER)                            \
	X(SHUTDOWN, "shutting down", false, OTHER)                             \
	X(REMOVED, "the server was removed from the configuration", false,     \
	    OTHER)                                                             \
	X(UNROUTED, "the pool was removed from the configuration", false,      \
	    OTHER)                                                             \
	X(DOWN, "the server is down", false, DOWN)                             \
	X(QUEUE_FULL, "too many requests are queued", false, QUEUE)            \
	X(NO_DESCRIPTORS, "no file descriptor is left", false, CONNECT)        \
	X(UNRESOLVED, "the host name is not resolved", false, CONNECT)         \
	X(CONNECT_FAILED, "cannot connect", true, CONNECT)                     \
	X(CONNECT_TIMEOUT, "connect timed out", true, CONNECT)                 \
	X(SERVER_FULL, "the server takes no more connections", true, CONNECT)  \
	X(TIMEOUT, "request timed out", true, TIMEOUT)                         \
	X(SERVER_CLOSED, "the server closed the connection", true, LOST)       \
	X(SERVER_RESET, "the connection broke", true, LOST)                    \
	X(OUT_OF_STEP, "the server's reply makes no sense", true, NONSENSE)    \
	X(OWES_TOO_MUCH, "the server owes too many late replies", true, LOST)

enum reason {
#define X(member, words, is_fault, failed) REASON_##member,
	REASONS(X)
#undef X
};

/* The words; never NULL. */
const char *reason_words(enum reason reason);

/* What counts a request that failed for it, at its server. */
enum server_counter reason_counter(enum reason reason);

/* Whether it counts as a failure of the server. */
bool reason_is_servers_fault(enum reason reason);

#endif
