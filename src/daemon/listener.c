/* Listening and accepting. */
#include "daemon/listener.h"

#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/want.h"
#include "daemon/listen_socket.h"
#include "daemon/passed.h"
#include "proto/answer.h"
#include "proxy/doorway.h"
#include "proxy/keepalive.h"

/* Clients accepted before other events get their turn. */
#define ACCEPTS_A_TURN 64

/* A client's host that vanished is missed after a minute and a half. */
#define KEEPALIVE_IDLE_S 60

/* Without descriptors, accepting rests for so long. */
#define ACCEPT_PAUSE_MS 100

enum listener_state {
	LISTENER_FRESH,		/* bound by this attempt, accepts nobody */
	LISTENER_KEPT,		/* the same, for a table that waits */
	LISTENER_OPEN,
	LISTENER_CLOSED,	/* kept for its name */
};

struct listener {
	TAILQ_ENTRY(listener)	 next;
	struct listeners	*all;
	enum listener_state	 state;
	int			 fd;
	bool			 is_passed;	/* its file is not ours */
	struct listen_file	 file;
	struct endpoint		 endpoint;
	char			*listen;	/* as written */
	struct doorway		 doorway;	/* what clients keep of it */
	struct event		*accept_event;
	struct event		*pause_event;
};

TAILQ_HEAD(listener_list, listener);

struct listeners {
	struct event_base	*base;
	struct passed		*passed;	/* lent */
	struct crew		 crew;
	struct listener_list	 list;
	struct doorway_list	 doorways;	/* theirs */
	size_t			 next_worker;
	struct log_gate		 gate;
};

struct listeners *
listeners_new(struct event_base *base, struct passed *passed)
{
	struct listeners *listeners = mem_zalloc(1, sizeof(*listeners));

	if (listeners == NULL)
		return NULL;
	listeners->base = base;
	listeners->passed = passed;
	TAILQ_INIT(&listeners->list);
	TAILQ_INIT(&listeners->doorways);
	return listeners;
}

void
listeners_set_crew(struct listeners *listeners, const struct crew *crew)
{
	listeners->crew = *crew;
}

static void
log_refusal(struct listener *listener, uint64_t max_clients)
{
	unsigned dropped;

	if (log_gate_pass(&listener->all->gate, clock_now_ms(), &dropped))
		log_warn("client refused: limits.clients are connected "
		    "listener=%s clients=%llu similar_lines_dropped=%u",
		    listener->listen, (unsigned long long)max_clients,
		    dropped);
}

/*
 * Says why and hangs up; there is no room to wait for a slow reader. What it
 * has sent by then is read, or closing would reset the connection and the
 * words be lost.
 */
