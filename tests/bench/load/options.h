/* The command line of the load. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "session.h"

struct options {
	unsigned	conns;
	unsigned	depth;
	double		seconds;
	double		warm_seconds;	/* before it is measured */
	double		rate;		/* requests a second; 0: closed loop */
	uint32_t	nkeys;
	size_t		value_len;
	double		zipf;
	uint64_t	seed;
	bool		fills;		/* stores every key first */
	struct mix	mix;
	uint16_t	port;
};

/* False if it makes no sense, which has been said on standard error. */
bool options_parse(int argc, char **argv, struct options *opt) MUST_CHECK;

#endif
