/*
 * Connections: one socket, the bytes kept unread from it, and the bytes on
 * their way to it. Clients and upstreams embed one; it knows neither.
 *
 *	socket -> conn_read -> [kept | new bytes] -> the owner's parser
 *	the owner -> out -> (end of the turn) conn_flush -> socket
 */
#ifndef PROXY_CONN_H
#define PROXY_CONN_H

#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "base/chain.h"
#include "base/must.h"
#include "proxy/env.h"

enum conn_io {
	CONN_IO_OK,
	CONN_IO_AGAIN,		/* the socket is not ready for more */
	CONN_IO_EOF,
	CONN_IO_BROKEN,		/* errno says why */
	CONN_IO_NO_MEMORY,
};

struct conn {			/* worker-local */
	struct env		*env;		/* lent, outlives us */
	int			 fd;		/* -1: none */
	short			 wanted;	/* events registered now */
	bool			 is_dirty;
	struct conn_list	*dirty_list;	/* where it goes when dirty */
	TAILQ_ENTRY(conn)	 dirty_next;
	struct event		 event;
	struct chain		 out;
	struct block		*kept;		/* bytes read and not taken */
	size_t			 kept_from;	/* where they begin in it */
};

/* An empty connection without a socket. */
void conn_init(struct conn *conn, struct env *env,
    struct conn_list *dirty_list);

/*
 * Gives it a non-blocking socket, which it takes, and the owner's callback.
 * No event is wanted yet.
 */
void conn_open(struct conn *conn, int fd, event_callback_fn callback,
    void *owner);

/* Closes the socket and drops all bytes; it can be opened again. */
void conn_close(struct conn *conn);

/* Closes the socket, but keeps what is to be written, for another one. */
void conn_close_socket(struct conn *conn);

/* Asks for EV_READ, EV_WRITE, both or none. False without memory. */
bool conn_want(struct conn *conn, short events) MUST_CHECK;

/*
 * Reads once, and more at once where `due` bytes of a body must still come.
 * On CONN_IO_OK `bytes_r` are all bytes not taken yet, old ones first; they
 * lie in `block_r` and are lent until the next read of any
 * connection of this worker. The owner says with conn_keep() what it left.
 */
enum conn_io conn_read(struct conn *conn, uint64_t due,
    struct block **block_r, struct span *bytes_r) MUST_CHECK;

/* The kept bytes again, as conn_read() would lend them. */
bool conn_kept(struct conn *conn, struct block **block_r,
    struct span *bytes_r) MUST_CHECK;

/*
 * Keeps what the owner did not take: the end of the bytes lent, perhaps
 * nothing. False without memory.
 */
bool conn_keep(struct conn *conn, struct block *block, struct span rest)
    MUST_CHECK;

/* Notes that there is something to write at the end of the turn. */
void conn_dirty(struct conn *conn);

/*
 * Writes what the socket takes; adds the number of bytes to `written_r`.
 * CONN_IO_OK: all is written.
 */
enum conn_io conn_flush(struct conn *conn, size_t *written_r) MUST_CHECK;

#endif
