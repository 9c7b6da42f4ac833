/*
 * Sockets to listen on, for clients and for administration.
 */
#ifndef DAEMON_LISTEN_SOCKET_H
#define DAEMON_LISTEN_SOCKET_H

#include <stdint.h>
#include <sys/types.h>

#include "base/endpoint.h"
#include "base/must.h"

/* A unix socket's own file; of any other socket all is 0. */
struct listen_file {
	dev_t	dev;
	ino_t	ino;
};

/*
 * A socket that listens at `ep`, which is no host name; the caller closes it,
 * and removes the file of a unix socket. -1 with errno set. `mode` is for a
 * unix socket's file, 0: as the umask has it. A file left there by a process
 * that is gone is replaced.
 */
int listen_socket(const struct endpoint *ep, uint32_t mode,
    struct listen_file *file_r) MUST_CHECK;

/*
 * Removes the file of a unix socket from `ep`, unless it is another one: then
 * somebody took the file away, and another process may listen there now.
 * Before the socket is closed, or the number of its file could be given anew.
 */
void listen_remove_file(const struct endpoint *ep,
    const struct listen_file *file);

#endif
