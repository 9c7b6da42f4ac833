/*
 * The worker's thread: its loop and its turns.
 *
 *	turn:  epoll -> callbacks (read, parse, dispatch, settle)
 *	       -> under load, again what became ready meanwhile
 *	       -> resume clients that had to wait
 *	       -> flush each dirty upstream once -> each dirty client once
 *	       -> inbox: new clients, a newer table -> free the dead
 */
#include "proxy/worker.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <pthread.h>
#include <signal.h>

#include "base/due.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/client.h"
#include "proxy/hotkeys.h"
#include "proxy/idle.h"
#include "proxy/inbox.h"
#include "proxy/shed.h"
#include "proxy/slow.h"
#include "proxy/turn.h"
#include "proxy/txn.h"
#include "proxy/upstream.h"

/* How often overdue requests are looked for, while any is under way. */
#define TICK_MS 20

/* How often memory that nobody used lately goes back to the system. */
#define TRIM_S 2

/* How long a stop waits for replies that are under way. */
#define STOP_GRACE_MS 1000

struct worker {
	struct env	 env;		/* the thread's */
	struct inbox	 inbox;		/* shared */
	pthread_t	 thread;
	uint64_t	 ngiven;	/* the main thread's: clients, ever */
	bool		 is_started;	/* the main thread's */
	bool		 has_mail;	/* the thread's: look at the inbox */
	uint64_t	 stop_at_ms;	/* the thread's: 0, or end by then */
	struct due	 tick;		/* the thread's, as is the next */
	struct due	 idle;
	struct event	 wake_event;
	struct event	 tick_event;
	struct event	 trim_event;
	struct event	 idle_event;
};

static void
on_wake(evutil_socket_t fd, short events, void *arg)
{
	struct worker *worker = arg;

	(void)fd;
	(void)events;
	if (inbox_is_woken(&worker->inbox))
		worker->has_mail = true;
}

static void
expire_requests(struct env *env)
{
	struct upstream *up, *next;
	uint64_t now_ms = env_now_ms(env);

	for (up = TAILQ_FIRST(&env->busy_upstreams); up != NULL; up = next) {
		next = TAILQ_NEXT(up, busy_next);
		upstream_expire(up, now_ms);
	}
}

static void
on_tick(evutil_socket_t fd, short events, void *arg)
{
	struct worker *worker = arg;

	(void)fd;
	(void)events;
	/* After a pause they have until the next time, as clients below. */
	if (!due_is_late(&worker->tick, env_now_ms(&worker->env)))
		expire_requests(&worker->env);
	env_tell_held_lines(&worker->env);
}

static void
on_trim(evutil_socket_t fd, short events, void *arg)
{
	struct worker *worker = arg;

	(void)fd;
	(void)events;
	if (worker->env.body_block != NULL)
		block_unref(&worker->env.body_block);
	chain_pool_trim(&worker->env.pool);
	txn_free_spare(&worker->env);
	mem_give_back();
}

static void
on_idle(evutil_socket_t fd, short events, void *arg)
{
	struct worker *worker = arg;

	(void)fd;
	(void)events;
	if (!due_is_late(&worker->idle, env_now_ms(&worker->env)))
		idle_close_clients(&worker->env);
}

static void
set_threshold(struct env *env)
{
	uint64_t slow_us = env->table->insight.slow_us;

	env->slow_us = slow_us == 0 ? SLOW_NEVER : slow_us;
}

static bool
env_init(struct env *env, struct proxy *proxy, size_t index)
{
	struct event_config *config = event_config_new();

	env->proxy = proxy;
	env->stats = stats_cell(proxy->stats, index);
	env->index = index;
	env->hotkeys = hotkeys_part(proxy->hotkeys, index);
	env->hotkeys_gap = 1;
	env->random = 2463534242u + (uint32_t)index * 2654435761u;
	TAILQ_INIT(&env->all_upstreams);
	TAILQ_INIT(&env->busy_upstreams);
	TAILQ_INIT(&env->clients);
	TAILQ_INIT(&env->waiting);
	TAILQ_INIT(&env->dirty_clients);
	TAILQ_INIT(&env->dirty_upstreams);
	TAILQ_INIT(&env->free_txns);
	SLIST_INIT(&env->graves);
	chain_pool_init(&env->pool, proxy->budget);
	if (config == NULL)
		return false;
	event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
	env->base = event_base_new_with_config(config);
	event_config_free(config);
	env->upstreams = mem_zalloc(SERVER_IDS_MAX, sizeof(*env->upstreams));
	env->scratch = mem_alloc(SERVER_IDS_MAX * sizeof(*env->scratch));
	if (env->base == NULL || env->upstreams == NULL ||
	    env->scratch == NULL)
		return false;
	for (size_t i = 0; i < SERVER_IDS_MAX; i++)
		env->scratch[i] = UINT32_MAX;
	return true;
}

