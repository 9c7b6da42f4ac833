/* What the load is to do, as told. */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CONNS_MAX 10000

static const char usage_text[] =
    "usage: load [options] port\n"
    "  -c n      connections (64)\n"
    "  -d n      requests outstanding on each (1)\n"
    "  -r rate   requests a second, due whatever the answers do\n"
    "  -t secs   measured (5)\n"
    "  -w secs   before that (0.5)\n"
    "  -k n      keys (10000)\n"
    "  -z s      exponent of a Zipf distribution (0: all alike)\n"
    "  -v bytes  of a value (100)\n"
    "  -s pct    of all requests are sets (10)\n"
    "  -g n      keys of one get (1)\n"
    "  -m        mg and ms in place of get and set\n"
    "  -f        store every key first\n"
    "  -S seed   of the random numbers (1)\n";

static double
number(const char *text, double min, double max)
{
	char *end;
	double n;

	errno = 0;
	n = strtod(text, &end);
	if (errno != 0 || *text == '\0' || *end != '\0' || n < min ||
	    n > max) {
		fprintf(stderr, "load: %s is not from %g to %g\n", text, min,
		    max);
		exit(2);
	}
	return n;
}

static bool
parse_option(struct options *opt, int c, const char *arg)
{
	switch (c) {
	case 'c':
		opt->conns = (unsigned)number(arg, 1, CONNS_MAX);
		return true;
	case 'd':
		opt->depth = (unsigned)number(arg, 1, SESSION_DEPTH_MAX);
		return true;
	case 'r':
		opt->rate = number(arg, 1, 1e8);
		return true;
	case 't':
		opt->seconds = number(arg, 0.01, 3600);
		return true;
	case 'w':
		opt->warm_seconds = number(arg, 0, 3600);
		return true;
	case 'k':
		opt->nkeys = (uint32_t)number(arg, 1, 99999999);
		return true;
	case 'z':
		opt->zipf = number(arg, 0, 5);
		return true;
	case 'v':
		opt->value_len = (size_t)number(arg, 1, VALUE_MAX);
		return true;
	case 's':
		opt->mix.set_percent = (unsigned)number(arg, 0, 100);
		return true;
	case 'g':
		opt->mix.get_keys = (unsigned)number(arg, 1, SESSION_KEYS_MAX);
		return true;
	case 'S':
		opt->seed = (uint64_t)number(arg, 1, 1e15);
		return true;
	case 'm':
		opt->mix.is_meta = true;
		return true;
	case 'f':
		opt->fills = true;
		return true;
	default:
		return false;
	}
}

bool
options_parse(int argc, char **argv, struct options *opt)
{
	int c;

	*opt = (struct options){.conns = 64, .depth = 1, .seconds = 5,
	    .warm_seconds = 0.5, .nkeys = 10000, .value_len = 100, .seed = 1,
	    .mix = {.set_percent = 10, .get_keys = 1}};
	while ((c = getopt(argc, argv, "c:d:r:t:w:k:z:v:s:g:S:mf")) != -1) {
		if (!parse_option(opt, c, optarg)) {
			fputs(usage_text, stderr);
			return false;
		}
	}
	if (optind + 1 != argc) {
		fputs(usage_text, stderr);
		return false;
	}
	opt->port = (uint16_t)number(argv[optind], 1, 65535);
	return true;
}
