/*
 * Reload: the stages from a file to a table in force.
 *
 *	conf_load (read, parse, check) -> table_build -> listeners_stage
 *	-> door_stage -> commit
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

struct evbuffer;

/* What a successful attempt made, and the caller puts in force. */
struct candidate {
	struct table	*table;		/* one reference */
};

/* What the stages work on. `current` is NULL at the first start. */
struct reload {
	const char		*path;
	const struct table	*current;
	struct server_registry	*registry;
	struct listeners	*listeners;
	struct door		*door;
};

/*
 * Runs all stages before the commit: RELOAD_DONE says that there is a
 * candidate. `errors_r` has lines when the result is no success; the caller
 * frees them.
 */
enum reload_result reload_prepare(const struct reload *reload,
    struct candidate *candidate_r, struct conf_errors **errors_r) MUST_CHECK;

/* Logs what goes from `old` (may be NULL) to `table`. */
void reload_log(const struct table *old, const struct table *table,
    const char *trigger);

/* The same for who asked by the admin listener; `words` may be NULL. */
void reload_say_done(struct evbuffer *words, const char *what,
    const struct table *table);
void reload_say_refused(struct evbuffer *words,
    const struct conf_errors *errors);

#endif
