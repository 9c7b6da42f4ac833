/* A server as nutcracker.yml writes it: "host:port:weight name". */
#ifndef CONVERT_NUTCRACKER_SERVER_H
#define CONVERT_NUTCRACKER_SERVER_H

#include <stdbool.h>

#include "base/must.h"
#include "base/span.h"

/* Its parts, lent by the text. */
struct nutcracker_server {
	struct span	host;		/* or the path of a unix socket */
	struct span	port;		/* empty for a unix socket */
	struct span	weight;
	struct span	name;		/* with its quotes, if any; or empty */
	bool		is_unix;
};

/*
 * twemproxy reads it from its end: the name is what comes after the last
 * blank, the weight after the last colon before it, and so on. Whatever is
 * left is the host, also an IPv6 address without brackets. False if parts are
 * missing.
 */
bool nutcracker_server_parse(struct span text,
    struct nutcracker_server *server_r) MUST_CHECK;

#endif
