/*
 * `fairlead probe`, `wait` and `reload`: a running daemon asked over its admin
 * listener, by the program that is there anyway, where there is no shell.
 */
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/clock.h"
#include "cli/ask.h"
#include "cli/cli.h"
#include "cli/running.h"
#include "cli/session.h"

/* Between two attempts of `wait`. */
#define WAIT_STEP_MS 20

/* What a probe says with its exit status. */
enum { PROBE_YES = 0, PROBE_NO = 1 };

static const char probe_usage[] =
"usage: fairlead probe live|ready|startup [-a ADDRESS | -c FILE] [-m TIME]\n"
"\n"
"Asks a running daemon: live, whether its loops turn; ready and startup,\n"
"whether it is configured and listens, which ends when it drains. Exits with\n"
"0 for yes and 1 for no, which is also no answer within TIME.\n"
"\n"
"  -m, --max TIME       1s by default\n"
RUNNING_USAGE;

static const char wait_usage[] =
"usage: fairlead wait [-a ADDRESS | -c FILE] [-m TIME]\n"
"\n"
"Waits until a daemon is ready. Exits with 0, or with 1 when TIME is over.\n"
"\n"
"  -m, --max TIME       10s by default\n"
RUNNING_USAGE;

static const char reload_usage[] =
"usage: fairlead reload [-a ADDRESS | -c FILE] [-m TIME]\n"
"\n"
"Makes a running daemon reload its file, and prints what came of it. Exits\n"
"with 0 if it did, 78 if it refused the file, 77 if its admin listener does\n"
"not allow it (admin.actions), 69 without an answer within TIME.\n"
"\n"
"  -m, --max TIME       30s by default\n"
RUNNING_USAGE;

static const struct option long_options[] = {
	{"admin", required_argument, NULL, 'a'},
	{"config", required_argument, NULL, 'c'},
	{"max", required_argument, NULL, 'm'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* Whether to go on; else the exit status is set. */
static bool
read_options(int argc, char **argv, const char *usage, int nwords,
    struct running_options *options, int *status_r)
{
	int c;

	*status_r = EX_USAGE;
	while ((c = getopt_long(argc, argv, "a:c:m:h", long_options,
	    NULL)) != -1) {
		switch (c) {
		case 'a':
			options->admin = optarg;
			break;
		case 'c':
			options->path = optarg;
			break;
		case 'm':
			if (!running_duration(optarg, &options->time_ms))
				return false;
			break;
		default:
			*status_r = session_other_option(c, usage);
			return false;
		}
	}
	if (optind + nwords == argc &&
	    (options->admin == NULL || options->path == NULL))
		return true;
	fputs(usage, stderr);
	return false;
}

/* Whether it says yes; why not, on standard error. */
static int
probe(const struct endpoint *ep, const char *path, uint64_t time_ms)
{
	struct ask_answer answer;
	struct err err;

	if (!ask(ep, "GET", path, time_ms, &answer, &err)) {
		fprintf(stderr, "fairlead: %s\n", err.text);
		return PROBE_NO;
	}
	if (answer.status == 200)
		return PROBE_YES;
	fputs(answer.text, stderr);
	return PROBE_NO;
}

static const char *
path_of(const char *what)
{
	if (strcmp(what, "live") == 0)
		return "/-/healthy";
	if (strcmp(what, "ready") == 0 || strcmp(what, "startup") == 0)
		return "/-/ready";
	return NULL;
}

int
cli_probe(int argc, char **argv)
{
	struct running_options options = {.time_ms = 1000};
	struct endpoint ep;
	const char *path;
	int status;

	if (!read_options(argc, argv, probe_usage, 1, &options, &status))
		return status;
	path = path_of(argv[optind]);
	if (path == NULL) {
		fputs(probe_usage, stderr);
		return EX_USAGE;
	}
	status = running_find(&options, &ep);
	return status == EX_OK ? probe(&ep, path, options.time_ms) : status;
}

/* Nobody listens there yet, or somebody who is not ready. */
static int
wait_until_ready(const struct endpoint *ep, uint64_t time_ms)
{
	uint64_t end_ms = clock_now_ms() + time_ms, now_ms;
	struct ask_answer answer = {0};
	struct err err = {""};

	while ((now_ms = clock_now_ms()) < end_ms) {
		bool is_answered = ask(ep, "GET", "/-/ready", end_ms - now_ms,
		    &answer, &err);

		if (is_answered && answer.status == 200)
			return PROBE_YES;
		if (is_answered)
			err_set(&err, "it answers: %s", answer.text);
		poll(NULL, 0, WAIT_STEP_MS);
	}
	fprintf(stderr, "fairlead: not ready in time: %s\n", err.text);
	return PROBE_NO;
}

int
cli_wait(int argc, char **argv)
{
	struct running_options options = {.time_ms = 10000};
	struct endpoint ep;
	int status;

	if (!read_options(argc, argv, wait_usage, 0, &options, &status))
		return status;
	status = running_find(&options, &ep);
	return status == EX_OK ? wait_until_ready(&ep, options.time_ms) :
	    status;
}

static int
reload(const struct endpoint *ep, uint64_t time_ms)
{
	struct ask_answer answer;
	struct err err;

	if (!ask(ep, "POST", "/-/reload", time_ms, &answer, &err)) {
		fprintf(stderr, "fairlead: %s\n", err.text);
		return EX_UNAVAILABLE;
	}
	fputs(answer.text, answer.status == 200 ? stdout : stderr);
	switch (answer.status) {
	case 200:
		return session_flush(EX_OK);
	case 422:
		return EX_CONFIG;
	case 403:
		return EX_NOPERM;
	default:
		fprintf(stderr, "fairlead: it answers with %d\n",
		    answer.status);
		return EX_PROTOCOL;
	}
}

int
cli_reload(int argc, char **argv)
{
	struct running_options options = {.time_ms = 30000};
	struct endpoint ep;
	int status;

	if (!read_options(argc, argv, reload_usage, 0, &options, &status))
		return status;
	status = running_find(&options, &ep);
	return status == EX_OK ? reload(&ep, options.time_ms) : status;
}
