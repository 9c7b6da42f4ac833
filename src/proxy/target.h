/*
 * Targets: a key -> the server that is to be asked, by the table in force.
 */
#ifndef PROXY_TARGET_H
#define PROXY_TARGET_H

#include "base/span.h"
#include "proxy/client.h"
#include "proxy/reason.h"
#include "proxy/upstream.h"

/* Borrowed until the end of the callback, as all below. */
struct owner {
	const struct pool	*pool;		/* NULL: there is none */
	uint32_t		 index;		/* of the server in it */
	uint64_t		 max_ttl_s;	/* of items there; 0: any */
};

struct target {
	struct server		*server;	/* NULL: there is no pool */
	enum on_down	 on_down;
	uint64_t		 max_ttl_s;	/* of items there; 0: any */
	struct upstream		*up;		/* only with REASON_NONE */
};

/*
 * Whose `key` is: its server's or, while that is down, where its pool's
 * on_down says.
 */
struct owner target_owner(struct client *client, struct span key);

/*
 * How to send there. REASON_NONE, or why nothing can be sent; the server, if
 * there is one, is named in either case.
 */
enum reason target_open(struct client *client, const struct owner *owner,
    struct target *target_r);

/* target_owner(), then target_open(). */
enum reason target_find(struct client *client, struct span key,
    struct target *target_r);

/* As target_open(), for the server with that index in `pool`. */
enum reason target_server(struct client *client, const struct pool *pool,
    size_t index, struct target *target_r);

/*
 * The bytes that are routed: of a base64 key those it stands for, which are
 * written to `decoded` (REQUEST_DECODED_KEY_MAX bytes).
 */
struct span target_key(struct span key, bool is_base64, char *decoded);

/* The client's listener in the present table; NULL: it is gone. */
const struct conf_listener *target_listener(struct client *client);

/* The pool that keys like `key` go to; NULL: the listener is gone. */
const struct pool *target_pool(struct client *client, struct span key);

#endif
