/*
 * Sockets to listen on, for clients and for administration.
 */
#ifndef DAEMON_LISTEN_SOCKET_H
#define DAEMON_LISTEN_SOCKET_H

#include <stdint.h>

#include "base/endpoint.h"
#include "base/must.h"

/*
 * A socket that listens at `ep`, which is no host name; the caller closes it,
 * and removes the file of a unix socket. -1 with errno set. `mode` is for a
 * unix socket's file, 0: as the umask has it. A file left there by a process
 * that is gone is replaced.
 */
int listen_socket(const struct endpoint *ep, uint32_t mode) MUST_CHECK;

#endif
