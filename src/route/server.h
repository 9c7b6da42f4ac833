/*
 * Servers: what is known of each memcached server that outlives one table.
 *
 * A server is one name at one address in one pool. Tables and upstreams share
 * it by counting references, so a reload that keeps it keeps its connections
 * and what is known of its health. Each has a small number of its own, which
 * workers use as an index.
 */
#ifndef ROUTE_SERVER_H
#define ROUTE_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/endpoint.h"
#include "base/must.h"
#include "route/health.h"
#include "stats/server_stats.h"

/* Servers that all tables in use may have together. */
#define SERVER_IDS_MAX 16384

struct server_registry;		/* guarded by its own mutex */

struct server {
	struct server_registry	*registry;	/* lent, outlives it */
	_Atomic uint32_t	 refs;
	uint32_t		 id;		/* < SERVER_IDS_MAX */
	const char		*pool;		/* these two are immutable */
	const char		*name;
	struct endpoint		 endpoint;	/* immutable */
	struct health		 health;
	struct server_stats	 stats;
};

/* NULL without memory. */
struct server_registry *server_registry_new(void) MUST_CHECK;

/* All servers must have been released. */
void server_registry_free(struct server_registry **registry);

/* What makes a server, lent for one call. */
struct server_identity {
	const char		*pool;
	const char		*name;
	const struct endpoint	*endpoint;
};

/*
 * The server with that identity, old or new, with one more reference; NULL
 * without memory or when SERVER_IDS_MAX are in use. Main thread.
 */
struct server *server_get(struct server_registry *registry,
    const struct server_identity *identity,
    const struct health_policy *policy) MUST_CHECK;

struct server *server_ref(struct server *server);

/* Drops a reference and nulls it; the last one frees it. Any thread. */
void server_unref(struct server **server);

/*
 * Whether it has answered anything yet, a request or a probe: until then that
 * it is UP only means that nothing is known against it. Any thread.
 */
bool server_has_answered(struct server *server);

/*
 * Whether requests are sent to it: it is not down, and its host name, if it
 * has one, is resolved. Any thread.
 */
bool server_is_up(struct server *server);

/* Whether it looks dead and is used on, by health.max_down. Any thread. */
bool server_is_suspect(struct server *server);

/* A socket address. */
struct server_address {
	struct sockaddr_storage	ss;
	socklen_t		len;
};

/*
 * Where to connect now; false as long as the server's host name has not been
 * resolved. Any thread.
 */
bool server_address(struct server *server, struct server_address *address_r)
    MUST_CHECK;

/*
 * Sets what the server's host name resolved to, without its port. False if
 * that was known already. Main thread.
 */
bool server_set_address(struct server *server,
    const struct server_address *address);

/* Whether both have the same host, whatever their ports. */
bool server_has_host(const struct server_address *a,
    const struct server_address *b);

#endif
