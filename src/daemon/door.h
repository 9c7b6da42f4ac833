/*
 * The admin listener's socket, through start, reloads and end: opened before
 * a commit, so that one that cannot be opened refuses the reload, and closed
 * after it. Main thread.
 */
#ifndef DAEMON_DOOR_H
#define DAEMON_DOOR_H

#include "admin/admin.h"
#include "base/must.h"
#include "conf/conf.h"

struct door;
struct event_base;

/* It is shut. NULL without memory. */
struct door *door_new(struct event_base *base,
    const struct admin_hooks *hooks) MUST_CHECK;

/*
 * Opens the socket that `conf` wants, if it is not open already: it is fresh,
 * and serves nobody. False, with a line in `errors_r` and nothing opened.
 */
bool door_stage(struct door *door, const struct conf *conf,
    struct conf_errors **errors_r) MUST_CHECK;

/* Closes the fresh one: as before door_stage(). */
void door_discard_fresh(struct door *door);

/* Keeps it for a later commit of `conf`, in place of what was kept so far. */
void door_keep(struct door *door, const struct conf *conf);

/* Serves on what `conf` wants; closes all else, what was kept too. */
void door_commit(struct door *door, const struct conf *conf);

/* Closes what was kept. */
void door_discard(struct door *door);

/* Shuts it, what was kept too, and removes the files of unix sockets. */
void door_shut(struct door *door);

void door_free(struct door **door);

#endif
