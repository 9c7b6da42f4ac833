/*
 * The admin listener: what is served there, by HTTP, to whoever runs the
 * proxy. GETs look; POSTs do something and can be turned off.
 *
 * The daemon lends what is to be seen, anew for each request, and does what
 * is asked for; nothing here knows how. Main thread.
 */
#ifndef ADMIN_ADMIN_H
#define ADMIN_ADMIN_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/must.h"
#include "proxy/env.h"
#include "proxy/pulse.h"
#include "route/reload_record.h"
#include "route/table.h"

struct admin;
struct doorway_list;
struct evbuffer;
struct event_base;

/* What is to be seen now. All lent, until the request is answered. */
struct admin_view {
	const struct table	*table;		/* in force */
	const struct proxy	*proxy;
	const struct doorway_list *doorways;	/* closed ones too */
	const struct pulse	*pulse;
	const struct reload_history *reloads;	/* the start, too */
	const struct table	*staged;	/* waits, or NULL */
	uint64_t		 now_ms;
	time_t			 started_at;	/* the process; since 1970 */
	bool			 is_draining;
};

/* What came of a reload. */
enum admin_reload {
	ADMIN_RELOAD_DONE,	/* or nothing had changed */
	ADMIN_RELOAD_REFUSED,
};

struct admin_hooks {
	/* Fills in all of the view. */
	void			(*look)(void *arg, struct admin_view *view_r);
	/* Reloads; `words` gets lines that say what came of it. */
	enum admin_reload	(*reload)(void *arg, struct evbuffer *words);
	/* Changes nothing; `words` gets what a reload would do. */
	enum admin_reload	(*plan)(void *arg, struct evbuffer *words);
	void			*arg;
};

/* It listens nowhere yet. NULL without memory. */
struct admin *admin_new(struct event_base *base,
    const struct admin_hooks *hooks) MUST_CHECK;

/*
 * Listens on `fd`, and no longer where it did before; takes `fd` unless it
 * fails, for want of memory. `is_local`: only this host can reach it.
 */
bool admin_open(struct admin *admin, int fd, bool is_local) MUST_CHECK;

/* Stops listening; answers under way are finished. */
void admin_shut(struct admin *admin);

void admin_free(struct admin **admin);

#endif
