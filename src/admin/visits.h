/*
 * Visits: the connections of the admin listener, counted and timed.
 *
 * evhttp ends a connection on which nothing happens; here end those that are
 * kept busy with a byte now and then, and the oldest one when there are too
 * many, so that somebody who needs an answer can always come in. Main thread.
 */
#ifndef ADMIN_VISITS_H
#define ADMIN_VISITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/must.h"

struct bufferevent;
struct event_base;
struct visits;

/* Connections at a time. */
#define VISITS_MAX 64

/* A request, its answer and the pause before them must not take longer. */
#define VISITS_LIMIT_MS 60000

/* Most bytes that are read of a request: more than any one may have. */
#define VISITS_INPUT_MAX (64u << 10)

/* NULL without memory. */
struct visits *visits_new(struct event_base *base) MUST_CHECK;

/*
 * A bufferevent for a connection that was just accepted, which the caller
 * owns; or NULL without memory. A visit has begun with it, and ends with it.
 */
struct bufferevent *visits_begin(struct visits *visits) MUST_CHECK;

/* A whole request came on `bev`: its time begins anew. */
void visits_note_request(struct visits *visits, struct bufferevent *bev);

/*
 * Lets go of visits that are over, and ends those that have taken too long.
 * Once a second this happens by itself; it is here for tests.
 */
void visits_expire(struct visits *visits, uint64_t now_ms);

/* How many there are. */
size_t visits_count(const struct visits *visits);

/* After the last connection was freed by its owner. */
void visits_free(struct visits **visits);

#endif
