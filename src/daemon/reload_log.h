/*
 * An attempt to reload in words: for the log, and for who asked for it.
 */
#ifndef DAEMON_RELOAD_LOG_H
#define DAEMON_RELOAD_LOG_H

#include "route/reload_record.h"
#include "route/table.h"

struct evbuffer;

/*
 * One line for the attempt and one for each pool that changed, or one for
 * each mistake and the last; of the start only its mistakes. `table` is what
 * is in force after it, `staged` what waits for its time (may be NULL).
 */
void reload_log(const struct reload_record *record, const struct table *table,
    const struct table *staged);

/* The exit status of a start that was refused so, by sysexits.h. */
int reload_exit_status(enum reload_result result);

/* The same in plain lines, appended to `words`. */
void reload_say(struct evbuffer *words, const struct reload_record *record,
    const struct table *table);

#endif
