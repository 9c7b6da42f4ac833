/* Opening a socket to listen on. */
#include "daemon/listen_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 1024

static socklen_t
make_address(const struct endpoint *ep, struct sockaddr_storage *ss)
{
	struct sockaddr_in *sin = (struct sockaddr_in *)ss;
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_un *sun = (struct sockaddr_un *)ss;

	memset(ss, 0, sizeof(*ss));
	switch (ep->kind) {
	case ENDPOINT_IPV4:
		sin->sin_family = AF_INET;
		sin->sin_port = htons(ep->port);
		MUST(inet_pton(AF_INET, ep->host, &sin->sin_addr) == 1);
		return sizeof(*sin);
	case ENDPOINT_IPV6:
		sin6->sin6_family = AF_INET6;
		sin6->sin6_port = htons(ep->port);
		MUST(inet_pton(AF_INET6, ep->host, &sin6->sin6_addr) == 1);
		return sizeof(*sin6);
	case ENDPOINT_UNIX:
		sun->sun_family = AF_UNIX;
		memcpy(sun->sun_path, ep->host, sizeof(sun->sun_path));
		return sizeof(*sun);
	case ENDPOINT_NAME:
		break;
	}
	NEVER();
}

/* A socket file that nobody listens on is left from a crash: out it goes. */
static void
remove_stale_socket(const struct sockaddr_storage *ss, socklen_t len,
    const char *path)
{
	struct stat st;
	int fd;

	if (lstat(path, &st) == -1 || !S_ISSOCK(st.st_mode))
		return;
	/* Not to wait where somebody listens and accepts nobody. */
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return;
	if (connect(fd, (const struct sockaddr *)ss, len) == -1 &&
	    errno == ECONNREFUSED)
		unlink(path);
	close(fd);
}

int
listen_socket(const struct endpoint *ep, uint32_t mode)
{
	struct sockaddr_storage ss;
	socklen_t len = make_address(ep, &ss);
	bool is_unix = ep->kind == ENDPOINT_UNIX;
	int fd, on = 1, error;

	fd = socket(ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0);
	if (fd == -1)
		return -1;
	if (is_unix)
		remove_stale_socket(&ss, len, ep->host);
	else
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (ep->kind == ENDPOINT_IPV6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&ss, len) == 0 &&
	    (!is_unix || mode == 0 || chmod(ep->host, mode) == 0) &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}
