/*
 * A configuration: what a file means, checked and with all defaults filled
 * in. Immutable after conf_load(); every pointer inside belongs to it.
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/endpoint.h"
#include "base/must.h"
#include "ring/placement.h"

/* What happens to the keys of a server that cannot answer. */
enum conf_on_down {
	CONF_ON_DOWN_MISS,	/* reads miss, writes fail */
	CONF_ON_DOWN_ERROR,	/* everything fails */
	CONF_ON_DOWN_NEXT,	/* the next server clockwise takes them */
};

struct conf_server {
	const char		*name;		/* the ring's identity */
	const char		*address;	/* as written */
	struct endpoint		 endpoint;
	double			 weight;
};

struct conf_pool {
	const char		*name;
	struct conf_server	*servers;
	size_t			 nservers;
	struct placement_spec	 placement;
	uint64_t		 connect_timeout_ms;
	uint64_t		 request_timeout_ms;
	enum conf_on_down	 on_down;
	uint64_t		 health_failures;
	uint64_t		 health_retry_ms;
	uint64_t		 health_retry_max_ms;
	uint64_t		 server_connections;	/* a worker and server */
	uint64_t		 server_queue;		/* requests a connection */
	bool			 flush_all;		/* clients may */
};

/* Keys that start with `prefix` go to pools[pool]. */
struct conf_route {
	const char	*prefix;
	size_t		 prefix_len;
	size_t		 pool;
};

struct conf_listener {
	const char		*listen;	/* as written */
	struct endpoint		 endpoint;	/* never a name */
	uint32_t		 mode;		/* of a unix socket */
	size_t			 pool;		/* where no route matches */
	struct conf_route	*routes;	/* longest prefix first */
	size_t			 nroutes;
};

struct conf_limits {
	uint64_t	clients;
	uint64_t	value_size;	/* bytes of one value */
	uint64_t	client_buffer;	/* bytes one client may have queued */
	uint64_t	memory;		/* bytes of all buffers */
	uint64_t	request_line;	/* bytes of one get line */
};

struct conf {
	const char		*path;
	uint64_t		 workers;
	uint64_t		 shutdown_timeout_ms;
	struct conf_limits	 limits;
	struct conf_listener	*listeners;
	size_t			 nlisteners;
	struct conf_pool	*pools;
	size_t			 npools;
};

/* Every complaint about one file, in the order of their places. */
struct conf_errors;

/*
 * Reads, parses and checks the file at `path`. NULL when anything is wrong;
 * `errors_r` then owns at least one line and the caller frees it with
 * conf_errors_free(). `errors_r` is NULL on success. Binds nothing, resolves
 * nothing. Main thread.
 */
struct conf *conf_load(const char *path, struct conf_errors **errors_r)
    MUST_CHECK;

/* As conf_load(), from bytes; `path` is only for the messages. */
struct conf *conf_parse(const char *path, const char *text, size_t len,
    struct conf_errors **errors_r) MUST_CHECK;

void conf_free(struct conf **conf);

size_t conf_errors_count(const struct conf_errors *errors);

/* The i-th line, "file:line:column: message". Lent by `errors`. */
const char *conf_errors_line(const struct conf_errors *errors, size_t i);

/* Whether the file could not even be read (sysexits' 66, not 78). */
bool conf_errors_is_unreadable(const struct conf_errors *errors);

void conf_errors_free(struct conf_errors **errors);

#endif
