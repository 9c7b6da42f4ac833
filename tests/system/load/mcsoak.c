/*
 * mcsoak: a load of random requests over many connections, every byte of
 * every reply checked.
 *
 *	mcsoak [-c conns] [-d depth] [-k keys] [-n requests] [-s seed] [-w] port
 *
 * It talks to 127.0.0.1 only. It ends when `requests` are answered; with -w
 * not before its standard input ends, so that a test can keep the load up for
 * as long as it does something else. It prints one line of counts. Exit code:
 * 0 clean, 1 something was wrong or stalled, 2 it could not run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "talk.h"

#define CONNS_MAX 4096
#define EVENTS	  64

/* No reply for so long is a stall. */
#define STALL_MS 30000

struct options {
	unsigned	conns;
	unsigned	depth;
	uint32_t	keys;
	uint64_t	requests;
	uint64_t	seed;
	bool		waits;		/* for the end of standard input */
	uint16_t	port;
};

struct load {
	struct options	  opt;
	int		  epoll;
	struct talk	**talks;
	unsigned	  left;		/* talks that are not done */
	uint64_t	  asked;
	uint64_t	  limit;	/* requests wanted, for now */
	struct tally	  tally;
};

static int
connect_to(uint16_t port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		return -1;
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0 ||
	    connect(fd, (struct sockaddr *)&sin, sizeof(sin)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool
watch(struct load *load, int op, unsigned i)
{
	struct talk *talk = load->talks[i];
	struct epoll_event ev = {.events = EPOLLIN, .data = {.u64 = i}};

	if (talk_wants_write(talk))
		ev.events |= EPOLLOUT;
	return epoll_ctl(load->epoll, op, talk_fd(talk), &ev) == 0;
}

static bool
open_talk(struct load *load, unsigned i)
{
	const struct options *opt = &load->opt;
	int fd = connect_to(opt->port);

	if (fd < 0)
		return false;
	load->talks[i] = talk_new(fd, opt->keys, opt->depth, opt->seed + i,
	    &load->tally);
	if (load->talks[i] == NULL) {
		close(fd);
		return false;
	}
	load->left++;
	return watch(load, EPOLL_CTL_ADD, i);
}

static bool
open_all(struct load *load)
{
	/* The index behind the last talk stands for standard input. */
	struct epoll_event ev = {.events = EPOLLIN,
		.data = {.u64 = load->opt.conns}};

	load->epoll = epoll_create1(EPOLL_CLOEXEC);
	load->talks = mem_zalloc(load->opt.conns, sizeof(*load->talks));
	if (load->epoll < 0 || load->talks == NULL)
		return false;
	for (unsigned i = 0; i < load->opt.conns; i++) {
		if (!open_talk(load, i))
			return false;
	}
	load->limit = load->opt.waits ? UINT64_MAX : load->opt.requests;
	return !load->opt.waits ||
	    epoll_ctl(load->epoll, EPOLL_CTL_ADD, STDIN_FILENO, &ev) == 0;
}

static void
close_talk(struct load *load, unsigned i)
{
	talk_free(&load->talks[i]);
	load->left--;
}

/* Lets a talk ask, write and read what it can. */
static void
turn(struct load *load, unsigned i, bool is_readable)
{
	struct talk *talk = load->talks[i];

	if (is_readable && !talk_read(talk)) {
		close_talk(load, i);
		return;
	}
	talk_ask(talk, &load->asked, load->limit);
	if (!talk_write(talk) ||
	    (load->asked >= load->limit && talk_is_idle(talk)) ||
	    !watch(load, EPOLL_CTL_MOD, i))
		close_talk(load, i);
}

/* Standard input has ended: what is still wanted of `requests`, no more. */
static void
stop_waiting(struct load *load)
{
	epoll_ctl(load->epoll, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
	load->limit = load->asked > load->opt.requests ? load->asked :
	    load->opt.requests;
	for (unsigned i = 0; i < load->opt.conns; i++) {
		if (load->talks[i] != NULL)
			turn(load, i, false);
	}
}

static void
handle(struct load *load, const struct epoll_event *ev)
{
	char byte;

	if (ev->data.u64 == load->opt.conns) {
		if (read(STDIN_FILENO, &byte, 1) <= 0)
			stop_waiting(load);
	} else if (load->talks[ev->data.u64] != NULL) {
		turn(load, (unsigned)ev->data.u64,
		    (ev->events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0);
	}
}

static void
run(struct load *load)
{
	struct epoll_event events[EVENTS];

	for (unsigned i = 0; i < load->opt.conns; i++)
		turn(load, i, false);
	while (load->left > 0) {
		int n = epoll_wait(load->epoll, events, EVENTS, STALL_MS);

		if (n == 0) {
			load->tally.errors++;
			snprintf(load->tally.first, sizeof(load->tally.first),
			    "no reply for %d ms", STALL_MS);
			return;
		}
		for (int i = 0; i < n; i++)
			handle(load, &events[i]);
	}
}

static uint64_t
number(const char *text)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno != 0 || *text == '\0' || *end != '\0') {
		fprintf(stderr, "mcsoak: not a number: %s\n", text);
		exit(2);
	}
	return n;
}

static bool
parse_options(int argc, char **argv, struct options *opt)
{
	int c;

	while ((c = getopt(argc, argv, "c:d:k:n:s:w")) != -1) {
		switch (c) {
		case 'c':
			opt->conns = (unsigned)number(optarg);
			break;
		case 'd':
			opt->depth = (unsigned)number(optarg);
			break;
		case 'k':
			opt->keys = (uint32_t)number(optarg);
			break;
		case 'n':
			opt->requests = number(optarg);
			break;
		case 's':
			opt->seed = number(optarg);
			break;
		case 'w':
			opt->waits = true;
			break;
		default:
			return false;
		}
	}
	if (optind + 1 != argc)
		return false;
	opt->port = (uint16_t)number(argv[optind]);
	return opt->conns >= 1 && opt->conns <= CONNS_MAX &&
	    opt->depth >= 1 && opt->depth <= TALK_DEPTH_MAX && opt->keys >= 1;
}

static double
seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool
report(const struct tally *tally, double seconds)
{
	printf("requests=%llu hits=%llu misses=%llu stored=%llu errors=%llu "
	    "wrong=%llu closed=%llu seconds=%.2f\n",
	    (unsigned long long)tally->requests,
	    (unsigned long long)tally->hits,
	    (unsigned long long)tally->misses,
	    (unsigned long long)tally->stored,
	    (unsigned long long)tally->errors,
	    (unsigned long long)tally->wrong,
	    (unsigned long long)tally->closed, seconds);
	if (tally->first[0] != '\0')
		printf("%s\n", tally->first);
	return tally->errors == 0 && tally->wrong == 0 && tally->closed == 0;
}

int
main(int argc, char **argv)
{
	struct load load = {.opt = {.conns = 50, .depth = 8, .keys = 20000,
		.requests = 100000, .seed = 1}};
	double start;
	bool is_clean;

	if (!parse_options(argc, argv, &load.opt)) {
		fprintf(stderr, "usage: mcsoak [-c conns] [-d depth] [-k keys] "
		    "[-n requests] [-s seed] [-w] port\n");
		return 2;
	}
	if (!open_all(&load)) {
		fprintf(stderr, "mcsoak: 127.0.0.1:%u: %s\n", load.opt.port,
		    strerror(errno));
		return 2;
	}
	start = seconds_now();
	run(&load);
	is_clean = report(&load.tally, seconds_now() - start);
	for (unsigned i = 0; i < load.opt.conns; i++)
		talk_free(&load.talks[i]);
	mem_free(load.talks);
	close(load.epoll);
	return is_clean ? 0 : 1;
}