static void
env_fini(struct env *env)
{
	if (env->read_block != NULL)
		block_unref(&env->read_block);
	if (env->body_block != NULL)
		block_unref(&env->body_block);
	txn_free_spare(env);
	chain_pool_fini(&env->pool);
	table_unref(&env->table);
	mem_free(env->upstreams);
	mem_free(env->scratch);
	if (env->base != NULL)
		event_base_free(env->base);
}

struct worker *
worker_new(struct proxy *proxy, size_t index, struct table *table)
{
	struct worker *worker = mem_zalloc(1, sizeof(*worker));
	struct env *env;
	bool has_inbox;

	if (worker == NULL)
		return NULL;
	env = &worker->env;
	/* Both, whatever fails, so that both can be ended. */
	has_inbox = inbox_init(&worker->inbox);
	if (!env_init(env, proxy, index) || !has_inbox) {
		worker_free(&worker);
		return NULL;
	}
	env->table = table_ref(table);
	set_threshold(env);
	event_assign(&worker->wake_event, env->base, worker->inbox.wake_fd,
	    EV_READ | EV_PERSIST, on_wake, worker);
	event_assign(&worker->tick_event, env->base, -1, 0, on_tick, worker);
	event_assign(&worker->trim_event, env->base, -1, 0, on_trim, worker);
	event_assign(&worker->idle_event, env->base, -1, 0, on_idle, worker);
	if (event_add(&worker->wake_event, NULL) != 0)
		worker_free(&worker);
	return worker;
}

/* Which servers are kept, and what is said of them, by the new table. */
static void
revise_upstream(struct env *env, struct upstream *up)
{
	const struct table_entry *entry = &env->table->by_id[up->server->id];

	if (entry->server != up->server ||
	    up->index >= entry->pool->policy.server_connections)
		upstream_retire(up);
	else
		upstream_configure(up, &entry->pool->policy);
}

static void
adopt_table(struct worker *worker, struct table *table)
{
	struct env *env = &worker->env;
	struct upstream *up, *next;
	uint64_t one = 1;

	table_unref(&env->table);
	env->table = table;
	set_threshold(env);
	/* Now, and from here on as often as the new table has it. */
	event_del(&worker->idle_event);
	idle_close_clients(env);
	/* The counter never gets full; and what fails is only done later. */
	if (write(env->proxy->adopted_fd, &one, sizeof(one)) < 0)
		log_debug("worker %zu could not tell that it has a new table",
		    env->index);
	for (up = TAILQ_FIRST(&env->all_upstreams); up != NULL; up = next) {
		next = TAILQ_NEXT(up, all_next);
		revise_upstream(env, up);
	}
}

static void
begin_stop(struct worker *worker)
{
	struct env *env = &worker->env;
	struct client *client, *next;

	if (worker->stop_at_ms != 0)
		return;
	worker->stop_at_ms = env_now_ms(env) + STOP_GRACE_MS;
	for (client = TAILQ_FIRST(&env->clients); client != NULL;
	    client = next) {
		next = TAILQ_NEXT(client, all_next);
		client_finish(client, REASON_SHUTDOWN);
	}
}

static void
welcome(struct env *env, const struct arrival *arrival)
{
	if (client_start(env, arrival->fd, arrival->doorway))
		return;
	doorway_leave(arrival->doorway, env->proxy);
	stats_bump(env->stats, STATS_NO_MEMORY);
	stats_bump(env->stats, STATS_CLIENTS_OPENED);
	stats_bump(env->stats, STATS_CLIENTS_CLOSED);
	log_warn("client refused: out of memory listener=%s",
	    arrival->doorway->listen);
}

static void
read_mail(struct worker *worker)
{
	struct mail mail;

	worker->has_mail = false;
	inbox_take(&worker->inbox, &mail);
	if (mail.table != NULL)
		adopt_table(worker, mail.table);
	upstream_leave_outdated(&worker->env);
	for (size_t i = 0; i < mail.narrivals; i++)
		welcome(&worker->env, &mail.arrivals[i]);
	mem_free(mail.arrivals);
	if (mail.is_stop)
		begin_stop(worker);
}

static void
arm(struct event *event, uint64_t ms)
{
	struct timeval tv = {.tv_sec = (time_t)(ms / 1000),
	    .tv_usec = (suseconds_t)(ms % 1000 * 1000)};

	if (!event_pending(event, EV_TIMEOUT, NULL) && event_add(event, &tv))
		log_error("a timer could not be set: out of memory");
}

