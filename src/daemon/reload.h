/*
 * Reload: the stages from a file to a table ready to be put in force.
 *
 *	read -> check -> build -> compare -> open        (here)
 *	-> commit, now or at a set time                  (reloader.h)
 *
 * Each may fail, and then all is released and the last valid table stays;
 * the commit cannot. The first start takes the same way. Main thread.
 */
#ifndef DAEMON_RELOAD_H
#define DAEMON_RELOAD_H

#include "base/must.h"
#include "conf/conf.h"
#include "daemon/door.h"
#include "daemon/listener.h"
#include "route/reload_record.h"
#include "route/table.h"

/* What the stages work on. All lent for the call. */
struct reload {
	const char		*path;
	const struct table	*current;	/* NULL at the first start */
	const struct table	*staged;	/* waits, or NULL */
	struct server_registry	*registry;
	struct listeners	*listeners;
	struct door		*door;
};

/*
 * Runs the stages and fills in the record's result, times, diff and errors.
 * The table, of which the caller has the one reference, with its listeners
 * open but fresh (see listener.h), if the result is RELOAD_DONE. Otherwise
 * NULL and nothing has changed: then RELOAD_UNCHANGED says that the file
 * means what is in force, and RELOAD_STAGED that it is what is staged.
 */
struct table *reload_prepare(const struct reload *reload,
    struct reload_record *record) MUST_CHECK;

#endif
