/*
 * Reading from clients: bytes -> commands -> dispatch.
 */
#ifndef PROXY_CLIENT_READ_H
#define PROXY_CLIENT_READ_H

#include "proxy/client.h"

/* Reads what the socket has and carries out the commands in it. */
void client_read(struct client *client);

/* Carries out the commands in the bytes that were kept. */
void client_read_kept(struct client *client);

#endif
