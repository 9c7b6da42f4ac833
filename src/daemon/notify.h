/*
 * What the service manager is told: systemd's notification protocol, spoken
 * by datagrams to the socket that NOTIFY_SOCKET names. See sd_notify(3) for
 * the words; without such a socket all of this does nothing.
 *
 * Main thread. What cannot be sent is dropped: the service goes on.
 */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/must.h"
#include "route/reload_record.h"
#include "route/table.h"

struct event;
struct event_base;

struct notify {				/* embedded */
	int			 fd;		/* -1: nobody listens */
	struct sockaddr_un	 address;
	socklen_t		 address_len;
	uint64_t		 watchdog_us;	/* 0: not wanted */
	struct event		*watchdog;
	bool			(*is_alive)(void *arg);
	void			*arg;
};

/*
 * Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, and takes them out of
 * the environment.
 */
void notify_init(struct notify *notify);

void notify_fini(struct notify *notify);

/*
 * Sends a sign of life at half the time that the manager allows, whenever
 * `is_alive` says so. Nothing if it wants none; false without memory.
 */
bool notify_watch(struct notify *notify, struct event_base *base,
    bool (*is_alive)(void *arg), void *arg) MUST_CHECK;

/*
 * The start is over, and `table` in force: for the line that `systemctl
 * status` shows.
 */
void notify_serving(const struct notify *notify, const struct table *table);

/* A reload is over, whatever came of it. */
void notify_reloaded(const struct notify *notify,
    const struct reload_record *record);

/* A reload begins. The one above must follow. */
void notify_reloading(const struct notify *notify);

/* The end has begun. */
void notify_stopping(const struct notify *notify, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

/* Nothing has begun or ended, but this is how it stands. */
void notify_status(const struct notify *notify, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

#endif
