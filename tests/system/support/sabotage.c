/*
 * Calls that fail on demand: preloaded into the daemon, for its main thread
 * alone, so that what fails is the reload and not the service.
 *
 * The file that SABOTAGE names is mapped and shared with the test. When it
 * has set `kind`, the call of that kind that comes after `left` others fails
 * with `error`, once, and `failed` counts it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { NONE, MALLOC, OPEN, SOCKET, BIND, LISTEN };

struct order {
	_Atomic int32_t	kind;
	_Atomic int32_t	left;
	_Atomic int32_t	error;
	_Atomic int32_t	failed;
};

static struct order *order;

/* The C library's own, under names that nobody replaces. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static void __attribute__((constructor))
start(void)
{
	const char *path = getenv("SABOTAGE");
	int fd = path == NULL ? -1 :
	    (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);

	if (fd == -1)
		_exit(70);
	order = mmap(NULL, sizeof(*order), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	close(fd);
	if (order == MAP_FAILED)
		_exit(70);
}

/* Whether this call is the one. */
static int
is_due(enum kind kind)
{
	if (order == NULL || order->kind != kind ||
	    syscall(SYS_gettid) != getpid() ||
	    atomic_fetch_sub(&order->left, 1) != 0)
		return 0;
	order->kind = NONE;
	atomic_fetch_add(&order->failed, 1);
	errno = order->error;
	return 1;
}

void *
malloc(size_t size)
{
	return is_due(MALLOC) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return is_due(MALLOC) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	return is_due(MALLOC) ? NULL : __libc_realloc(p, size);
}

static int
open_any(const char *path, int flags, va_list ap)
{
	int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;

	return is_due(OPEN) ? -1 :
	    (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_any(path, flags, ap);
	va_end(ap);
	return fd;
}

int
open64(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_any(path, flags, ap);
	va_end(ap);
	return fd;
}

int
socket(int domain, int type, int protocol)
{
	return is_due(SOCKET) ? -1 :
	    (int)syscall(SYS_socket, domain, type, protocol);
}

int
bind(int fd, const struct sockaddr *address, socklen_t len)
{
	return is_due(BIND) ? -1 : (int)syscall(SYS_bind, fd, address, len);
}

int
listen(int fd, int backlog)
{
	return is_due(LISTEN) ? -1 : (int)syscall(SYS_listen, fd, backlog);
}
