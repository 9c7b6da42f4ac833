/*
 * What the connections of one worker share: its loop, its buffers, the table
 * it routes by, and the work that waits for the end of the turn.
 *
 * A turn of the loop reads all that is ready and queues bytes; its end writes
 * each connection that has some ("dirty") once, and frees what died.
 */
#ifndef PROXY_ENV_H
#define PROXY_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/chain.h"
#include "base/clock.h"
#include "base/log.h"
#include "proto/verb.h"
#include "route/table.h"
#include "stats/backend_totals.h"
#include "stats/stats.h"

struct client;
struct conn;
struct event_base;
struct hotkeys;
struct hotkeys_part;
struct txn;
struct upstream;

TAILQ_HEAD(conn_list, conn);
TAILQ_HEAD(client_list, client);
TAILQ_HEAD(upstream_list, upstream);
TAILQ_HEAD(txn_list, txn);

/* What is added to the alarm: what happened is read from the sum. */
#define ALARM_BREAKER UINT64_C(1)		/* a breaker opened */
#define ALARM_MEMORY  (UINT64_C(1) << 32)	/* other workers must shed */

/* How reloads stand, for `stats`. The main thread writes, any reads. */
struct reload_gauges {
	_Atomic uint64_t	last_success_s;	/* Unix time */
	_Atomic bool		is_last_ok;
	_Atomic uint64_t	activate_at_s;	/* of a staged table, or 0 */
};

/* What all workers share. Set before they start, then read only. */
struct proxy {
	struct stats	*stats;
	struct budget	*budget;
	struct hotkeys	*hotkeys;
	uint64_t	 start_ms;
	/* An eventfd that wakes the main thread: of ALARM_... above. */
	int		 alarm_fd;
	/* Written to tell the main thread that a table was let go. */
	int		 adopted_fd;
	struct reload_gauges reload;
	struct backend_totals backend_totals;
	/* Clients connected to all workers, and how many may be. */
	_Atomic uint64_t nclients;
	_Atomic uint64_t max_clients;
	/* How often a server went down, by any worker. */
	_Atomic uint64_t noutages;
	/* The number of worker threads. */
	size_t		 nworkers;
};

/* A dead object waits in the worker's graveyard until the turn is over. */
struct grave {
	SLIST_ENTRY(grave)	 next;
	void			*body;	/* what mem_free() takes */
};

SLIST_HEAD(graveyard, grave);

/* What went alike in a row, and is not counted yet: see tally.h. */
struct run {			/* worker-local */
	uint64_t	of;		/* what they have in common */
	uint64_t	n;
};

struct env {			/* worker-local */
	struct event_base	*base;
	struct proxy		*proxy;		/* lent */
	struct stats_cell	*stats;		/* lent */
	size_t			 index;		/* among the workers */
	struct table		*table;		/* one reference */
	struct chain_pool	 pool;
	struct block		*read_block;	/* for all reads, or NULL */
	struct block		*body_block;	/* for those of long bodies */
	struct upstream		**upstreams;	/* by the id of their server */
	struct upstream_list	 all_upstreams;
	struct upstream_list	 busy_upstreams;	/* owed replies */
	struct client_list	 clients;
	struct client_list	 waiting;	/* with input kept, may go on */
	struct conn_list	 dirty_clients;
	struct conn_list	 dirty_upstreams;
	struct graveyard	 graves;
	struct txn_list		 free_txns;
	size_t			 nfree_txns;
	size_t			 nready;	/* events of this turn */
	size_t			 nread;		/* bytes of the last read */
	unsigned		 idle_looks;	/* in a row */
	uint32_t		 nserved;	/* connected ever */
	uint64_t		 now_us;	/* 0: not read this turn */
	struct hotkeys_part	*hotkeys;	/* lent */
	uint32_t		 hotkeys_gap;	/* requests until one counts */
	uint64_t		 ncommands;	/* counted before this turn */
	/* Of one verb, begun at one time: */
	struct run		 answered;
	enum verb		 answered_verb;
	uint32_t		 random;	/* state of env_random() */
	uint32_t		*scratch;	/* by server, for multi-gets */
	uint64_t		 memory_alarm_ms;	/* the last one */
	uint64_t		 noutages;	/* when it looked last */
	struct log_gate		 gate;		/* of lines about peers, */
	struct log_gate		 health_gate;	/* about servers' health, */
	struct log_gate		 slow_gate;	/* about slow requests */
	uint64_t		 slow_us;	/* what is one; SLOW_NEVER */
	bool			 is_stopping;
};

/* The time of this turn, read once. */
static inline uint64_t
env_now_us(struct env *env)
{
	if (env->now_us == 0)
		env->now_us = clock_now_us();
	return env->now_us;
}

/* The same in milliseconds. */
static inline uint64_t
env_now_ms(struct env *env)
{
	return env_now_us(env) / 1000;
}

/* A cheap random number, for jitter. */
uint32_t env_random(struct env *env);

/* Whether a gate of the log held lines back that nobody was told of. */
static inline bool
env_holds_lines(const struct env *env)
{
	return env->gate.dropped > 0 || env->health_gate.dropped > 0 ||
	    env->slow_gate.dropped > 0;
}

/* Tells how many, where it is time, even if none of the kind comes again. */
void env_tell_held_lines(struct env *env);

/* Wakes the main thread for one of ALARM_.... */
void env_alarm(struct env *env, uint64_t what);

/* Takes `body`, whose first use of memory is `grave`, to be freed later. */
void env_bury(struct env *env, struct grave *grave, void *body);

/* Frees the dead. At the end of a turn only. */
void env_clear_graves(struct env *env);

#endif
