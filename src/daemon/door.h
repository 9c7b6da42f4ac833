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
 * Opens the socket that `conf` wants, if it is not open already. False, with
 * a line in `errors_r` and nothing opened.
 */
bool door_stage(struct door *door, const struct conf *conf,
    struct conf_errors **errors_r) MUST_CHECK;

/* Serves on what was staged; shuts what `conf` no longer wants. */
void door_commit(struct door *door, const struct conf *conf);

/* Closes what was staged. */
void door_discard(struct door *door);

/* Shuts it, and removes a unix socket's file. */
void door_shut(struct door *door);

void door_free(struct door **door);

#endif
