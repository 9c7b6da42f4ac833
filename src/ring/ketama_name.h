/*
 * How the programs with a ketama ring spell a server before they hash it.
 *
 * Placement hashes names, not addresses. These programs know addresses only
 * (twemproxy knows both), so a server's name here is by default its address
 * as written. A name of its own takes the address's place: a server called
 * "10.0.0.1:11211" keeps that host and port in the ring wherever it moves,
 * and one called "cache-b" counts as the host "cache-b" on port 11211, the
 * port that these programs leave out.
 */
#ifndef RING_KETAMA_NAME_H
#define RING_KETAMA_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "ring/placement.h"

enum ketama_spelling {
	KETAMA_AS_WRITTEN,	/* the name, byte for byte */
	KETAMA_HOST_PORT,	/* host:port */
	KETAMA_SHORT,		/* host if the port is 11211, else host:port */
	KETAMA_SPY,		/* /host:port */
	KETAMA_EVCACHE,		/* host/host:port */
	KETAMA_ADDRESS,		/* host:port; the path of a unix socket */
	/* A given name as it is; [v6]:port; a unix socket's path; host:port. */
	KETAMA_ENVOY,
	/* A given name as it is; localhost/127.0.0.1:port; or host:port. */
	KETAMA_SPYMEMCACHED,
	/* A given name as it is; a unix socket's path and a colon; or short. */
	KETAMA_TWEMPROXY,
};

/* Most bytes that ketama_spell() writes for this server. */
size_t ketama_spelled_max(const struct placement_server *server);

/* Writes the spelling without a terminator; the number of bytes written. */
size_t ketama_spell(enum ketama_spelling spelling,
    const struct placement_server *server, char *out);

/*
 * Whether KETAMA_SPYMEMCACHED is what Java writes: the server has a name of
 * its own, is localhost, or has an address of IPv4. For another host that
 * would depend on what the host resolves to.
 */
bool ketama_spymemcached_knows(const struct placement_server *server);

#endif