static void
turn_away(struct listener *listener, int fd, uint64_t max_clients)
{
	char unread[4096];

	stats_bump(listener->all->crew.stats, STATS_CLIENTS_REFUSED);
	log_refusal(listener, max_clients);
	if (send(fd, ANSWER_TOO_MANY, sizeof(ANSWER_TOO_MANY) - 1,
	    MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		(void)recv(fd, unread, sizeof(unread), MSG_DONTWAIT);
	close(fd);
}

/* Who has the fewest clients; of several, they take turns. */
static struct worker *
idlest_worker(struct listeners *listeners)
{
	const struct crew *crew = &listeners->crew;
	uint64_t fewest = UINT64_MAX;
	size_t best = 0;

	for (size_t i = 0; i < crew->nworkers; i++) {
		size_t at = (listeners->next_worker + i) % crew->nworkers;
		uint64_t n = worker_clients(crew->workers[at]);

		if (n < fewest) {
			fewest = n;
			best = at;
		}
	}
	listeners->next_worker = (best + 1) % crew->nworkers;
	return crew->workers[best];
}

static void
welcome(struct listener *listener, int fd)
{
	struct listeners *listeners = listener->all;
	const struct crew *crew = &listeners->crew;
	struct proxy *proxy = crew->proxy;
	uint64_t max_clients = atomic_load_explicit(&proxy->max_clients,
	    memory_order_relaxed);
	int on = 1;

	if (atomic_load_explicit(&proxy->nclients, memory_order_relaxed) >=
	    max_clients) {
		turn_away(listener, fd, max_clients);
		return;
	}
	if (listener->endpoint.kind != ENDPOINT_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	doorway_enter(&listener->doorway, proxy);
	if (worker_give_client(idlest_worker(listeners), fd,
	    &listener->doorway))
		return;
	doorway_leave(&listener->doorway, proxy);
	stats_bump(crew->stats, STATS_NO_MEMORY);
}

static void
pause_accepting(struct listener *listener, int error)
{
	struct timeval tv = {.tv_usec = ACCEPT_PAUSE_MS * 1000};
	unsigned dropped;

	if (log_gate_pass(&listener->all->gate, clock_now_ms(), &dropped))
		log_error("listener %s accepts nobody for %d ms: %s "
		    "similar_lines_dropped=%u", listener->listen,
		    ACCEPT_PAUSE_MS, strerror(error), dropped);
	event_del(listener->accept_event);
	if (event_add(listener->pause_event, &tv) != 0)
		event_add(listener->accept_event, NULL);
}

/* Now, or if that is impossible after a pause. */
static void
resume_accepting(struct listener *listener)
{
	if (event_add(listener->accept_event, NULL) != 0)
		pause_accepting(listener, ENOMEM);
}

static void
on_accept(evutil_socket_t fd, short events, void *arg)
{
	struct listener *listener = arg;
	int client;

	(void)events;
	for (int i = 0; i < ACCEPTS_A_TURN; i++) {
		client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (client != -1) {
			welcome(listener, client);
			continue;
		}
		if (want_is_ours(errno))
			pause_accepting(listener, errno);
		/* Otherwise none is left, or one that gave up meanwhile. */
		return;
	}
}

static void
on_pause_over(evutil_socket_t fd, short events, void *arg)
{
	struct listener *listener = arg;

	(void)fd;
	(void)events;
	resume_accepting(listener);
}

static void
listener_free(struct listener *listener)
{
	if (listener->accept_event != NULL)
		event_free(listener->accept_event);
	if (listener->pause_event != NULL)
		event_free(listener->pause_event);
	mem_free(listener->listen);
	mem_free(listener);
}

static void
close_socket(struct listener *listener)
{
	if (listener->state == LISTENER_CLOSED)
		return;
	listener->state = LISTENER_CLOSED;
	event_del(listener->accept_event);
	event_del(listener->pause_event);
	if (!listener->is_passed)
		listen_remove_file(&listener->endpoint, &listener->file);
	close(listener->fd);
	listener->fd = -1;
}

static struct listener *
find(struct listeners *listeners, const char *listen)
{
	struct listener *listener;

	TAILQ_FOREACH(listener, &listeners->list, next) {
		if (strcmp(listener->listen, listen) == 0)
			return listener;
	}
	return NULL;
}

static struct listener *
listener_new(struct listeners *listeners, const struct conf_listener *conf)
{
	struct event_base *base = listeners->base;
	struct listener *listener = mem_zalloc(1, sizeof(*listener));

	if (listener == NULL)
		return NULL;
	listener->all = listeners;
	listener->state = LISTENER_CLOSED;
	listener->fd = -1;
	listener->endpoint = conf->endpoint;
	listener->listen = mem_strndup(conf->listen, strlen(conf->listen));
	listener->accept_event = event_new(base, -1, 0, on_accept, listener);
	listener->pause_event = event_new(base, -1, 0, on_pause_over,
	    listener);
	if (listener->listen == NULL || listener->accept_event == NULL ||
	    listener->pause_event == NULL) {
		listener_free(listener);
		return NULL;
	}
	TAILQ_INSERT_TAIL(&listeners->list, listener, next);
	listener->doorway.listen = listener->listen;
	TAILQ_INSERT_TAIL(&listeners->doorways, &listener->doorway, next);
	return listener;
}

/* A socket that was passed, or one of our own; false with errno set. */
static bool
open_socket(struct listener *listener, const struct conf_listener *conf)
{
	listener->fd = passed_socket(listener->all->passed, conf->socket,
	    &conf->endpoint);
	listener->is_passed = listener->fd != -1;
	if (!listener->is_passed && errno == ENOENT)
		listener->fd = listen_socket(&conf->endpoint, conf->mode,
		    &listener->file);
	if (listener->fd == -1)
		return false;
	if (conf->endpoint.kind != ENDPOINT_UNIX)
		keepalive_set(listener->fd, KEEPALIVE_IDLE_S);
	return true;
}

/*
 * The commit cannot fail, so what it needs is had now: once added, an event
 * finds its memory again.
 */
static bool
prepare_accepting(struct listener *listener)
{
	event_assign(listener->accept_event, listener->all->base,
	    listener->fd, EV_READ | EV_PERSIST, on_accept, listener);
	return event_add(listener->accept_event, NULL) == 0 &&
	    event_del(listener->accept_event) == 0;
}

static bool
stage_one(struct listeners *listeners, const struct conf *conf,
    const struct conf_listener *wanted, struct conf_errors **errors_r)
{
	struct listener *listener = find(listeners, wanted->listen);

	if (listener != NULL && listener->state != LISTENER_CLOSED)
		return true;
	if (listener == NULL)
		listener = listener_new(listeners, wanted);
	if (listener == NULL) {
		conf_errors_add(errors_r, conf, wanted->place,
		    "cannot listen on %s: out of memory", wanted->listen);
		return false;
	}
	if (!open_socket(listener, wanted)) {
		conf_errors_add(errors_r, conf, wanted->place,
		    "cannot listen on %s: %s", wanted->listen,
		    strerror(errno));
		return false;
	}
	listener->state = LISTENER_FRESH;
	if (!prepare_accepting(listener)) {
		close_socket(listener);
		conf_errors_add(errors_r, conf, wanted->place,
		    "cannot listen on %s: out of memory", wanted->listen);
		return false;
	}
	return true;
}

bool
listeners_stage(struct listeners *listeners, const struct conf *conf,
    struct conf_errors **errors_r)
{
	bool is_good = true;

	for (size_t i = 0; i < conf->nlisteners; i++)
		is_good &= stage_one(listeners, conf, &conf->listeners[i],
		    errors_r);
	if (!is_good)
		listeners_discard_fresh(listeners);
	return is_good;
}

/* What `conf` says of it, or NULL. */
static const struct conf_listener *
find_conf(const struct conf *conf, const struct listener *listener)
{
	for (size_t i = 0; i < conf->nlisteners; i++) {
		if (strcmp(conf->listeners[i].listen, listener->listen) == 0)
			return &conf->listeners[i];
	}
	return NULL;
}

/* A commit cannot fail; that somebody removed the socket is his affair. */
static void
apply_mode(const struct listener *listener, const struct conf_listener *conf)
{
	if (conf->mode != 0 && chmod(listener->endpoint.host, conf->mode) != 0)
		log_error("listener %s keeps its mode: %s", listener->listen,
		    strerror(errno));
}

/* An open one goes on as `conf` says, or closes if that is NULL. */
static void
revise(struct listener *listener, const struct conf_listener *conf)
{
	if (conf == NULL) {
		log_info("listener %s closed: removed from the configuration",
		    listener->listen);
		close_socket(listener);
	} else if (listener->endpoint.kind == ENDPOINT_UNIX &&
	    !listener->is_passed) {
		apply_mode(listener, conf);
	}
}

static void
start_accepting(struct listener *listener)
{
	resume_accepting(listener);
	listener->state = LISTENER_OPEN;
	log_info("listening on %s%s", listener->listen,
	    listener->is_passed ? ": a socket that was passed" : "");
}

static void
commit_one(struct listener *listener, const struct conf_listener *conf)
{
	switch (listener->state) {
	case LISTENER_FRESH:
	case LISTENER_KEPT:
		if (conf == NULL) {
			close_socket(listener);
			return;
		}
		start_accepting(listener);
		revise(listener, conf);
		return;
	case LISTENER_OPEN:
		revise(listener, conf);
		return;
	case LISTENER_CLOSED:
		return;
	}
	NEVER();
}

void
listeners_commit(struct listeners *listeners, const struct conf *conf)
{
	struct listener *listener;

	TAILQ_FOREACH(listener, &listeners->list, next)
		commit_one(listener, find_conf(conf, listener));
}

void
listeners_keep(struct listeners *listeners, const struct conf *conf)
{
	struct listener *listener;

	TAILQ_FOREACH(listener, &listeners->list, next) {
		if (listener->state == LISTENER_FRESH)
			listener->state = LISTENER_KEPT;
		else if (listener->state == LISTENER_KEPT &&
		    find_conf(conf, listener) == NULL)
			close_socket(listener);
	}
}

static void
close_those(struct listeners *listeners, enum listener_state state)
{
	struct listener *listener;

	TAILQ_FOREACH(listener, &listeners->list, next) {
		if (listener->state == state)
			close_socket(listener);
	}
}

void
listeners_discard_fresh(struct listeners *listeners)
{
	close_those(listeners, LISTENER_FRESH);
}

void
listeners_discard(struct listeners *listeners)
{
	close_those(listeners, LISTENER_KEPT);
}

const struct doorway_list *
listeners_doorways(const struct listeners *listeners)
{
	return &listeners->doorways;
}

void
listeners_close(struct listeners *listeners)
{
	struct listener *listener;

	TAILQ_FOREACH(listener, &listeners->list, next)
		close_socket(listener);
}

void
listeners_free(struct listeners **listenersp)
{
	struct listeners *listeners = *listenersp;
	struct listener *listener;

	*listenersp = NULL;
	if (listeners == NULL)
		return;
	while ((listener = TAILQ_FIRST(&listeners->list)) != NULL) {
		TAILQ_REMOVE(&listeners->list, listener, next);
		close_socket(listener);
		listener_free(listener);
	}
	mem_free(listeners);
}
