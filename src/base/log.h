/*
 * The log: one line an event, saying who, what and why, then key=value.
 *
 * Levels: error needs a human; warn is degraded service; info is lifecycle;
 * debug is one connection. Nothing is logged per request. Never log values or
 * whole keys. Any thread; a line is written by one system call, so that lines
 * of several threads never mix. None waits for the log's reader: lines that
 * find no room are lost, and counted in a line before the next that does.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include "base/must.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG };

enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON };

/*
 * Lines less important than `level` are dropped; info at start. Has no effect
 * once log_pin_level() was called.
 */
void log_set_level(enum log_level level);

/* The same, for the command line: whatever the configuration says. */
void log_pin_level(enum log_level level);

/* One level up or down, as far as there are any; the new one. Always works. */
enum log_level log_shift_level(int by);

void log_set_format(enum log_format format);

/*
 * Looks whether the journal reads the standard error: then lines there begin
 * with a priority, and text has no time stamp.
 */
void log_find_journal(void);

/*
 * Appends to the file, opened anew, from now on. False, with errno set, if
 * that is impossible; nothing changes then. Main thread.
 */
bool log_to_file(const char *path) MUST_CHECK;

/* Writes to the standard error, as at the start. */
void log_to_stderr(void);

/* Whether lines of `level` are written. */
int log_is_on(enum log_level level);

void log_error(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_warn(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_info(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_debug(const char *fmt, ...) PRINTF_LIKE(1, 2);

/*
 * A gate for one place that could flood the log: at most LOG_GATE_BURST lines
 * a second pass, the others are counted, and the count is said with the next
 * line that passes. Worker-local.
 */
#define LOG_GATE_BURST 5

struct log_gate {
	unsigned long long	second;		/* of the lines counted below */
	unsigned		passed;
	unsigned		dropped;
};

/*
 * Whether a line may be written now; if so `dropped_r` says how many were
 * held back since the last one.
 */
int log_gate_pass(struct log_gate *gate, unsigned long long now_ms,
    unsigned *dropped_r) MUST_CHECK;

/*
 * Once the second of a burst is over: how many were held back and will not be
 * told of otherwise, or 0.
 */
unsigned log_gate_flush(struct log_gate *gate, unsigned long long now_ms);

#endif
