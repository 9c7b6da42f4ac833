/*
 * The watch: looks at the configuration file again and again, and says when
 * its content has become another one.
 *
 * Contents are compared, never times: links may be swapped, a file written in
 * place, or deleted and brought back. A change counts once two looks in a row
 * have found the same, so that nobody loads a file half written. Main thread.
 */
#ifndef DAEMON_WATCH_H
#define DAEMON_WATCH_H

#include <stdint.h>

#include "base/must.h"

struct event_base;
struct watch;

/*
 * A watch of the file at `path`, which it lends; it looks at nothing before
 * watch_set_interval(). `on_change` is called with `arg`. NULL without memory.
 */
struct watch *watch_new(struct event_base *base, const char *path,
    void (*on_change)(void *arg), void *arg) MUST_CHECK;

/*
 * How often it looks. 0: every WATCH_MOUNTED_MS if the file is one of a
 * mounted ConfigMap, whose links are swapped from outside, and else never.
 */
void watch_set_interval(struct watch *watch, uint64_t interval_ms);

#define WATCH_MOUNTED_MS 2000

/* The present content is being loaded: only another one is a change. */
void watch_note(struct watch *watch);

/* The content could not be loaded: any that is found is a change. */
void watch_forget(struct watch *watch);

/*
 * Logs a warning if the file is a mount of its own: then it keeps showing
 * what it showed first, whatever happens outside.
 */
void watch_warn_if_fixed(const char *path);

void watch_free(struct watch **watch);

#endif
