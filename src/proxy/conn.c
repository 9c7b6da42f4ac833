/* Sockets and their bytes. */
#include "proxy/conn.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* A read block with less room than this is replaced. */
#define READ_ROOM_MIN 16384
#define BODY_ROOM_MIN 65536

/* Kept bytes are read on into a block with at least this much room. */
#define KEPT_ROOM_MIN 2048

/* Pieces that one writev is given. */
#define FLUSH_IOV_MAX 64

void
conn_init(struct conn *conn, struct env *env, struct conn_list *dirty_list)
{
	*conn = (struct conn){.env = env, .fd = -1, .dirty_list = dirty_list};
	chain_init(&conn->out);
}

void
conn_open(struct conn *conn, int fd, event_callback_fn callback, void *owner)
{
	MUST(conn->fd == -1);
	conn->fd = fd;
	conn->wanted = 0;
	event_assign(&conn->event, conn->env->base, fd, 0, callback, owner);
}

void
conn_close(struct conn *conn)
{
	if (conn->is_dirty) {
		TAILQ_REMOVE(conn->dirty_list, conn, dirty_next);
		conn->is_dirty = false;
	}
	chain_clear(&conn->out, &conn->env->pool);
	conn_close_socket(conn);
}

void
conn_close_socket(struct conn *conn)
{
	if (conn->kept != NULL)
		block_unref(&conn->kept);
	if (conn->fd == -1)
		return;
	event_del(&conn->event);
	close(conn->fd);
	conn->fd = -1;
	conn->wanted = 0;
}

bool
conn_want(struct conn *conn, short events)
{
	if (conn->wanted == events)
		return true;
	event_del(&conn->event);
	conn->wanted = 0;
	if (events == 0)
		return true;
	event_assign(&conn->event, conn->env->base, conn->fd,
	    (short)(events | EV_PERSIST), event_get_callback(&conn->event),
	    event_get_callback_arg(&conn->event));
	if (event_add(&conn->event, NULL) != 0)
		return false;
	conn->wanted = events;
	return true;
}

/* Whether `*blockp` can be read into; if not it is let go of. */
static bool
has_room(struct block **blockp, size_t wanted)
{
	struct block *block = *blockp;

	if (block != NULL && block->refs == 1)
		block->used = 0;
	if (block != NULL && block_room(block) >= wanted)
		return true;
	if (block != NULL)
		block_unref(blockp);
	return false;
}

/* A block with room to read into, shared by all connections of a worker. */
static struct block *
read_block(struct env *env)
{
	/* One a worker; without it, nothing at all would go on. */
	if (!has_room(&env->read_block, READ_ROOM_MIN))
		env->read_block = block_new_past(&env->pool.blocks,
		    BLOCK_LARGE);
	return env->read_block;
}

/* The same for a long body; or NULL, without memory. */
static struct block *
body_block(struct env *env)
{
	if (!has_room(&env->body_block, BODY_ROOM_MIN))
		env->body_block = block_new(&env->pool.blocks, BLOCK_HUGE);
	return env->body_block;
}

/* The block for a read of which `due` bytes at least are to come. */
static struct block *
block_for(struct env *env, uint64_t due)
{
	struct block *block = NULL;

	if (due > BLOCK_LARGE_SIZE && !budget_is_tight(env->pool.blocks.budget))
		block = body_block(env);
	return block != NULL ? block : read_block(env);
}

/* Makes room behind the kept bytes: in place if they are ours alone. */
static bool
make_room(struct conn *conn)
{
	struct block *kept = conn->kept, *bigger;
	size_t len = kept->used - conn->kept_from;

	if (block_room(kept) >= KEPT_ROOM_MIN)
		return true;
	if (kept->refs == 1 && kept->cap - len >= KEPT_ROOM_MIN &&
	    conn->kept_from >= len) {
		memcpy(kept->data, kept->data + conn->kept_from, len);
	} else {
		bigger = block_new_sized(&conn->env->pool.blocks,
		    2 * len + KEPT_ROOM_MIN);
		if (bigger == NULL)
			return false;
		memcpy(bigger->data, kept->data + conn->kept_from, len);
		block_unref(&conn->kept);
		conn->kept = kept = bigger;
	}
	kept->used = len;
	conn->kept_from = 0;
	return true;
}

enum conn_io
conn_read(struct conn *conn, uint64_t due, struct block **block_r,
    struct span *bytes_r)
{
	struct block *block = conn->kept;
	size_t from;
	ssize_t n;

	if (block == NULL)
		block = block_for(conn->env, due);
	else if (!make_room(conn))
		return CONN_IO_NO_MEMORY;
	else
		block = conn->kept;
	if (block == NULL)
		return CONN_IO_NO_MEMORY;
	from = conn->kept == NULL ? block->used : conn->kept_from;
	do {
		n = recv(conn->fd, block->data + block->used,
		    block_room(block), 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? CONN_IO_AGAIN : CONN_IO_BROKEN;
	if (n == 0)
		return CONN_IO_EOF;
	conn->env->nread = (size_t)n;
	block->used += (size_t)n;
	*block_r = block;
	*bytes_r = span_of(block->data + from, block->used - from);
	return CONN_IO_OK;
}

bool
conn_kept(struct conn *conn, struct block **block_r, struct span *bytes_r)
{
	if (conn->kept == NULL)
		return false;
	*block_r = conn->kept;
	*bytes_r = span_of(conn->kept->data + conn->kept_from,
	    conn->kept->used - conn->kept_from);
	return true;
}

bool
conn_keep(struct conn *conn, struct block *block, struct span rest)
{
	struct block *own;

	if (rest.len == 0) {
		if (conn->kept != NULL)
			block_unref(&conn->kept);
		return true;
	}
	if (block == conn->kept) {
		conn->kept_from = (size_t)(rest.p - block->data);
		return true;
	}
	MUST(conn->kept == NULL);
	own = block_new_sized(&conn->env->pool.blocks,
	    rest.len + KEPT_ROOM_MIN);
	if (own == NULL)
		return false;
	memcpy(own->data, rest.p, rest.len);
	own->used = rest.len;
	conn->kept = own;
	conn->kept_from = 0;
	return true;
}

void
conn_dirty(struct conn *conn)
{
	if (conn->is_dirty)
		return;
	conn->is_dirty = true;
	TAILQ_INSERT_TAIL(conn->dirty_list, conn, dirty_next);
}

/* One piece, the usual case, spares the kernel a copy of the list. */
static ssize_t
put(int fd, const struct iovec *iov, int niov)
{
	if (niov == 1)
		return send(fd, iov->iov_base, iov->iov_len, MSG_NOSIGNAL);
	return writev(fd, iov, niov);
}

enum conn_io
conn_flush(struct conn *conn, size_t *written_r)
{
	struct iovec iov[FLUSH_IOV_MAX];
	size_t asked;
	ssize_t n;
	int niov;

	while (conn->out.len > 0) {
		niov = chain_iov(&conn->out, iov, FLUSH_IOV_MAX);
		asked = 0;
		for (int i = 0; i < niov; i++)
			asked += iov[i].iov_len;
		do {
			n = put(conn->fd, iov, niov);
		} while (n < 0 && errno == EINTR);
		if (n < 0)
			return errno == EAGAIN ? CONN_IO_AGAIN :
			    CONN_IO_BROKEN;
		chain_drop(&conn->out, (size_t)n, &conn->env->pool);
		*written_r += (size_t)n;
		/* A short write: the socket is full, no need to ask again. */
		if ((size_t)n < asked)
			return CONN_IO_AGAIN;
	}
	return CONN_IO_OK;
}
