/* The admin listener's socket. */
#include "daemon/door.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "daemon/listen_socket.h"

/* Listens, and serves nobody yet. */
struct socket {
	int			 fd;		/* -1: none */
	struct endpoint		 endpoint;
	struct listen_file	 file;
};

struct door {
	struct admin		*admin;
	struct endpoint		 endpoint;	/* where it is open */
	struct listen_file	 file;
	bool			 is_open;
	struct socket		 fresh;		/* opened by this attempt */
	struct socket		 kept;		/* for a table that waits */
};

struct door *
door_new(struct event_base *base, const struct admin_hooks *hooks)
{
	struct door *door = mem_zalloc(1, sizeof(*door));

	if (door == NULL)
		return NULL;
	door->fresh.fd = door->kept.fd = -1;
	door->admin = admin_new(base, hooks);
	if (door->admin == NULL)
		door_free(&door);
	return door;
}

static bool
is_open_at(const struct door *door, const struct conf_admin *wanted)
{
	return door->is_open && wanted->listen != NULL &&
	    endpoint_eq(&door->endpoint, &wanted->endpoint);
}

static bool
is_kept_at(const struct door *door, const struct conf_admin *wanted)
{
	return door->kept.fd != -1 && wanted->listen != NULL &&
	    endpoint_eq(&door->kept.endpoint, &wanted->endpoint);
}

bool
door_stage(struct door *door, const struct conf *conf,
    struct conf_errors **errors_r)
{
	const struct conf_admin *wanted = &conf->admin;

	if (wanted->listen == NULL || is_open_at(door, wanted) ||
	    is_kept_at(door, wanted))
		return true;
	door->fresh.fd = listen_socket(&wanted->endpoint, wanted->mode,
	    &door->fresh.file);
	door->fresh.endpoint = wanted->endpoint;
	if (door->fresh.fd != -1)
		return true;
	conf_errors_add(errors_r, conf, wanted->place, "admin cannot listen "
	    "on %s: %s", wanted->listen, strerror(errno));
	return false;
}

static bool
is_local(const struct endpoint *ep)
{
	return ep->kind == ENDPOINT_UNIX || endpoint_is_loopback(ep);
}

static void
close_one(struct socket *one)
{
	if (one->fd == -1)
		return;
	listen_remove_file(&one->endpoint, &one->file);
	close(one->fd);
	one->fd = -1;
}

void
door_discard_fresh(struct door *door)
{
	close_one(&door->fresh);
}

void
door_discard(struct door *door)
{
	close_one(&door->kept);
}

void
door_keep(struct door *door, const struct conf *conf)
{
	if (is_kept_at(door, &conf->admin))
		return;
	close_one(&door->kept);
	door->kept = door->fresh;
	door->fresh.fd = -1;
}

static void
open_kept(struct door *door, const struct conf_admin *wanted)
{
	if (!admin_open(door->admin, door->kept.fd, is_local(
	    &wanted->endpoint))) {
		log_error("admin cannot listen on %s: out of memory",
		    wanted->listen);
		close_one(&door->kept);
		return;
	}
	door->kept.fd = -1;
	if (door->is_open)
		listen_remove_file(&door->endpoint, &door->file);
	door->endpoint = wanted->endpoint;
	door->file = door->kept.file;
	door->is_open = true;
	log_info("admin listens on %s", wanted->listen);
	if (!is_local(&wanted->endpoint))
		log_warn("admin listens on %s: whoever reaches it sees keys "
		    "and addresses%s, without a password", wanted->listen,
		    wanted->actions ? " and can reload" : "");
}

/* A commit cannot fail; that somebody removed the socket is his affair. */
static void
apply_mode(const struct conf_admin *wanted)
{
	if (wanted->endpoint.kind == ENDPOINT_UNIX &&
	    chmod(wanted->endpoint.host, wanted->mode) != 0)
		log_error("admin socket %s keeps its mode: %s",
		    wanted->listen, strerror(errno));
}

void
door_commit(struct door *door, const struct conf *conf)
{
	const struct conf_admin *wanted = &conf->admin;

	door_keep(door, conf);
	if (door->kept.fd != -1) {
		open_kept(door, wanted);
	} else if (is_open_at(door, wanted)) {
		apply_mode(wanted);
	} else if (door->is_open) {
		log_info("admin listens nowhere: removed from the "
		    "configuration");
		door_shut(door);
	}
}

void
door_shut(struct door *door)
{
	close_one(&door->kept);
	if (!door->is_open)
		return;
	listen_remove_file(&door->endpoint, &door->file);
	admin_shut(door->admin);
	door->is_open = false;
}

void
door_free(struct door **doorp)
{
	struct door *door = *doorp;

	*doorp = NULL;
	if (door == NULL)
		return;
	door_discard_fresh(door);
	door_shut(door);
	admin_free(&door->admin);
	mem_free(door);
}
