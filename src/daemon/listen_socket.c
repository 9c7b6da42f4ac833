/* Opening a socket to listen on. */
#include "daemon/listen_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "route/address.h"

#define BACKLOG 1024

static bool
is_socket(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* A socket file that nobody listens on is left from a crash: out it goes. */
static void
remove_stale_socket(const struct sockaddr_storage *ss, socklen_t len,
    const char *path)
{
	int fd;

	if (!is_socket(path))
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

static struct listen_file
file_at(const struct endpoint *ep)
{
	struct listen_file file = {.ino = 0};
	struct stat st;

	if (ep->kind == ENDPOINT_UNIX && lstat(ep->host, &st) == 0)
		file = (struct listen_file){.dev = st.st_dev,
		    .ino = st.st_ino};
	return file;
}

void
listen_remove_file(const struct endpoint *ep, const struct listen_file *file)
{
	struct listen_file present = file_at(ep);

	if (present.ino != 0 && present.ino == file->ino &&
	    present.dev == file->dev)
		unlink(ep->host);
}

int
listen_socket(const struct endpoint *ep, uint32_t mode,
    struct listen_file *file_r)
{
	struct sockaddr_storage ss;
	bool is_unix = ep->kind == ENDPOINT_UNIX;
	int fd, on = 1, error;
	socklen_t len;

	/* The check of the file lets no host name through. */
	MUST(address_of_endpoint(ep, &ss, &len));
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
	    listen(fd, BACKLOG) == 0) {
		*file_r = file_at(ep);
		return fd;
	}
	error = errno;
	close(fd);
	/* "Address in use" is not the word for a file or a directory. */
	if (error == EADDRINUSE && is_unix && !is_socket(ep->host))
		error = EEXIST;
	errno = error;
	return -1;
}
