/*
 * System calls that fail when the test says so: loaded before libc, steered
 * through a file that the test has mapped too.
 *
 * Only what can fail on a real machine does: reads and writes of sockets, but
 * not of the descriptors a process talks to itself by, and allocations of the
 * program's own, but not those of libraries.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* In the order of support/failing.py. */
enum kind { ACCEPT, READ, WRITE, SOCKET, CONNECT, EPOLL, EVENTFD, ALLOC };

#define NKINDS (ALLOC + 1)

/* The mapped file. */
struct control {
	_Atomic uint32_t kinds;		/* which may fail, by bit */
	_Atomic uint32_t one_in;	/* calls on average; 0: see `nth` */
	_Atomic uint64_t nth;		/* the only one to fail, from 1 */
	_Atomic uint64_t random;	/* state */
	_Atomic uint64_t seen[NKINDS];
	_Atomic uint64_t failed[NKINDS];
};

static struct control *control;

/* Where the program itself lies. */
static uintptr_t program_start, program_end;

static int
find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0)
			continue;
		program_start = info->dlpi_addr + p->p_vaddr;
		program_end = program_start + p->p_memsz;
	}
	return 1;	/* the first one is the program */
}

__attribute__((constructor)) static void
set_up(void)
{
	const char *path = getenv("FAILING_CONTROL");
	int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
	void *map;

	if (fd == -1)
		abort();
	map = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		abort();
	dl_iterate_phdr(find_program, NULL);
	control = map;
}

/* The next of Sebastiano Vigna's splitmix64. */
static uint64_t
draw(void)
{
	uint64_t z = atomic_fetch_add(&control->random,
	    UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static bool
is_due(enum kind kind)
{
	uint64_t seen;
	uint32_t one_in;
	bool fails;

	if (control == NULL || (control->kinds & (1u << kind)) == 0)
		return false;
	seen = atomic_fetch_add(&control->seen[kind], 1) + 1;
	one_in = control->one_in;
	fails = one_in == 0 ? seen == control->nth : draw() % one_in == 0;
	if (fails)
		atomic_fetch_add(&control->failed[kind], 1);
	return fails;
}

static bool
is_socket(int fd)
{
	int type, saved = errno;
	socklen_t len = sizeof(type);
	bool is_one = syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type,
	    &len) == 0;

	errno = saved;
	return is_one;
}

static int
fail_with(const int *errors, size_t n)
{
	errno = errors[draw() % n];
	return -1;
}

#define FAIL(...)                                                              \
	fail_with((const int[]){__VA_ARGS__},                                  \
	    sizeof((int[]){__VA_ARGS__}) / sizeof(int))

#define FAIL_READ()  FAIL(ECONNRESET, ETIMEDOUT, EINTR, EAGAIN, EHOSTUNREACH)
#define FAIL_WRITE() FAIL(ECONNRESET, EPIPE, EINTR, EAGAIN, ENOBUFS)

int
accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	if (is_due(ACCEPT))
		return FAIL(EMFILE, ENFILE, ENOMEM, ENOBUFS, ECONNABORTED,
		    EINTR, EPROTO);
	return (int)syscall(SYS_accept4, fd, addr, len, flags);
}

/* Every other failure is a short read or write. */
static size_t
cut(size_t len)
{
	return len > 1 && draw() % 2 == 0 ? 1 + draw() % (len - 1) : 0;
}

ssize_t
read(int fd, void *buf, size_t len)
{
	size_t some;

	if (is_socket(fd) && is_due(READ)) {
		some = cut(len < 64 ? len : 64);
		if (some == 0)
			return FAIL_READ();
		len = some;
	}
	return syscall(SYS_read, fd, buf, len);
}

ssize_t
readv(int fd, const struct iovec *iov, int n)
{
	if (n > 0 && is_socket(fd) && is_due(READ)) {
		if (cut(2) == 0)
			return FAIL_READ();
		return syscall(SYS_readv, fd, iov, 1);
	}
	return syscall(SYS_readv, fd, iov, n);
}

ssize_t
recv(int fd, void *buf, size_t len, int flags)
{
	size_t some;

	if (is_due(READ)) {
		some = cut(len < 64 ? len : 64);
		if (some == 0)
			return FAIL_READ();
		len = some;
	}
	return syscall(SYS_recvfrom, fd, buf, len, flags, NULL, NULL);
}

ssize_t
write(int fd, const void *buf, size_t len)
{
	size_t some;

	if (is_socket(fd) && is_due(WRITE)) {
		some = cut(len);
		if (some == 0)
			return FAIL_WRITE();
		len = some;
	}
	return syscall(SYS_write, fd, buf, len);
}

ssize_t
writev(int fd, const struct iovec *iov, int n)
{
	struct iovec first;

	if (n > 0 && is_socket(fd) && is_due(WRITE)) {
		first = iov[0];
		first.iov_len = cut(first.iov_len);
		if (first.iov_len == 0)
			return FAIL_WRITE();
		return syscall(SYS_writev, fd, &first, 1);
	}
	return syscall(SYS_writev, fd, iov, n);
}

ssize_t
send(int fd, const void *buf, size_t len, int flags)
{
	size_t some;

	if (is_due(WRITE)) {
		some = cut(len);
		if (some == 0)
			return FAIL_WRITE();
		len = some;
	}
	return syscall(SYS_sendto, fd, buf, len, flags, NULL, 0);
}

ssize_t
sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (is_due(WRITE))
		return FAIL_WRITE();
	return syscall(SYS_sendmsg, fd, msg, flags);
}

int
socket(int domain, int type, int protocol)
{
	if (is_due(SOCKET))
		return FAIL(EMFILE, ENFILE, ENOBUFS, ENOMEM);
	return (int)syscall(SYS_socket, domain, type, protocol);
}

int
connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (is_due(CONNECT))
		return FAIL(ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL,
		    ETIMEDOUT, ENOBUFS);
	return (int)syscall(SYS_connect, fd, addr, len);
}

/* Taking one out never fails. */
int
epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	if (op != EPOLL_CTL_DEL && is_due(EPOLL))
		return FAIL(ENOMEM, ENOSPC);
	return (int)syscall(SYS_epoll_ctl, epoll, op, fd, event);
}

int
eventfd(unsigned value, int flags)
{
	if (is_due(EVENTFD))
		return FAIL(EMFILE, ENFILE, ENOMEM, ENODEV);
	return (int)syscall(SYS_eventfd2, value, flags);
}

/* glibc's own, for those who put something before it. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static bool
is_lost(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;

	if (at < program_start || at >= program_end || !is_due(ALLOC))
		return false;
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t size)
{
	return is_lost(__builtin_return_address(0)) ? NULL :
	    __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return is_lost(__builtin_return_address(0)) ? NULL :
	    __libc_calloc(n, size);
}

void *
realloc(void *old, size_t size)
{
	return is_lost(__builtin_return_address(0)) ? NULL :
	    __libc_realloc(old, size);
}
