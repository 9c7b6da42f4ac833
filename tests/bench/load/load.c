/*
 * load: puts a memcached server or proxy under load and checks every byte.
 *
 *	load [options] port
 *
 * Closed loop by default: each connection keeps `-d` requests outstanding.
 * With `-r` an open loop: requests are due at that rate whatever the answers
 * do, and latency counts from the moment that one was due, so that waiting
 * for a slow reply is not left out. It talks to 127.0.0.1 only and prints one
 * line of JSON. Exit code: 0 clean, 1 something was wrong, 2 it could not run.
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
#include "options.h"
#include "session.h"

#define SECOND UINT64_C(1000000000)
#define EVENTS 128

/* No reply for so long is a stall. */
#define STALL_NS (10 * SECOND)

struct load {
	struct options	  opt;
	struct keys	  keys;
	struct result	  result;
	int		  epoll;
	struct session	**sessions;
	unsigned	  nopen;
	unsigned	  turn;		/* whose turn it is in an open loop */
	uint64_t	  start_ns;
	uint64_t	  nissued;
	bool		  is_over;	/* ask nothing more */
};

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

static int
connect_to(uint16_t port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	struct timeval patience = {.tv_sec = 5};

	if (fd < 0)
		return -1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&sin, sizeof(sin)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool
watch(struct load *load, int op, unsigned i)
{
	struct session *session = load->sessions[i];
	struct epoll_event ev = {.events = EPOLLIN, .data = {.u32 = i}};

	if (session_wants_write(session))
		ev.events |= EPOLLOUT;
	return epoll_ctl(load->epoll, op, session_fd(session), &ev) == 0;
}

static bool
open_session(struct load *load, unsigned i)
{
	int fd = connect_to(load->opt.port);

	if (fd < 0)
		return false;
	load->sessions[i] = session_new(fd, &load->keys, &load->opt.mix,
	    &load->result);
	if (load->sessions[i] == NULL) {
		close(fd);
		return false;
	}
	load->nopen++;
	return watch(load, EPOLL_CTL_ADD, i);
}

static bool
open_all(struct load *load)
{
	const struct options *opt = &load->opt;

	load->epoll = epoll_create1(EPOLL_CLOEXEC);
	load->sessions = mem_zalloc(opt->conns, sizeof(*load->sessions));
	if (load->epoll < 0 || load->sessions == NULL ||
	    !keys_init(&load->keys, opt->nkeys, opt->value_len, opt->zipf,
	    opt->seed))
		return false;
	for (unsigned i = 0; i < opt->conns; i++) {
		if (!open_session(load, i))
			return false;
	}
	return true;
}

static void
close_session(struct load *load, unsigned i)
{
	session_free(&load->sessions[i]);
	load->nopen--;
}

/* Sends what was asked; closes the session if that is no longer possible. */
static void
flush(struct load *load, unsigned i)
{
	struct session *session = load->sessions[i];
	bool wanted = session_wants_write(session);

	if (!session_write(session)) {
		close_session(load, i);
		return;
	}
	if (wanted != session_wants_write(session) ||
	    session_wants_write(session))
		watch(load, EPOLL_CTL_MOD, i);
}

static void
refill(struct load *load, unsigned i, uint64_t now)
{
	struct session *session = load->sessions[i];

	while (!load->is_over && session_depth(session) < load->opt.depth &&
	    session_has_room(session))
		session_ask(session, now);
	flush(load, i);
}

/* When the n-th request of an open loop is due. */
static uint64_t
due_ns(const struct load *load, uint64_t n)
{
	return load->start_ns +
	    (uint64_t)((double)n / load->opt.rate * (double)SECOND);
}

/* The next session, from the last one on, that may ask; conns: none. */
static unsigned
next_session(const struct load *load)
{
	for (unsigned n = 0; n < load->opt.conns; n++) {
		unsigned i = (load->turn + n) % load->opt.conns;
		const struct session *session = load->sessions[i];

		if (session != NULL && session_has_room(session) &&
		    session_depth(session) < load->opt.depth)
			return i;
	}
	return load->opt.conns;
}

/* Asks what is due by now, as far as connections have room for it. */
static void
issue_due(struct load *load, uint64_t now)
{
	unsigned i;

	while (!load->is_over && due_ns(load, load->nissued) <= now) {
		i = next_session(load);
		if (i == load->opt.conns)
			return;
		load->turn = i + 1;
		session_ask(load->sessions[i], due_ns(load, load->nissued++));
		flush(load, i);
	}
}

static void
handle(struct load *load, const struct epoll_event *ev, uint64_t now)
{
	unsigned i = ev->data.u32;
	struct session *session = load->sessions[i];

	if (session == NULL)
		return;
	if ((ev->events & ~(uint32_t)EPOLLOUT) != 0 &&
	    !session_read(session, now)) {
		close_session(load, i);
		return;
	}
	if (load->opt.rate > 0)
		flush(load, i);
	else
		refill(load, i, now);
}

/* How long to wait for events: until something is due that can be asked. */
static struct timespec
patience(const struct load *load, uint64_t now)
{
	uint64_t wait = SECOND / 10, due;

	if (load->opt.rate > 0 && !load->is_over &&
	    next_session(load) < load->opt.conns) {
		due = due_ns(load, load->nissued);
		if (due < now + wait)
			wait = due > now ? due - now : 0;
	}
	return (struct timespec){(time_t)(wait / SECOND),
	    (long)(wait % SECOND)};
}

/* One turn. False: nothing has come for too long. */
static bool
turn(struct load *load, uint64_t *heard_ns)
{
	struct epoll_event events[EVENTS];
	struct timespec ts = patience(load, now_ns());
	int n = epoll_pwait2(load->epoll, events, EVENTS, &ts, NULL);
	uint64_t now = now_ns();

	if (n > 0)
		*heard_ns = now;
	for (int i = 0; i < n; i++)
		handle(load, &events[i], now);
	if (load->opt.rate > 0)
		issue_due(load, now);
	return load->is_over || now - *heard_ns < STALL_NS;
}

static unsigned
outstanding(const struct load *load)
{
	unsigned n = 0;

	for (unsigned i = 0; i < load->opt.conns; i++) {
		if (load->sessions[i] != NULL)
			n += session_depth(load->sessions[i]);
	}
	return n;
}

/* Turns until `until_ns`, or everything is answered if that is 0. */
static void
turn_until(struct load *load, uint64_t until_ns)
{
	uint64_t heard = now_ns(), end = heard + STALL_NS;

	while (load->nopen > 0 && now_ns() < (until_ns == 0 ? end : until_ns)) {
		if (until_ns == 0 && outstanding(load) == 0)
			return;
		if (!turn(load, &heard))
			break;
	}
	if (until_ns == 0 && outstanding(load) > 0) {
		load->result.wrong++;
		snprintf(load->result.first, sizeof(load->result.first),
		    "%u requests were never answered", outstanding(load));
	}
}

/* Stores every key, over the first connection. */
static void
fill(struct load *load)
{
	uint32_t key = 0;

	load->is_over = true;
	while (key < load->opt.nkeys && load->sessions[0] != NULL) {
		while (key < load->opt.nkeys &&
		    session_has_room(load->sessions[0]) &&
		    session_depth(load->sessions[0]) < 64)
			session_store(load->sessions[0], key++, now_ns());
		flush(load, 0);
		if (load->sessions[0] != NULL)
			turn(load, &(uint64_t){0});
	}
	turn_until(load, 0);
	load->is_over = false;
}

static double
run(struct load *load)
{
	uint64_t measured;

	if (load->opt.fills)
		fill(load);
	load->start_ns = now_ns();
	for (unsigned i = 0; i < load->opt.conns && load->opt.rate == 0; i++) {
		if (load->sessions[i] != NULL)
			refill(load, i, load->start_ns);
	}
	turn_until(load, load->start_ns +
	    (uint64_t)(load->opt.warm_seconds * (double)SECOND));
	measured = now_ns();
	load->result.is_measuring = true;
	turn_until(load, measured +
	    (uint64_t)(load->opt.seconds * (double)SECOND));
	measured = now_ns() - measured;
	load->result.is_measuring = false;
	load->is_over = true;
	turn_until(load, 0);
	return (double)measured / (double)SECOND;
}

static void
report(const struct load *load, double seconds)
{
	const struct result *r = &load->result;
	static const double shares[] = {0.5, 0.9, 0.99, 0.999};
	static const char *const names[] = {"p50", "p90", "p99", "p999"};

	printf("{\"answered\": %llu, \"requests\": %llu, "
	    "\"seconds\": %.3f, \"rate\": %.0f, "
	    "\"values\": %llu, \"misses\": %llu, \"errors\": %llu, "
	    "\"wrong\": %llu, \"lost\": %llu, \"bytes\": %llu",
	    (unsigned long long)r->answered,
	    (unsigned long long)r->requests, seconds,
	    (double)r->requests / seconds, (unsigned long long)r->values,
	    (unsigned long long)r->misses, (unsigned long long)r->errors,
	    (unsigned long long)r->wrong, (unsigned long long)r->lost,
	    (unsigned long long)r->bytes);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		printf(", \"%s_us\": %.1f", names[i],
		    (double)histogram_at(&r->latency, shares[i]) / 1e3);
	printf(", \"max_us\": %.1f}\n", (double)r->latency.max_ns / 1e3);
	if (r->first[0] != '\0')
		fprintf(stderr, "load: %s\n", r->first);
}

int
main(int argc, char **argv)
{
	static struct load load;
	const struct result *r = &load.result;
	double seconds;

	if (!options_parse(argc, argv, &load.opt))
		return 2;
	if (!open_all(&load)) {
		fprintf(stderr, "load: 127.0.0.1:%u: %s\n", load.opt.port,
		    strerror(errno));
		return 2;
	}
	seconds = run(&load);
	report(&load, seconds);
	for (unsigned i = 0; i < load.opt.conns; i++)
		session_free(&load.sessions[i]);
	mem_free(load.sessions);
	keys_fini(&load.keys);
	close(load.epoll);
	return r->errors + r->wrong + r->lost == 0 ? 0 : 1;
}
