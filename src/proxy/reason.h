/*
 * Why a connection was closed or a request got no reply: one list, used in
 * answers, counters and the log alike.
 */
#ifndef PROXY_REASON_H
#define PROXY_REASON_H

#include <stdbool.h>

/* Member, words, whether it speaks against the server's health. */
#define REASONS(X)                                                             \
	X(NONE, "nothing is wrong", false)                                     \
	X(QUIT, "the client quit", false)                                      \
	X(CLIENT_GONE, "the client left", false)                               \
	X(CLIENT_RESET, "the client's connection broke", false)                \
	X(FOREIGN, "the client speaks another protocol", false)                \
	X(LINE_TOO_LONG, "the client's line has no end", false)                \
	X(VALUE_LOST, "the server failed in the middle of a value", false)     \
	X(TOO_SLOW, "the client reads too slowly, and memory is short", false) \
	X(NO_MEMORY, "out of memory", false)                                   \
	X(SHUTDOWN, "shutting down", false)                                    \
	X(REMOVED, "the server was removed from the configuration", false)     \
	X(UNROUTED, "the pool was removed from the configuration", false)  \
	X(DOWN, "the server is down", false)                                   \
	X(QUEUE_FULL, "too many requests are queued", false)                   \
	X(NO_DESCRIPTORS, "no file descriptor is left", false)                 \
	X(UNRESOLVED, "the host name is not resolved", false)                  \
	X(IDLE_CLOSED, "the server closed an idle connection", false)          \
	X(CONNECT_FAILED, "cannot connect", true)                              \
	X(CONNECT_TIMEOUT, "connect timed out", true)                          \
	X(SERVER_FULL, "the server takes no more connections", true)           \
	X(TIMEOUT, "request timed out", true)                                  \
	X(SERVER_CLOSED, "the server closed the connection", true)             \
	X(SERVER_RESET, "the connection broke", true)                          \
	X(OUT_OF_STEP, "the server's reply makes no sense", true)              \
	X(OWES_TOO_MUCH, "the server owes too many late replies", true)

enum reason {
#define X(member, words, is_fault) REASON_##member,
	REASONS(X)
#undef X
};

/* The words; never NULL. */
const char *reason_words(enum reason reason);

/* Whether it counts as a failure of the server. */
bool reason_is_servers_fault(enum reason reason);

#endif
