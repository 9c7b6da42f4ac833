/*
 * Timers that tell a pause from a slow peer.
 *
 * After the process, or its host, stood still, time has passed in which peers
 * said what is not read yet. So a timer that comes late must not believe the
 * clock at once: what is there is read first. Not twice in a row, for a loop
 * whose turns are long is late each time.
 */
#ifndef BASE_DUE_H
#define BASE_DUE_H

#include <stdbool.h>
#include <stdint.h>

/* So late tells of a pause. */
#define DUE_LATE_MS 100

struct due {
	uint64_t	at_ms;		/* when it was to come; 0: unknown */
	bool		was_late;	/* the last time */
};

/* Whether a timer that comes at `now_ms` tells of a pause. */
static inline bool
due_is_late(struct due *due, uint64_t now_ms)
{
	due->was_late = !due->was_late && due->at_ms != 0 &&
	    now_ms > due->at_ms + DUE_LATE_MS;
	return due->was_late;
}

#endif
