/*
 * A configuration in the making: what the converters understood of another
 * program's, and what they have to say about it, before it is written down.
 *
 * Everything is lent by the draft's arena. What has no value is NULL or 0 and
 * is not written, so that the default holds. Pure, but for draft_write().
 */
#ifndef CONVERT_DRAFT_H
#define CONVERT_DRAFT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include "base/must.h"
#include "base/span.h"
#include "conf/arena.h"
#include "conf/errors.h"

/* A remark: a comment above what it is about. */
struct draft_note {
	STAILQ_ENTRY(draft_note)	 next;
	const char			*text;
};

STAILQ_HEAD(draft_notes, draft_note);

struct draft_server {
	STAILQ_ENTRY(draft_server)	 next;
	const char			*address;
	const char			*name;
	const char			*weight;
};

STAILQ_HEAD(draft_servers, draft_server);

struct draft_pool {
	STAILQ_ENTRY(draft_pool)	 next;
	struct draft_notes		 notes;
	const char			*name;
	const char			*placement;
	const char			*hash;
	const char			*hash_tag;
	const char			*hash_seed;
	uint64_t			 connect_ms;
	uint64_t			 request_ms;
	const char			*on_down;
	uint64_t			 failures;
	uint64_t			 retry_ms;	/* also the longest */
	struct draft_servers		 servers;
	size_t				 nservers;
	const void			*origin;	/* a converter's own */
};

STAILQ_HEAD(draft_pools, draft_pool);

struct draft_route {
	STAILQ_ENTRY(draft_route)	 next;
	const char			*prefix;
	const char			*pool;
};

STAILQ_HEAD(draft_routes, draft_route);

struct draft_listener {
	STAILQ_ENTRY(draft_listener)	 next;
	struct draft_notes		 notes;
	const char			*listen;
	const char			*mode;
	const char			*pool;
	struct draft_routes		 routes;
};

STAILQ_HEAD(draft_listeners, draft_listener);

struct draft {
	struct arena		*arena;		/* owned */
	struct conf_errors	*errors;	/* lent; about the source */
	struct draft_notes	 notes;		/* about all of it */
	struct draft_listeners	 listeners;
	struct draft_pools	 pools;
};

/* An empty draft; false without memory. */
bool draft_init(struct draft *draft, struct conf_errors *errors) MUST_CHECK;

void draft_fini(struct draft *draft);

/*
 * Each adds one at the end and gives it back: lent, zeroed, to be filled. NULL
 * without memory, which is among the errors then.
 */
struct draft_pool *draft_add_pool(struct draft *draft) MUST_CHECK;
struct draft_server *draft_add_server(struct draft *draft,
    struct draft_pool *pool) MUST_CHECK;
struct draft_listener *draft_add_listener(struct draft *draft) MUST_CHECK;
struct draft_route *draft_add_route(struct draft *draft,
    struct draft_listener *listener) MUST_CHECK;

/* Adds a remark. Without memory that is among the errors. */
void draft_note(struct draft *draft, struct draft_notes *notes,
    const char *fmt, ...) PRINTF_LIKE(3, 4);

/* A copy, or text as printf() makes it; NULL as above. */
const char *draft_copy(struct draft *draft, struct span text) MUST_CHECK;

/*
 * A name that a pool may have, made from `text`, and not taken yet; says in
 * the pool's notes if it had to be another. Sets pool->name.
 */
void draft_name_pool(struct draft *draft, struct draft_pool *pool,
    struct span text);

/* Writes it as YAML. Write errors stay in `out`. */
void draft_write(const struct draft *draft, FILE *out);

#endif
