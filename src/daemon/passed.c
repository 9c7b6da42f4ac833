/* Sockets from the service manager. */
#include "daemon/passed.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"

/* The first descriptor that is passed, and the most that are looked at. */
#define FIRST_FD 3
#define COUNT_MAX 1024

struct passed_one {
	char	*name;		/* owned */
	int	 fd;
	bool	 is_used;
};

struct passed {
	struct passed_one	*list;
	size_t			 n;
};

/* How many, if they are for this process. */
static uint64_t
read_count(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint64_t n;

	if (pid == NULL || fds == NULL ||
	    !num_parse_u64(span_str(pid), &n) || n != (uint64_t)getpid() ||
	    !num_parse_u64_max(span_str(fds), COUNT_MAX, &n))
		return 0;
	return n;
}

/* The next of the names between colons; empty when there are no more. */
static struct span
next_name(const char **names)
{
	struct span name = span_of(*names, strcspn(*names, ":"));

	*names += name.len;
	if (**names == ':')
		(*names)++;
	return name;
}

static bool
is_listening(int fd)
{
	socklen_t len = sizeof(int);
	int type = 0, accepts = 0;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    type == SOCK_STREAM &&
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &len) == 0 &&
	    accepts != 0;
}

static bool
add(struct passed *passed, int fd, struct span name)
{
	struct passed_one *one = &passed->list[passed->n];

	if (fcntl(fd, F_SETFD, FD_CLOEXEC) == -1 || !is_listening(fd)) {
		log_warn("the descriptor %d that was passed (LISTEN_FDS) is "
		    "no stream socket that listens: it is not used", fd);
		return true;
	}
	one->name = mem_strndup(name.p, name.len);
	if (one->name == NULL)
		return false;
	one->fd = fd;
	passed->n++;
	return true;
}

static bool
read_all(struct passed *passed, size_t n)
{
	const char *names = getenv("LISTEN_FDNAMES");

	if (n == 0)
		return true;
	if (names == NULL)
		names = "";
	passed->list = mem_zalloc(n, sizeof(*passed->list));
	if (passed->list == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!add(passed, FIRST_FD + (int)i, next_name(&names)))
			return false;
	}
	return true;
}

struct passed *
passed_new(void)
{
	struct passed *passed = mem_zalloc(1, sizeof(*passed));

	if (passed != NULL && !read_all(passed, read_count()))
		passed_free(&passed);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return passed;
}

/* A socket's own address, of whatever family. */
union address {
	struct sockaddr		sa;
	struct sockaddr_in	sin;
	struct sockaddr_in6	sin6;
	struct sockaddr_un	sun;
};

static bool
listens_at(int fd, const struct endpoint *ep)
{
	union address at = {.sa = {0}};
	socklen_t len = sizeof(at);
	struct in6_addr ip;

	if (getsockname(fd, &at.sa, &len) == -1)
		return false;
	switch (ep->kind) {
	case ENDPOINT_IPV4:
		return at.sa.sa_family == AF_INET &&
		    at.sin.sin_port == htons(ep->port) &&
		    inet_pton(AF_INET, ep->host, &ip) == 1 &&
		    memcmp(&at.sin.sin_addr, &ip, sizeof(struct in_addr)) == 0;
	case ENDPOINT_IPV6:
		return at.sa.sa_family == AF_INET6 &&
		    at.sin6.sin6_port == htons(ep->port) &&
		    inet_pton(AF_INET6, ep->host, &ip) == 1 &&
		    memcmp(&at.sin6.sin6_addr, &ip, sizeof(ip)) == 0;
	case ENDPOINT_UNIX:
		return at.sa.sa_family == AF_UNIX &&
		    strncmp(at.sun.sun_path, ep->host,
		    sizeof(at.sun.sun_path)) == 0;
	case ENDPOINT_NAME:
		return false;
	}
	NEVER();
}

static struct passed_one *
find(struct passed *passed, const char *name, const struct endpoint *ep)
{
	for (size_t i = 0; i < passed->n && name[0] != '\0'; i++) {
		if (strcmp(passed->list[i].name, name) == 0)
			return &passed->list[i];
	}
	for (size_t i = 0; i < passed->n; i++) {
		if (listens_at(passed->list[i].fd, ep))
			return &passed->list[i];
	}
	return NULL;
}

int
passed_socket(struct passed *passed, const char *name,
    const struct endpoint *ep)
{
	struct passed_one *one = find(passed, name, ep);
	int fd;

	if (one == NULL) {
		errno = ENOENT;
		return -1;
	}
	fd = fcntl(one->fd, F_DUPFD_CLOEXEC, FIRST_FD);
	if (fd != -1 && fcntl(fd, F_SETFL, O_NONBLOCK) == -1) {
		close(fd);
		return -1;
	}
	one->is_used |= fd != -1;
	return fd;
}

void
passed_warn_unused(const struct passed *passed)
{
	for (size_t i = 0; i < passed->n; i++) {
		if (!passed->list[i].is_used)
			log_warn("the socket \"%s\" that was passed "
			    "(LISTEN_FDS) belongs to no listener: whoever "
			    "connects there waits in vain",
			    passed->list[i].name);
	}
}

void
passed_free(struct passed **passedp)
{
	struct passed *passed = *passedp;

	*passedp = NULL;
	if (passed == NULL)
		return;
	for (size_t i = 0; i < passed->n; i++) {
		close(passed->list[i].fd);
		mem_free(passed->list[i].name);
	}
	mem_free(passed->list);
	mem_free(passed);
}
