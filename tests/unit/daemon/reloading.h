/*
 * Reloads by the real stages, in one thread, from a real file in a directory
 * of its own, where the sockets are too.
 */
#ifndef TESTS_RELOADING_H
#define TESTS_RELOADING_H

#include <event2/event.h>
#include <stddef.h>
#include <stdint.h>

#include "case.h"
#include "daemon/reloader.h"

#define RELOADING_PATH_SIZE 128

/* Pools that are in force at the start, and others. */
#define BEFORE "a: {servers: [10.0.0.1:1, 10.0.0.2:1]}"
#define AFTER  "a: {servers: [10.0.0.1:1, 10.0.0.3:1]}, b: {servers: [x:1]}"

/* Between reloading_set_up() and reloading_tear_down(). */
struct reloading {
	char			 dir[RELOADING_PATH_SIZE];
	char			 path[RELOADING_PATH_SIZE];
	struct event_base	*base;
	struct server_registry	*registry;
	struct passed		*passed;
	struct listeners	*listeners;
	struct door		*door;
	struct reloader		*reloader;
	struct table		*committed;	/* at the last commit */
	int			 novers;	/* attempts that are over */
};

extern struct reloading reloading;

/* What must stay as it is when an attempt fails. */
struct reloading_state {
	const struct table	*table;
	const struct table	*staged;
	uint64_t		 generation;
	uint64_t		 membership;
	size_t			 nfds;
	size_t			 nfiles;
	int			 nevents;
};

/* A reloader with a file of BEFORE in force. */
void reloading_set_up(void);

void reloading_tear_down(void);

/* The file's content from now on. */
void reloading_write(const char *text, size_t len);

/* A file of these pools; `more` are lines at the top level. */
void reloading_write_pools(const char *more, const char *pools);

/* One such line: in an hour, and so many milliseconds. Returns `out`. */
const char *reloading_far_away(uint64_t ms, char out[64]);

/* Reloads the file. */
enum reload_result reloading_run(void);

struct reloading_state reloading_state(void);

/* That all is as it was then. */
void reloading_expect(const struct reloading_state *then);

/* Reloads in which each allocation in turn fails, until none does. */
void reloading_fail_each_allocation(enum reload_result wanted);

#endif
