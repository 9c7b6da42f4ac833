/*
 * Where a running daemon's admin listener is, for the commands that ask it.
 */
#ifndef CLI_RUNNING_H
#define CLI_RUNNING_H

#include <stdint.h>

#include "base/endpoint.h"
#include "base/must.h"

/* The options that these commands share. Lent by the command line. */
struct running_options {
	const char	*path;		/* -c, or NULL */
	const char	*admin;		/* -a, or NULL */
	uint64_t	 time_ms;	/* how long to try */
};

/* Lines about the options, for a usage. */
#define RUNNING_USAGE \
"  -a, --admin ADDRESS  the daemon's admin listener: 127.0.0.1:9211 or\n" \
"                       unix:/path; the former if nothing is given\n" \
"  -c, --config FILE    take the address from FILE, and nothing else\n" \
"  -h, --help           print this and exit\n"

/*
 * The address that the options name. EX_OK, or the exit status after
 * complaining on standard error. The file need not be right as a whole: that
 * somebody broke it says nothing about the daemon.
 */
int running_find(const struct running_options *options,
    struct endpoint *ep_r) MUST_CHECK;

/* Reads a duration like "10s"; false after complaining. */
bool running_duration(const char *text, uint64_t *ms_r) MUST_CHECK;

#endif
