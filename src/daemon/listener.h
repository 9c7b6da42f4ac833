/*
 * Listeners: sockets that accept clients and hand them to the workers.
 *
 * A reload opens what is new first and closes what is gone last, so that no
 * failure changes anything and no listener that stays is ever closed. Main
 * thread.
 */
#ifndef DAEMON_LISTENER_H
#define DAEMON_LISTENER_H

#include <stddef.h>

#include "base/must.h"
#include "conf/conf.h"
#include "proxy/worker.h"

struct doorway_list;
struct event_base;
struct listeners;
struct passed;

/* Whom accepted clients are handed to. */
struct crew {
	struct proxy		*proxy;		/* all lent, outlive the */
	struct stats_cell	*stats;		/* listeners; the cell is */
	struct worker		**workers;	/* the main thread's */
	size_t			 nworkers;
};

/*
 * None yet; NULL without memory. `passed` has sockets that are taken before
 * any is opened; it is lent, and outlives them.
 */
struct listeners *listeners_new(struct event_base *base,
    struct passed *passed) MUST_CHECK;

/* Says who serves; before the first commit. */
void listeners_set_crew(struct listeners *listeners, const struct crew *crew);

/*
 * Opens the listeners of `conf` that are not open: they are fresh, and accept
 * nobody. False, with a line in `errors_r` for each that cannot be, and
 * nothing opened. Until one of the next three follows, no other call.
 */
bool listeners_stage(struct listeners *listeners, const struct conf *conf,
    struct conf_errors **errors_r) MUST_CHECK;

/* Closes the fresh ones: as before listeners_stage(). */
void listeners_discard_fresh(struct listeners *listeners);

/*
 * Keeps the fresh ones open until a later commit of `conf`, in place of what
 * was kept so far. Who connects meanwhile waits.
 */
void listeners_keep(struct listeners *listeners, const struct conf *conf);

/* Accepts on what `conf` has; closes all else, what was kept too. */
void listeners_commit(struct listeners *listeners, const struct conf *conf);

/* Closes what was kept. */
void listeners_discard(struct listeners *listeners);

/* The doorway of each that ever was, closed ones too. Lent as long as they. */
const struct doorway_list *listeners_doorways(
    const struct listeners *listeners);

/* Closes all. Call before the proxy's workers end. */
void listeners_close(struct listeners *listeners);

/* After the workers have ended: their clients use the doorways. */
void listeners_free(struct listeners **listeners);

#endif
