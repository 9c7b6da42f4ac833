/*
 * The audit trail of reloads: a record of each attempt, and the last
 * RELOAD_HISTORY_MAX of them. Main thread.
 */
#ifndef ROUTE_RELOAD_RECORD_H
#define ROUTE_RELOAD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "conf/conf.h"
#include "route/table_diff.h"

/* What set an attempt off: enum member, its word in logs and figures. */
#define RELOAD_TRIGGERS(X)                                                     \
	X(START, "start")                                                      \
	X(SIGNAL, "SIGHUP")                                                    \
	X(WATCH, "watch")                                                      \
	X(ADMIN, "admin")                                                      \
	X(ACTIVATE_AT, "activate_at")

enum reload_trigger {
#define X(member, word) RELOAD_BY_##member,
	RELOAD_TRIGGERS(X)
#undef X
};

/* How it ended: enum member, word, meaning. The first three are successes. */
#define RELOAD_RESULTS(X)                                                      \
	X(DONE, "done", "a new table came into force")                         \
	X(STAGED, "staged", "a new table waits for its activate_at")           \
	X(UNCHANGED, "unchanged", "the file means what is in force")           \
	X(UNREADABLE, "unreadable", "the file could not be read")              \
	X(INVALID, "invalid", "the file was wrong")                            \
	X(UNBINDABLE, "unbindable", "a listener could not be opened")          \
	X(NO_MEMORY, "no_memory", "there was not enough memory")

enum reload_result {
#define X(member, word, meaning) RELOAD_##member,
	RELOAD_RESULTS(X)
#undef X
};

#define RELOAD_COUNT_ONE(member, word, meaning) +1
enum { RELOAD_RESULT_COUNT = 0 RELOAD_RESULTS(RELOAD_COUNT_ONE) };

/* The stages of an attempt, in their order: enum member, word. */
#define RELOAD_STAGES(X)                                                       \
	X(READ, "read")			/* the file's bytes */                 \
	X(CHECK, "check")		/* parsed and checked */               \
	X(BUILD, "build")		/* tables and placements */            \
	X(COMPARE, "compare")		/* with the table in force */          \
	X(OPEN, "open")			/* new listeners */                    \
	X(COMMIT, "commit")		/* handed to the workers */

enum reload_stage {
#define X(member, word) RELOAD_STAGE_##member,
	RELOAD_STAGES(X)
#undef X
};

#define RELOAD_COUNT_STAGE(member, word) +1
enum { RELOAD_STAGE_COUNT = 0 RELOAD_STAGES(RELOAD_COUNT_STAGE) };

/* One attempt. */
struct reload_record {
	uint64_t		 number;	/* the first is 1 */
	enum reload_trigger	 trigger;
	enum reload_result	 result;
	uint64_t		 at_ms;		/* Unix time of its start */
	uint64_t		 generation;	/* in force once it was over */
	/* Unix time at which a STAGED table comes into force; else 0. */
	uint64_t		 activate_at_ms;
	/* How long each stage took; 0 if it was not reached. */
	uint64_t		 stage_us[RELOAD_STAGE_COUNT];
	/* Owned. What changed or will, if DONE or STAGED; else NULL. */
	struct table_diff	*diff;
	/*
	 * Owned. Each mistake with its place as typed, if the attempt was
	 * refused; NULL then says that memory was short (see conf.h).
	 */
	struct conf_errors	*errors;
};

/* Whether the file is now in force, or staged to be. */
bool reload_is_success(enum reload_result result);

const char *reload_trigger_word(enum reload_trigger trigger);
const char *reload_result_word(enum reload_result result);
const char *reload_result_meaning(enum reload_result result);
const char *reload_stage_word(enum reload_stage stage);

#define RELOAD_HISTORY_MAX 20

struct reload_history {		/* embedded; zero is empty */
	struct reload_record	 records[RELOAD_HISTORY_MAX];
	uint64_t		 nattempts;	/* ever */
};

/*
 * Takes what `record` owns, gives it its number and lets go of the oldest
 * record if there are too many. Cannot fail. Lent until it is the oldest.
 */
const struct reload_record *reload_history_add(struct reload_history *history,
    const struct reload_record *record);

/* Records kept. */
size_t reload_history_count(const struct reload_history *history);

/* The i-th of them, the newest first. Lent until the next attempt. */
const struct reload_record *reload_history_at(
    const struct reload_history *history, size_t i);

void reload_history_fini(struct reload_history *history);

/*
 * The record in one line of plain text, for a status display: "reload done
 * by SIGHUP: generation 7, servers +1 -0, 24.9% of the keys moved". Gives
 * back `out`.
 */
#define RELOAD_SUMMARY_MAX 512

const char *reload_summary(const struct reload_record *record,
    char out[RELOAD_SUMMARY_MAX]);

#endif
