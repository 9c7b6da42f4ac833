/*
 * The connections of the admin listener.
 *
 * evhttp tells nobody when it frees a connection that never sent a whole
 * request. So each visit holds a reference to its bufferevent: that it has no
 * callbacks any more says that evhttp let go of it.
 */
#include "admin/visits.h"

#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "base/mem.h"

/* How often visits that are over are let go. */
#define SWEEP_S 1

struct visit {
	TAILQ_ENTRY(visit)	 next;
	struct bufferevent	*bev;		/* one reference */
	uint64_t		 since_ms;	/* its last request, or begin */
	bool			 is_over;	/* its owner is to hear it */
};

/* In the order of `since_ms`. */
TAILQ_HEAD(visit_list, visit);

struct visits {
	struct event_base	*base;
	struct event		*timer;
	struct visit_list	 list;
	size_t			 n;
};

static bool
is_let_go(const struct visit *visit)
{
	bufferevent_event_cb on_event;

	bufferevent_getcb(visit->bev, NULL, NULL, &on_event, NULL);
	return on_event == NULL;
}

static void
end_visit(struct visits *visits, struct visit *visit)
{
	TAILQ_REMOVE(&visits->list, visit, next);
	visits->n--;
	bufferevent_decref(visit->bev);
	mem_free(visit);
}

static void
sweep(struct visits *visits)
{
	struct visit *visit, *next;

	for (visit = TAILQ_FIRST(&visits->list); visit != NULL; visit = next) {
		next = TAILQ_NEXT(visit, next);
		if (is_let_go(visit))
			end_visit(visits, visit);
	}
}

/* Its owner hears of a time-out, and frees it. */
static void
break_off(struct visit *visit)
{
	visit->is_over = true;
	bufferevent_trigger_event(visit->bev, BEV_EVENT_TIMEOUT |
	    BEV_EVENT_READING, BEV_OPT_DEFER_CALLBACKS);
}

void
visits_expire(struct visits *visits, uint64_t now_ms)
{
	struct visit *visit;

	sweep(visits);
	TAILQ_FOREACH(visit, &visits->list, next) {
		if (now_ms - visit->since_ms < VISITS_LIMIT_MS)
			break;
		if (!visit->is_over)
			break_off(visit);
	}
	if (visits->n == 0)
		event_del(visits->timer);
}

static void
on_timer(evutil_socket_t fd, short events, void *arg)
{
	(void)fd;
	(void)events;
	visits_expire(arg, clock_now_ms());
}

struct visits *
visits_new(struct event_base *base)
{
	struct visits *visits = mem_zalloc(1, sizeof(*visits));

	if (visits == NULL)
		return NULL;
	visits->base = base;
	TAILQ_INIT(&visits->list);
	visits->timer = event_new(base, -1, EV_PERSIST, on_timer, visits);
	if (visits->timer == NULL)
		visits_free(&visits);
	return visits;
}

/* Makes room for one more. */
static void
make_room(struct visits *visits)
{
	struct visit *visit;
	size_t n = 0;

	sweep(visits);
	TAILQ_FOREACH(visit, &visits->list, next)
		n += !visit->is_over;
	if (n < VISITS_MAX)
		return;
	TAILQ_FOREACH(visit, &visits->list, next) {
		if (!visit->is_over)
			break;
	}
	break_off(visit);
}

struct bufferevent *
visits_begin(struct visits *visits)
{
	struct timeval tv = {.tv_sec = SWEEP_S};
	struct visit *visit = mem_zalloc(1, sizeof(*visit));
	struct bufferevent *bev = visit == NULL ? NULL :
	    bufferevent_socket_new(visits->base, -1, BEV_OPT_CLOSE_ON_FREE);

	if (bev == NULL) {
		mem_free(visit);
		return NULL;
	}
	make_room(visits);
	bufferevent_setwatermark(bev, EV_READ, 0, VISITS_INPUT_MAX);
	bufferevent_incref(bev);
	visit->bev = bev;
	visit->since_ms = clock_now_ms();
	TAILQ_INSERT_TAIL(&visits->list, visit, next);
	if (visits->n++ == 0)
		/* Without it, only the next visit sweeps. */
		(void)event_add(visits->timer, &tv);
	return bev;
}

void
visits_note_request(struct visits *visits, struct bufferevent *bev)
{
	struct visit *visit;

	TAILQ_FOREACH(visit, &visits->list, next) {
		if (visit->bev == bev)
			break;
	}
	if (visit == NULL)
		return;
	TAILQ_REMOVE(&visits->list, visit, next);
	visit->since_ms = clock_now_ms();
	TAILQ_INSERT_TAIL(&visits->list, visit, next);
}

size_t
visits_count(const struct visits *visits)
{
	return visits->n;
}

void
visits_free(struct visits **visitsp)
{
	struct visits *visits = *visitsp;
	struct visit *visit;

	*visitsp = NULL;
	if (visits == NULL)
		return;
	while ((visit = TAILQ_FIRST(&visits->list)) != NULL)
		end_visit(visits, visit);
	if (visits->timer != NULL)
		event_free(visits->timer);
	mem_free(visits);
}
