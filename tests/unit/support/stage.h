/*
 * A whole worker on a stage: clients on one side, servers on the other, all
 * in one thread, at a time that the test sets. Nothing waits and nothing
 * runs unless the test turns it.
 *
 *	actors[i] <-socketpair-> the worker <-unix socket-> houses[i].seats[j]
 *
 * For tests and fuzzers alike: what must not happen ends the program.
 */
#ifndef TESTS_STAGE_H
#define TESTS_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/block.h"
#include "base/span.h"
#include "bytes.h"
#include "cache.h"
#include "proxy/doorway.h"
#include "proxy/env.h"
#include "proxy/worker.h"
#include "route/table.h"

#define STAGE_ACTORS  8
#define STAGE_HOUSES  4
#define STAGE_SEATS   8

/* A client. */
struct actor {
	int		 fd;		/* -1: gone */
	bool		 is_shut;	/* says no more, still listens */
	bool		 is_deaf;	/* reads nothing */
	bool		 is_hung_up_on;	/* the proxy closed it */
	struct bytes	 out;		/* on its way to the proxy */
	struct bytes	 got;		/* not looked at yet */
};

/* One connection that a server accepted. */
struct seat {
	int		 fd;		/* -1: gone */
	struct bytes	 asked;		/* requests not taken yet */
	struct bytes	 out;		/* on its way to the proxy */
};

/* A server. */
struct house {
	int		 listen_fd;	/* -1: refuses connections */
	bool		 is_honest;	/* answers every request, at once */
	bool		 is_deaf;	/* reads nothing */
	struct cache	*cache;
	struct seat	 seats[STAGE_SEATS];
	size_t		 nseats;	/* accepted ever */
};

struct stage {
	char			 dir[64];
	char			 listen[96];	/* as the table has it */
	struct doorway		 doorway;	/* of that listener */
	size_t			 nhouses;
	struct house		 houses[STAGE_HOUSES];
	struct actor		 actors[STAGE_ACTORS];
	struct server_registry	*registry;
	struct table		*table;
	struct budget		 budget;
	struct proxy		 proxy;
	struct worker		*worker;
	uint64_t		 now_ms;
	uint64_t		 moved;		/* bytes, connections: ever */
	char			 buf[65536];	/* what reads go into */
};

/*
 * Servers listening at unix:${STAGE}/0, 1, ... and the table of `conf`, whose
 * listener is unix:${STAGE}/in. No worker yet.
 */
struct stage *stage_new(size_t nhouses, const char *conf);

/* After stage_end(). */
void stage_free(struct stage **stage);

/* A new worker, all servers empty, honest, up and healthy; no clients. */
void stage_begin(struct stage *stage);

/*
 * Everybody leaves and the worker ends. All memory must be given back, and
 * no request be owed.
 */
void stage_end(struct stage *stage);

/* Another table, from the text of its configuration. */
void stage_reload(struct stage *stage, const char *conf);

/* A client comes; there is none at `i`. */
void stage_enter(struct stage *stage, size_t i);

/* It leaves, reset by what it has not read. */
void stage_leave(struct stage *stage, size_t i);

/* It says no more. */
void stage_shut(struct stage *stage, size_t i);

/* The client says `bytes`; they leave with the next turns. */
void stage_say(struct stage *stage, size_t i, struct span bytes);

/* All connections of the server break. */
void stage_break(struct stage *stage, size_t house);

/* It refuses connections, or takes them again. */
void stage_set_open(struct stage *stage, size_t house, bool is_open);

/* The newest connection of the server, or NULL. */
struct seat *stage_seat(struct stage *stage, size_t house);

/* The server says `bytes` on its newest connection, if it has one. */
void stage_reply(struct stage *stage, size_t house, struct span bytes);

/* The server takes what it was asked and answers it, honest or not. */
void stage_answer(struct stage *stage, size_t house);

/* No server is thought to be down. */
void stage_heal(struct stage *stage);

/* One turn: of the worker, then of everybody else. */
void stage_turn(struct stage *stage);

/* Turns until nothing moves any more. */
void stage_settle(struct stage *stage);

/* Time passes; then as stage_settle(). */
void stage_pass(struct stage *stage, uint64_t ms);

#endif
