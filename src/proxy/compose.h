/*
 * Requests as they are sent to servers: written anew from parsed parts, in
 * the form that every memcached reads alike, always asking for a reply.
 */
#ifndef PROXY_COMPOSE_H
#define PROXY_COMPOSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "proto/request.h"
#include "proxy/txn.h"

/* Any line of compose.h fits, its end included. */
#define COMPOSE_LINE_MAX 2048

/*
 * The request line with its end, save for several keys. `out` has
 * COMPOSE_LINE_MAX bytes. The number written.
 */
size_t compose_request(const struct request *req, char *out);

/* How long items may live at most: in a gutter. */
struct compose_cap {
	int64_t	max_s;		/* 0: as long as they like */
	int64_t	wall_s;		/* the present time since 1970 */
};

/*
 * The same with every lifetime in it capped: of what is stored, touched, or
 * made by a meta command on its way.
 */
size_t compose_capped(const struct request *req,
    const struct compose_cap *cap, char *out);

/*
 * What has to be remembered of a command that may be asked again or answered
 * in a server's stead, and to judge its reply by: its key, of a meta command
 * the flags too. As compose_request().
 */
size_t compose_memory(const struct request *req, char *out);

/* The request line of a txn with one slot, from what was remembered. */
size_t compose_again(const struct txn *txn, char *out);

/* What begins a request for several keys: the verb, for gat the exptime. */
size_t compose_keys_head(enum verb verb, int64_t exptime, char *out);

/* `delete key`, whatever command it stands for. */
size_t compose_delete(struct span key, char *out);

/* The same for a key written in base64. */
size_t compose_delete_base64(struct span key, char *out);

/*
 * A meta get's miss as the server would say it: k and O repeated in the order
 * asked, and b told with k. `memory` is what compose_memory() wrote.
 */
size_t compose_meta_miss(struct span memory, char *out);

#endif
