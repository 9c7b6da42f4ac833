/*
 * What a configuration says to the data path: plain values, so that nothing
 * there depends on how they are written.
 */
#ifndef ROUTE_POLICY_H
#define ROUTE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

/* What happens to the keys of a server that cannot answer. */
enum on_down {
	ON_DOWN_MISS,	/* reads miss, writes fail */
	ON_DOWN_ERROR,	/* everything fails */
	ON_DOWN_NEXT,	/* the next server clockwise takes them */
	ON_DOWN_GUTTER,	/* another pool takes them */
};

/* How a pool's servers are treated. */
struct policy {
	uint64_t	connect_timeout_ms;
	uint64_t	request_timeout_ms;
	uint64_t	server_connections;	/* a worker and server */
	uint64_t	server_queue;		/* requests a connection */
	uint64_t	server_queue_bytes;	/* unsent, a connection */
	enum on_down	on_down;
	uint64_t	gutter_ttl_s;	/* of items in its gutter */
	uint64_t	max_down;	/* servers at a time, >= 1 */
	bool		flush_all;		/* clients may */
	bool		join_gets;		/* of a turn, into one line */
};

/* What is told of requests. */
struct insight {
	uint64_t	slow_us;	/* logged from here on; 0: never */
	bool		keys_hidden;	/* shown as hashes only */
};

/* What all clients together, or one of them, may have. */
struct limits {
	uint64_t	clients;
	uint64_t	value_size;	/* bytes of one value */
	uint64_t	client_buffer;	/* bytes one client may have queued */
	uint64_t	memory;		/* bytes of all buffers */
	uint64_t	request_line;	/* bytes of one get line */
	uint64_t	client_idle_ms;	/* 0: for ever */
};

#endif
