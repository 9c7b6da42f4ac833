/*
 * The reloader: owns the table in force and what becomes of it.
 *
 * An attempt goes through the stages of reload.h; what they make is put in
 * force at once, or staged until the wall clock reads the file's activate_at.
 * A new table replaces a staged one, and so does the file that means what is
 * in force; a refused attempt changes neither. Each attempt leaves a record.
 *
 * Tables that went out of force are freed here, on the main thread, once the
 * last worker has let go: freeing a million points is no work for a worker.
 */
#ifndef DAEMON_RELOADER_H
#define DAEMON_RELOADER_H

#include <stdbool.h>

#include "base/must.h"
#include "daemon/door.h"
#include "daemon/listener.h"
#include "route/reload_record.h"
#include "route/table.h"

struct evbuffer;
struct event_base;
struct reloader;

/* What it works with, all lent, to outlive it. */
struct reloader_parts {
	const char		*path;
	struct event_base	*base;
	struct server_registry	*registry;
	struct listeners	*listeners;
	struct door		*door;
	/*
	 * Puts `table` in force: tells everyone who serves by one. Lent until
	 * the next call. Cannot fail.
	 */
	void			(*commit)(void *arg, struct table *table);
	/* An attempt is over, and logged. `record` is lent for the call. */
	void			(*over)(void *arg,
				    const struct reload_record *record);
	void			*arg;
};

/* No table is in force yet. NULL without memory or descriptors. */
struct reloader *reloader_new(const struct reloader_parts *parts) MUST_CHECK;

/*
 * The first start, until the commit: the table, lent, or NULL. `record_r` is
 * lent until the next attempt.
 */
struct table *reloader_prepare_first(struct reloader *reloader,
    const struct reload_record **record_r) MUST_CHECK;

/* The commit of what reloader_prepare_first() gave. */
void reloader_commit_first(struct reloader *reloader);

/* One attempt. The record is lent until the next one. */
const struct reload_record *reloader_run(struct reloader *reloader,
    enum reload_trigger trigger);

/*
 * Appends what an attempt would do now, as `fairlead plan` says it, or every
 * mistake. Whether it would be accepted, as far as can be told without
 * opening anything.
 */
bool reloader_dry_run(const struct reloader *reloader,
    struct evbuffer *words);

/* A worker has let go of a table: frees those that all have left. */
void reloader_sweep(struct reloader *reloader);

/* The table in force, lent until the next attempt; NULL before the first. */
struct table *reloader_table(const struct reloader *reloader);

/* What waits for its conf->activate_at_ms, or NULL. Lent likewise. */
const struct table *reloader_staged(const struct reloader *reloader);

const struct reload_history *reloader_history(
    const struct reloader *reloader);

/* Call when no worker runs any more. Frees and nulls; NULL is fine. */
void reloader_free(struct reloader **reloader);

#endif
