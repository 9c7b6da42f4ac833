/*
 * What the offline commands have in common: a configuration loaded as the
 * daemon loads it, lines of input, and how a command ends.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include "base/must.h"
#include "base/span.h"
#include "conf/conf.h"
#include "route/table.h"

/* One loaded configuration. Embedded. */
struct session {
	struct server_registry	*registry;	/* owned */
	struct table		*table;		/* owned; NULL: it failed */
};

/*
 * Loads the file at `path`. EX_OK, or the exit status after complaining on
 * standard error. Close it in either case.
 */
int session_open(struct session *session, const char *path) MUST_CHECK;

void session_close(struct session *session);

/*
 * Calls `use` with each line of `in`, without what ends it (LF, or CR and LF)
 * and except empty ones, until it returns false. Blanks stay. The exit status,
 * after complaining about `name` on standard error if it cannot be read.
 */
int session_each_line(FILE *in, const char *name,
    bool (*use)(void *arg, struct span line), void *arg) MUST_CHECK;

/*
 * To be called when all has been written to standard output: `status`, or
 * that of a failure to write, after complaining.
 */
int session_flush(int status) MUST_CHECK;

/*
 * For getopt's answers that are not a command's own: -h, or no option at all.
 * Prints the usage, where it belongs; the exit status.
 */
int session_other_option(int c, const char *usage) MUST_CHECK;

/* Complains and gives the exit status. */
int session_no_memory(void);

/* Writes each line to standard error, and frees them. */
void session_complain(struct conf_errors **errors);

#endif
