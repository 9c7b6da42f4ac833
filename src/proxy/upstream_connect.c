/* Connecting to servers, without waiting for them. */
#include "proxy/upstream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proxy/keepalive.h"

static void
on_connected(struct upstream *up)
{
	up->state = UPSTREAM_READY;
	up->is_proven = false;
	up->active_ms = env_now_ms(up->conn.env);
	conn_dirty(&up->conn);
}

/*
 * What a firewall forgot is closed within a minute, not after the two hours
 * that the system would take. Requests do not wait for that: see upstream.c.
 */
#define KEEPALIVE_IDLE_S 30

/* Options are wishes: a socket without them still serves. */
static void
set_options(int fd, int family)
{
	int on = 1;

	if (family == AF_UNIX)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	keepalive_set(fd, KEEPALIVE_IDLE_S);
}

/* What a failed system call tells: a want of ours is no server's fault. */
static enum reason
connect_failure(int error)
{
	switch (error) {
	case EMFILE:
	case ENFILE:
		return REASON_NO_DESCRIPTORS;
	case ENOBUFS:
	case ENOMEM:
		return REASON_NO_MEMORY;
	default:
		return REASON_CONNECT_FAILED;
	}
}

enum reason
upstream_connect(struct upstream *up, event_callback_fn callback)
{
	struct env *env = up->conn.env;
	struct server_address address;
	int fd, result, error;

	server_bump(up->tally, SERVER_CONNECTS);
	up->epoch = health_epoch(&up->server->health);
	if (!server_address(up->server, &address))
		return REASON_UNRESOLVED;
	fd = socket(address.ss.ss_family,
	    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return connect_failure(errno);
	set_options(fd, address.ss.ss_family);
	result = connect(fd, (const struct sockaddr *)&address.ss,
	    address.len);
	if (result == -1 && errno != EINPROGRESS) {
		error = errno;
		close(fd);
		return connect_failure(error);
	}
	conn_open(&up->conn, fd, callback, up);
	stats_bump(env->stats, STATS_SERVER_CONNECTS);
	server_bump(up->tally, SERVER_CONNECTIONS);
	up->connect_ms = env_now_ms(env);
	up->state = UPSTREAM_CONNECTING;
	if (result == 0) {
		on_connected(up);
		return REASON_NONE;
	}
	return conn_want(&up->conn, EV_WRITE) ? REASON_NONE :
	    REASON_NO_MEMORY;
}

void
upstream_finish_connecting(struct upstream *up)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(up->conn.fd, SOL_SOCKET, SO_ERROR, &error, &len) == -1 ||
	    error != 0)
		upstream_fail(up, REASON_CONNECT_FAILED);
	else
		on_connected(up);
}
