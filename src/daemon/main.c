/*
 * fairlead: the command line.
 */
#include <event2/event.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/log.h"
#include "base/num.h"
#include "cli/cli.h"
#include "daemon/daemon.h"
#include "daemon/libevent_log.h"
#include "daemon/signals.h"
#include "version.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static const char usage[] =
"usage: fairlead -c FILE            serve by the configuration in FILE\n"
"       fairlead -t -c FILE         check FILE: exit 0, or 78 with errors\n"
"       fairlead -T -c FILE         print FILE with all defaults filled in\n"
"       fairlead COMMAND ...        one of these, each with a --help:\n"
"\n"
"  locate        the servers that keys go to\n"
"  plan          what a reload from one file to another would do\n"
"  ring          how evenly each pool spreads its keys over its servers\n"
"  place compare how many of your keys two files place alike\n"
"  convert       a file of twemproxy, libmemcached or mcrouter as one of ours\n"
"  schema        the JSON Schema of the configuration\n"
"  probe         whether a running daemon is live, or ready\n"
"  wait          until a daemon is ready\n"
"  reload        make a running daemon reload, and say what came of it\n"
"\n"
"  -c, --config FILE   the configuration\n"
"  -t, --test-conf     check it and exit\n"
"  -T, --print-conf    print it and exit\n"
"  -v, --verbose       log each connection too\n"
"  -q, --quiet         log warnings and errors only\n"
"  -V, --version       print the version and exit\n"
"  -h, --help          print this and exit\n"
"\n"
"SIGHUP reloads; SIGTERM ends once the last client left; SIGINT at once.\n";

static const struct option options[] = {
	{"config", required_argument, NULL, 'c'},
	{"conf-file", required_argument, NULL, 'c'},
	{"test-conf", no_argument, NULL, 't'},
	{"print-conf", no_argument, NULL, 'T'},
	{"verbose", optional_argument, NULL, 'v'},
	{"quiet", no_argument, NULL, 'q'},
	{"version", no_argument, NULL, 'V'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* The commands: the first word, and what runs it from there on. */
static const struct {
	const char	*name;
	int		(*run)(int argc, char **argv);
} commands[] = {
	{"locate", cli_locate},
	{"plan", cli_plan},
	{"ring", cli_ring},
	{"place", cli_place},
	{"convert", cli_convert},
	{"schema", cli_schema},
	{"probe", cli_probe},
	{"wait", cli_wait},
	{"reload", cli_reload},
};

/*
 * Options of nutcracker that have no meaning here, and where to look instead:
 * whoever takes its place should not have to guess.
 */
static const struct {
	char		letter;
	const char	*instead;
} nutcracker_options[] = {
	{'d', "it stays in the foreground, for systemd or a container"},
	{'D', "docs/operations.md and fairlead-stats(7) have the counters"},
	{'o', "the log goes to standard error; redirect it"},
	{'p', "there is no pid file; the service manager knows the process"},
	{'s', "see \"admin\" in the configuration, and the command stats"},
	{'a', "see \"admin\" in the configuration, and the command stats"},
	{'i', "counters are always those of this moment"},
	{'m', "see \"limits\" in the configuration"},
};

static int
refuse_option(int letter)
{
	for (size_t i = 0; i < sizeof(nutcracker_options) /
	    sizeof(nutcracker_options[0]); i++) {
		if (nutcracker_options[i].letter != letter)
			continue;
		fprintf(stderr, "fairlead: -%c is an option of nutcracker, "
		    "not of Fairlead: %s\n", letter,
		    nutcracker_options[i].instead);
		return EX_USAGE;
	}
	fputs(usage, stderr);
	return EX_USAGE;
}

/* nutcracker's levels go from 0 to 11; it starts with 5, notices. */
static bool
set_level(const char *text)
{
	uint64_t n;

	if (!num_parse_u64(span_str(text), &n))
		return false;
	log_pin_level(n < 5 ? LOG_LEVEL_WARN : n < 7 ? LOG_LEVEL_INFO :
	    LOG_LEVEL_DEBUG);
	return true;
}

/* What to do with the file. */
enum mode { MODE_SERVE, MODE_CHECK, MODE_PRINT };

/*
 * A standard stream that was closed leaves its number to the next descriptor:
 * lines of the log would go to a socket, or to ourselves.
 */
static void
fill_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd != -1 && fd <= STDERR_FILENO);
	if (fd != -1)
		close(fd);
}

static int
run(enum mode mode, const char *path)
{
	switch (mode) {
	case MODE_CHECK:
		return cli_check(path);
	case MODE_PRINT:
		return cli_print(path);
	case MODE_SERVE:
		fill_standard_streams();
		/* First of all: process 1 gets no signal without a handler. */
		if (!signals_start()) {
			perror("fairlead: pipe");
			return EX_OSERR;
		}
		log_find_journal();
		libevent_log_take();
		return daemon_run(path);
	}
	NEVER();
}

static int
misused(const char *what)
{
	fprintf(stderr, "fairlead: %s\n%s", what, usage);
	return EX_USAGE;
}

static int
run_main(int argc, char **argv)
{
	const char *path = NULL;
	enum mode mode = MODE_SERVE;
	int c;

	while ((c = getopt_long(argc, argv, "c:tTv::qVhdDo:p:s:a:i:m:",
	    options, NULL)) != -1) {
		switch (c) {
		case 'c':
			path = optarg;
			break;
		case 't':
			mode = MODE_CHECK;
			break;
		case 'T':
			mode = MODE_PRINT;
			break;
		case 'v':
			/* "-v 6", as nutcracker has it, is one as well. */
			if (optarg == NULL && optind < argc &&
			    set_level(argv[optind]))
				optind++;
			else if (!set_level(optarg == NULL ? "11" : optarg))
				return misused("-v takes a number, or none");
			break;
		case 'q':
			log_pin_level(LOG_LEVEL_WARN);
			break;
		case 'V':
			printf("fairlead " FAIRLEAD_VERSION " (libevent %s, "
			    COMPILER ")\n", event_get_version());
			return EX_OK;
		case 'h':
			fputs(usage, stdout);
			return EX_OK;
		default:
			return refuse_option(c);
		}
	}
	if (optind < argc)
		return misused("there is an argument too many");
	if (path == NULL)
		return misused("-c FILE is missing");
	return run(mode, path);
}

int
main(int argc, char **argv)
{
	/* Who stops reading is told of by the call that writes. */
	signal(SIGPIPE, SIG_IGN);
	/* As of a file that may not grow any more. */
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (argc > 1 && strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	return run_main(argc, argv);
}
