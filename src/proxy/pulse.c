/* Whether the workers' loops turn. */
#include "proxy/pulse.h"

#include <event2/event.h>

#include "base/clock.h"
#include "base/mem.h"

#define INTERVAL_S 1

/* When a worker was woken, and how often it had turned by then. */
struct beat {
	uint64_t	turns;
	uint64_t	woken_ms;
};

struct pulse {
	struct event		*timer;
	struct stats		*stats;		/* these two are lent */
	struct worker *const	*workers;
	size_t			 n;
	struct beat		*beats;
};

static uint64_t
turns_of(const struct pulse *pulse, size_t i)
{
	return atomic_load_explicit(
	    &stats_cell(pulse->stats, i)->counters[STATS_TURNS],
	    memory_order_relaxed);
}

void
pulse_take(struct pulse *pulse, uint64_t now_ms)
{
	for (size_t i = 0; i < pulse->n; i++) {
		struct beat *beat = &pulse->beats[i];
		uint64_t turns = turns_of(pulse, i);

		/* One that still owes its turn keeps owing since then. */
		if (turns == beat->turns && beat->woken_ms != 0)
			continue;
		*beat = (struct beat){turns, now_ms};
		worker_wake(pulse->workers[i]);
	}
}

static void
on_timer(evutil_socket_t fd, short events, void *arg)
{
	(void)fd;
	(void)events;
	pulse_take(arg, clock_now_ms());
}

struct pulse *
pulse_new(struct event_base *base, struct stats *stats,
    struct worker *const *workers, size_t n)
{
	struct timeval tv = {.tv_sec = INTERVAL_S};
	struct pulse *pulse = mem_zalloc(1, sizeof(*pulse));

	if (pulse == NULL)
		return NULL;
	pulse->stats = stats;
	pulse->workers = workers;
	pulse->n = n;
	pulse->beats = mem_zalloc(n, sizeof(*pulse->beats));
	pulse->timer = event_new(base, -1, EV_PERSIST, on_timer, pulse);
	if (pulse->beats == NULL || pulse->timer == NULL ||
	    event_add(pulse->timer, &tv) != 0)
		pulse_free(&pulse);
	else
		pulse_take(pulse, clock_now_ms());
	return pulse;
}

uint64_t
pulse_silent_ms(const struct pulse *pulse, size_t i, uint64_t now_ms)
{
	const struct beat *beat = &pulse->beats[i];

	return turns_of(pulse, i) == beat->turns ? now_ms - beat->woken_ms : 0;
}

bool
pulse_is_good(const struct pulse *pulse, uint64_t now_ms)
{
	for (size_t i = 0; i < pulse->n; i++) {
		if (pulse_silent_ms(pulse, i, now_ms) >= PULSE_LIMIT_MS)
			return false;
	}
	return true;
}

void
pulse_free(struct pulse **pulsep)
{
	struct pulse *pulse = *pulsep;

	*pulsep = NULL;
	if (pulse == NULL)
		return;
	if (pulse->timer != NULL)
		event_free(pulse->timer);
	mem_free(pulse->beats);
	mem_free(pulse);
}
