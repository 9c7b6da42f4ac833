/* Waiting by a timerfd, which follows a wall clock that is set. */
#include "daemon/activation.h"

#include <event2/event.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

struct activation {
	int		 fd;
	struct event	*event;
	uint64_t	 unix_ms;	/* 0: waits for nothing */
	void		(*on_time)(void *arg);
	void		*arg;
};

static void
set_timer(const struct activation *activation)
{
	uint64_t ms = activation->unix_ms;
	struct itimerspec spec = {.it_value = {
		.tv_sec = (time_t)(ms / 1000),
		.tv_nsec = (long)(ms % 1000) * 1000000,
	}};

	MUST(timerfd_settime(activation->fd, TFD_TIMER_ABSTIME, &spec,
	    NULL) == 0);
}

static void
on_expiry(evutil_socket_t fd, short events, void *arg)
{
	struct activation *activation = arg;
	uint64_t n;

	(void)events;
	if (read(fd, &n, sizeof(n)) != (ssize_t)sizeof(n) ||
	    activation->unix_ms == 0)
		return;
	if (clock_wall_ms() < activation->unix_ms) {
		/* The clock was set back just after it had come. */
		set_timer(activation);
		return;
	}
	activation->unix_ms = 0;
	activation->on_time(activation->arg);
}

struct activation *
activation_new(struct event_base *base, void (*on_time)(void *arg), void *arg)
{
	struct activation *activation = mem_zalloc(1, sizeof(*activation));

	if (activation == NULL)
		return NULL;
	activation->on_time = on_time;
	activation->arg = arg;
	activation->fd = timerfd_create(CLOCK_REALTIME,
	    TFD_NONBLOCK | TFD_CLOEXEC);
	if (activation->fd != -1)
		activation->event = event_new(base, activation->fd,
		    EV_READ | EV_PERSIST, on_expiry, activation);
	if (activation->event == NULL ||
	    event_add(activation->event, NULL) != 0)
		activation_free(&activation);
	return activation;
}

void
activation_set(struct activation *activation, uint64_t unix_ms)
{
	activation->unix_ms = unix_ms;
	set_timer(activation);
}

void
activation_free(struct activation **activationp)
{
	struct activation *activation = *activationp;

	*activationp = NULL;
	if (activation == NULL)
		return;
	if (activation->event != NULL)
		event_free(activation->event);
	if (activation->fd != -1)
		close(activation->fd);
	mem_free(activation);
}
