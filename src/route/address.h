/* Socket addresses: what an endpoint is to the system. */
#ifndef ROUTE_ADDRESS_H
#define ROUTE_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/endpoint.h"
#include "base/must.h"

/*
 * The socket address of `ep`, and its length. False for a host name, which
 * has none before it is resolved. Any thread.
 */
bool address_of_endpoint(const struct endpoint *ep,
    struct sockaddr_storage *ss_r, socklen_t *len_r) MUST_CHECK;

#endif
