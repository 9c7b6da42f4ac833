/*
 * Inboxes: how other threads talk to a worker. What they put in, the worker
 * takes out at the end of a turn, and an eventfd wakes it to do so.
 */
#ifndef PROXY_INBOX_H
#define PROXY_INBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/must.h"

struct doorway;
struct table;

/* An accepted socket, and the way it came. */
struct arrival {
	int		 fd;
	struct doorway	*doorway;
};

struct mail {
	struct arrival	*arrivals;	/* mem_free() after the last one */
	size_t		 narrivals;
	size_t		 room;
	struct table	*table;		/* newer, one reference, or NULL */
	bool		 is_stop;	/* answer what is under way and end */
};

struct inbox {
	pthread_mutex_t	 mtx;		/* guards the mail */
	struct mail	 mail;
	int		 wake_fd;	/* eventfd: readable when awake */
};

/* False without descriptors; inbox_fini() is due all the same. */
bool inbox_init(struct inbox *inbox) MUST_CHECK;

/* Closes and lets go of what nobody took. */
void inbox_fini(struct inbox *inbox);

/* Takes the socket, also on failure. False without memory. Any thread. */
bool inbox_put_client(struct inbox *inbox, const struct arrival *arrival)
    MUST_CHECK;

/* Takes one reference, in place of a table not taken yet. Any thread. */
void inbox_put_table(struct inbox *inbox, struct table *table);

/* Asks the worker to end. Any thread. */
void inbox_put_stop(struct inbox *inbox);

/* Only wakes the worker. Any thread. */
void inbox_wake(struct inbox *inbox);

/*
 * Hears that it was woken; false if it was not. The worker's thread; it takes
 * the mail out later, at the end of the turn.
 */
bool inbox_is_woken(struct inbox *inbox);

/* Takes all mail out, and what is in it. The worker's thread. */
void inbox_take(struct inbox *inbox, struct mail *mail_r);

#endif
