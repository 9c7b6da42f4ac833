/* Telling the service manager. */
#include "daemon/notify.h"

#include <errno.h>
#include <event2/event.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/span.h"

/* Longer texts are cut. */
#define MESSAGE_MAX 1024

/* However short the manager's patience is, the loop has other things to do. */
#define WATCHDOG_MIN_US 2000

static bool
read_address(struct notify *notify, const char *path)
{
	struct sockaddr_un *address = &notify->address;
	size_t len = strlen(path);

	if ((path[0] != '/' && path[0] != '@') || path[1] == '\0' ||
	    len >= sizeof(address->sun_path)) {
		log_warn("NOTIFY_SOCKET=%s is neither a path nor an abstract "
		    "socket: nobody is notified", path);
		return false;
	}
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path, path, len);
	/* An abstract name begins with NUL, and has no other at its end. */
	if (path[0] == '@')
		address->sun_path[0] = '\0';
	notify->address_len = (socklen_t)(offsetof(struct sockaddr_un,
	    sun_path) + len);
	return true;
}

/* The watchdog's time, if it is for this process. */
static uint64_t
read_watchdog(void)
{
	const char *usec = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	uint64_t us, n;

	if (usec == NULL || !num_parse_u64(span_str(usec), &us))
		return 0;
	if (pid != NULL && (!num_parse_u64(span_str(pid), &n) ||
	    n != (uint64_t)getpid()))
		return 0;
	return us > 0 && us < WATCHDOG_MIN_US ? WATCHDOG_MIN_US : us;
}

void
notify_init(struct notify *notify)
{
	const char *path = getenv("NOTIFY_SOCKET");

	*notify = (struct notify){.fd = -1};
	if (path != NULL && read_address(notify, path)) {
		notify->watchdog_us = read_watchdog();
		notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	}
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void
notify_fini(struct notify *notify)
{
	if (notify->watchdog != NULL)
		event_free(notify->watchdog);
	if (notify->fd != -1)
		close(notify->fd);
}

static void
send_text(const struct notify *notify, const char *text)
{
	if (sendto(notify->fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
	    (const struct sockaddr *)&notify->address,
	    notify->address_len) < 0)
		log_debug("the service manager was not notified: %s",
		    strerror(errno));
}

/* `what`, then the status: one line, whatever was put into it. */
static void
send_status(const struct notify *notify, const char *what, const char *fmt,
    va_list ap)
{
	char text[MESSAGE_MAX];
	int len;

	if (notify->fd == -1)
		return;
	len = snprintf(text, sizeof(text), "%sSTATUS=", what);
	vsnprintf(text + len, sizeof(text) - (size_t)len, fmt, ap);
	for (char *p = text + len; *p != '\0'; p++) {
		if (*p == '\n')
			*p = ' ';
	}
	send_text(notify, text);
}

static void
send_ready(const struct notify *notify, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

static void
send_ready(const struct notify *notify, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	send_status(notify, "READY=1\n", fmt, ap);
	va_end(ap);
}

void
notify_serving(const struct notify *notify, const struct table *table)
{
	send_ready(notify, "serving: generation %llu, %zu pools, %zu servers",
	    (unsigned long long)table->generation, table->npools,
	    table->nservers);
}

void
notify_reloaded(const struct notify *notify,
    const struct reload_record *record)
{
	char text[RELOAD_SUMMARY_MAX];

	reload_summary(record, text);
	/* What came into force at its time was no reload for the manager. */
	if (record->trigger == RELOAD_BY_ACTIVATE_AT)
		notify_status(notify, "%s", text);
	else
		send_ready(notify, "%s", text);
}

void
notify_stopping(const struct notify *notify, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	send_status(notify, "STOPPING=1\n", fmt, ap);
	va_end(ap);
}

void
notify_status(const struct notify *notify, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	send_status(notify, "", fmt, ap);
	va_end(ap);
}

void
notify_reloading(const struct notify *notify)
{
	char text[MESSAGE_MAX];

	if (notify->fd == -1)
		return;
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%llu",
	    (unsigned long long)clock_now_us());
	send_text(notify, text);
}

static void
on_watchdog(evutil_socket_t fd, short events, void *arg)
{
	struct notify *notify = arg;

	(void)fd;
	(void)events;
	if (notify->is_alive(notify->arg))
		send_text(notify, "WATCHDOG=1");
}

bool
notify_watch(struct notify *notify, struct event_base *base,
    bool (*is_alive)(void *arg), void *arg)
{
	uint64_t us = notify->watchdog_us / 2;
	struct timeval tv = {.tv_sec = (time_t)(us / 1000000),
	    .tv_usec = (suseconds_t)(us % 1000000)};

	if (notify->fd == -1 || us == 0)
		return true;
	notify->is_alive = is_alive;
	notify->arg = arg;
	notify->watchdog = event_new(base, -1, EV_PERSIST, on_watchdog,
	    notify);
	return notify->watchdog != NULL &&
	    event_add(notify->watchdog, &tv) == 0;
}
