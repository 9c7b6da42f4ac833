/*
 * Lines of the log, as text for people or as records for programs.
 *
 *	text	2026-01-02T03:04:05.678Z warn server a is down pool=main
 *	logfmt	ts=2026-... level=warn msg="server a is down" pool=main
 *	json	{"time":"2026-...","level":"warn","msg":"server a is down",
 *		"pool":"main"}
 *
 * The words key=value that a message ends with are its fields. Pure.
 */
#ifndef BASE_LOG_LINE_H
#define BASE_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/log.h"
#include "base/must.h"
#include "base/span.h"

/* A longer message is cut. */
#define LOG_MESSAGE_MAX 2000

/* Any line of such a message fits, with its end. */
#define LOG_LINE_MAX (8 * LOG_MESSAGE_MAX)

struct log_entry {
	enum log_format	 format;
	enum log_level	 level;
	/* With a priority for the journal, which has its own time stamps. */
	bool		 is_for_journal;
	struct timespec	 at;		/* since 1970 */
	struct span	 message;	/* at most LOG_MESSAGE_MAX bytes */
};

/*
 * Writes the line to `out`, which has LOG_LINE_MAX bytes. The number written.
 * Whatever bytes the message has, it makes one line, and in JSON valid UTF-8;
 * what is not stands as U+FFFD, control characters as `?`.
 */
size_t log_line_write(const struct log_entry *entry, char *out);

/* "error", "warn", "info" or "debug". */
const char *log_level_name(enum log_level level);

#endif