static void
arm_due(struct env *env, struct event *event, struct due *due, uint64_t ms)
{
	if (event_pending(event, EV_TIMEOUT, NULL))
		return;
	due->at_ms = env_now_ms(env) + ms;
	arm(event, ms);
}

static void
count_turn(struct env *env)
{
	uint64_t ncommands = stats_get(env->stats, STATS_COMMANDS);

	stats_bump(env->stats, STATS_TURNS);
	if (ncommands != env->ncommands)
		stats_note(env->stats, STATS_TURN_COMMANDS,
		    ncommands - env->ncommands);
	env->ncommands = ncommands;
}

static void
end_turn(struct worker *worker)
{
	struct env *env = &worker->env;

	turn_resume(env);
	turn_flush(env);
	if (worker->has_mail)
		read_mail(worker);
	/* What the mail made dirty must not wait for the next event. */
	turn_flush(env);
	shed_slow_clients(env);
	env_clear_graves(env);
	if (!TAILQ_EMPTY(&env->busy_upstreams) || worker->stop_at_ms != 0 ||
	    env_holds_lines(env))
		arm_due(env, &worker->tick_event, &worker->tick, TICK_MS);
	if (chain_pool_has_spare(&env->pool) || env->body_block != NULL)
		arm(&worker->trim_event, TRIM_S * 1000);
	if (idle_interval_ms(env) != 0)
		arm_due(env, &worker->idle_event, &worker->idle,
		    idle_interval_ms(env));
	count_turn(env);
}

static bool
is_over(struct worker *worker)
{
	struct env *env = &worker->env;

	if (worker->stop_at_ms == 0)
		return false;
	return TAILQ_EMPTY(&env->clients) ||
	    env_now_ms(env) >= worker->stop_at_ms;
}

static void
close_all(struct env *env)
{
	while (!TAILQ_EMPTY(&env->clients))
		client_close(TAILQ_FIRST(&env->clients), REASON_SHUTDOWN);
	while (!TAILQ_EMPTY(&env->all_upstreams))
		upstream_destroy(TAILQ_FIRST(&env->all_upstreams));
	env_clear_graves(env);
}

/* What is ready, or is waited for; then what follows from it. */
static void
take_turn(struct worker *worker, bool may_wait)
{
	struct env *env = &worker->env;

	env->nready = 0;
	event_base_loop(env->base, EVLOOP_ONCE |
	    (may_wait && TAILQ_EMPTY(&env->waiting) ? 0 : EVLOOP_NONBLOCK));
	turn_gather(env);
	end_turn(worker);
}

static void *
worker_main(void *arg)
{
	struct worker *worker = arg;
	struct env *env = &worker->env;

	while (!is_over(worker)) {
		env->now_us = 0;
		take_turn(worker, true);
	}
	close_all(env);
	return NULL;
}

bool
worker_turn(struct worker *worker, uint64_t now_ms)
{
	struct env *env = &worker->env;

	MUST(!worker->is_started);
	env->now_us = now_ms * 1000;
	expire_requests(env);
	idle_close_clients(env);
	take_turn(worker, false);
	return !is_over(worker);
}

bool
worker_start(struct worker *worker)
{
	sigset_t all, before;

	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	worker->is_started = pthread_create(&worker->thread, NULL,
	    worker_main, worker) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return worker->is_started;
}

bool
worker_give_client(struct worker *worker, int fd, struct doorway *doorway)
{
	if (!inbox_put_client(&worker->inbox,
	    &(struct arrival){fd, doorway}))
		return false;
	worker->ngiven++;
	return true;
}

uint64_t
worker_clients(const struct worker *worker)
{
	return worker->ngiven -
	    stats_get(worker->env.stats, STATS_CLIENTS_CLOSED);
}

void
worker_give_table(struct worker *worker, struct table *table)
{
	inbox_put_table(&worker->inbox, table);
}

void
worker_wake(struct worker *worker)
{
	inbox_wake(&worker->inbox);
}

void
worker_stop(struct worker *worker)
{
	inbox_put_stop(&worker->inbox);
}

void
worker_free(struct worker **workerp)
{
	struct worker *worker = *workerp;

	*workerp = NULL;
	if (worker == NULL)
		return;
	if (worker->is_started)
		pthread_join(worker->thread, NULL);
	else
		close_all(&worker->env);
	inbox_fini(&worker->inbox);
	env_fini(&worker->env);
	mem_free(worker);
}
