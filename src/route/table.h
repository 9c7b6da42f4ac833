/*
 * The routing table: one configuration, built and ready to route.
 *
 * Immutable and shared by counting references. A worker holds one reference,
 * borrows from it inside one callback only, and stores no pointer into it.
 */
#ifndef ROUTE_TABLE_H
#define ROUTE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"
#include "conf/conf.h"
#include "ring/placement.h"
#include "route/policy.h"
#include "route/server.h"

struct pool {
	const struct conf_pool	*conf;		/* lent by the table's conf */
	const char		*name;		/* the same */
	struct policy		 policy;
	size_t			 nservers;
	struct placement_share	*share;		/* one reference */
	const struct placement	*placement;	/* lent by `share` */
	uint64_t		 membership;	/* its membership_hash() */
	struct server		**servers;	/* one reference each */
	const struct pool	*gutter;	/* of this table, or NULL */
};

/*
 * What a listener's clients are routed by. A listener that a reload removed
 * stays here as long as its pool does, for the clients it has accepted.
 */
struct entrance {
	const char		*listen;	/* as written */
	const struct conf_listener *conf;	/* NULL: removed */
	const struct conf_route	*routes;	/* lent by the conf, or in */
	size_t			 nroutes;	/* `memory` */
	size_t			 pool;		/* where no route matches */
	void			*memory;	/* of a removed one, or NULL */
};

/* Which of the servers there are belong to this table, and to which pool. */
struct table_entry {
	const struct server	*server;	/* NULL: none with this id */
	const struct pool	*pool;
};

struct table {
	_Atomic uint32_t	 refs;
	struct table		*next_retired;	/* the main thread's list */
	uint64_t		 generation;	/* counts commits */
	struct conf		*conf;		/* its own */
	struct limits		 limits;
	struct insight		 insight;
	struct pool		*pools;
	size_t			 npools;
	uint64_t		 membership;	/* membership_hash_all() */
	size_t			 nservers;	/* of all pools */
	struct entrance		*entrances;
	size_t			 nentrances;
	struct table_entry	*by_id;		/* SERVER_IDS_MAX of them */
};

/*
 * A table over `conf`, which it takes on success. Placements that did not
 * change are shared with `old` (may be NULL). NULL on failure, with nothing
 * changed and a line in `errors_r` for each pool that cannot be built, to be
 * freed by the caller; NULL there says that memory was short (see conf.h).
 * Main thread.
 */
struct table *table_build(struct conf *conf, const struct table *old,
    struct server_registry *registry, struct conf_errors **errors_r)
    MUST_CHECK;

struct table *table_ref(struct table *table);

/* Drops a reference and nulls it; the last one frees. Any thread. */
void table_unref(struct table **table);

/* Whether nobody else has a reference, so that table_unref() frees it. */
bool table_is_last_reference(const struct table *table);

/*
 * The entrance of clients of the listener written as `listen`; NULL if it is
 * gone, and its pool too. Lent until the table is let go.
 */
const struct entrance *table_entrance(const struct table *table,
    const char *listen);

/* The pool called so, or NULL; also if there is no table. */
const struct pool *table_pool_by_name(const struct table *table,
    const char *name);

/*
 * Tells the servers that the table shares with others its health policies;
 * they hold from `now_ms` on. Main thread.
 */
void table_apply_policies(const struct table *table, uint64_t now_ms);

/*
 * The pool for `key` at that entrance; NULL only if the listener is gone and
 * the pool of that route too.
 */
const struct pool *table_pool(const struct table *table,
    const struct entrance *entrance, struct span key);

#endif
