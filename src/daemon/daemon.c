/*
 * The main thread: starts and stops the others, reacts to signals, commits
 * reloads, probes and resolves. Clients are served by the workers alone.
 */
#include "daemon/daemon.h"

#include <event2/event.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/door.h"
#include "daemon/drain.h"
#include "daemon/listener.h"
#include "daemon/logging.h"
#include "daemon/notify.h"
#include "daemon/os_limits.h"
#include "daemon/passed.h"
#include "daemon/prober.h"
#include "daemon/reload_figures.h"
#include "daemon/reload_log.h"
#include "daemon/reloader.h"
#include "daemon/resolver.h"
#include "daemon/signals.h"
#include "daemon/totals.h"
#include "daemon/watch.h"
#include "proxy/hotkeys.h"
#include "proxy/pulse.h"
#include "proxy/worker.h"
#include "version.h"

struct daemon {				/* the main thread's */
	const char		*path;
	struct event_base	*base;
	struct budget		 budget;	/* shared with the workers */
	struct proxy		 proxy;		/* shared with the workers */
	struct server_registry	*registry;
	struct reloader		*reloader;
	struct table		*table;		/* in force, the reloader's */
	struct listeners	*listeners;
	struct prober		*prober;
	struct resolver		*resolver;
	struct totals		*totals;
	struct watch		*watch;
	struct pulse		*pulse;
	struct door		*door;
	struct drain		*drain;
	struct worker		**workers;
	size_t			 nworkers;
	struct event		*signal_event;
	struct event		*alarm_event;
	struct event		*adopted_event;
	time_t			 started_at;	/* since 1970 */
	struct notify		 notify;
	struct passed		*passed;
};

/* Tells everyone of the table, which is in force from here on. */
static void
commit(void *arg, struct table *table)
{
	struct daemon *d = arg;
	const struct limits *limits = &table->limits;

	os_limits_meet(table, d->nworkers);
	atomic_store_explicit(&d->budget.limit, limits->memory,
	    memory_order_relaxed);
	atomic_store_explicit(&d->proxy.max_clients, limits->clients,
	    memory_order_relaxed);
	table_apply_policies(table, clock_now_ms());
	hotkeys_hide(d->proxy.hotkeys, table->insight.keys_hidden);
	logging_apply(d->table == NULL ? NULL : d->table->conf, table->conf);
	d->table = table;
	for (size_t i = 0; i < d->nworkers; i++)
		worker_give_table(d->workers[i], table_ref(table));
	prober_set_table(d->prober, table);
	resolver_set_table(d->resolver, table);
	totals_set_table(d->totals, table);
	watch_set_interval(d->watch, table->conf->reload_watch_ms);
	listeners_commit(d->listeners, table->conf);
	door_commit(d->door, table->conf);
}

/* An attempt is over: for the figures, and for the service manager. */
static void
over(void *arg, const struct reload_record *record)
{
	struct daemon *d = arg;

	if (record->trigger == RELOAD_BY_START)
		return;
	reload_figures_update(&d->proxy.reload, stats_cell(d->proxy.stats,
	    d->nworkers), record, reloader_staged(d->reloader));
	notify_reloaded(&d->notify, record);
}

static const struct reload_record *
reload(struct daemon *d, enum reload_trigger trigger)
{
	const struct reload_record *record;

	notify_reloading(&d->notify);
	watch_note(d->watch);
	record = reloader_run(d->reloader, trigger);
	/* Nobody knows what was there: whatever comes is news. */
	if (record->result == RELOAD_UNREADABLE)
		watch_forget(d->watch);
	return record;
}

static void
on_change(void *arg)
{
	reload(arg, RELOAD_BY_WATCH);
}

static void
stop_workers(struct daemon *d)
{
	for (size_t i = 0; i < d->nworkers; i++)
		worker_stop(d->workers[i]);
}

static void
finish_drain(void *arg)
{
	struct daemon *d = arg;

	listeners_close(d->listeners);
	stop_workers(d);
	event_base_loopbreak(d->base);
}

/* Keeps serving until nobody needs it any more, or the time is up. */
static void
drain(struct daemon *d)
{
	uint64_t timeout_ms = d->table->conf->shutdown_timeout_ms;

	notify_stopping(&d->notify, "draining: serving until the last client "
	    "leaves, for up to %llu ms", (unsigned long long)timeout_ms);
	drain_start(d->drain, timeout_ms);
}

static void
exit_at_once(struct daemon *d, int number)
{
	log_info("exiting at once: signal=%d", number);
	notify_stopping(&d->notify, "exiting at once");
	listeners_close(d->listeners);
	door_shut(d->door);
	_exit(EX_OK);
}

static void
on_signal_number(struct daemon *d, int number)
{
	switch (number) {
	case SIGTERM:
		if (drain_is_on(d->drain))
			exit_at_once(d, number);
		drain(d);
		return;
	case SIGINT:
	case SIGQUIT:
		exit_at_once(d, number);
		return;
	case SIGHUP:
		reload(d, RELOAD_BY_SIGNAL);
		return;
	case SIGCHLD:
		signals_reap();
		return;
	default:
		logging_on_signal(d->table->conf, number);
		return;
	}
}

static void
on_signal(evutil_socket_t fd, short events, void *arg)
{
	int number, hangups = 0;

	(void)fd;
	(void)events;
	/* Several hang-ups ask for one reload, of what the file says now. */
	while ((number = signals_next()) != 0) {
		if (number == SIGHUP)
			hangups++;
		else
			on_signal_number(arg, number);
	}
	if (hangups > 0)
		on_signal_number(arg, SIGHUP);
}

static void
on_alarm(evutil_socket_t fd, short events, void *arg)
{
	struct daemon *d = arg;
	uint64_t n;

	(void)events;
	if (read(fd, &n, sizeof(n)) != (ssize_t)sizeof(n))
		return;
	if (n % ALARM_MEMORY != 0) {
		prober_wake(d->prober);
		resolver_wake(d->resolver);
	}
	/* Those that have no turns of their own shed, and let go, as well. */
	for (size_t i = 0; i < d->nworkers; i++)
		worker_wake(d->workers[i]);
}

static void
on_adopted(evutil_socket_t fd, short events, void *arg)
{
	struct daemon *d = arg;
	uint64_t n;

	(void)events;
	if (read(fd, &n, sizeof(n)) == (ssize_t)sizeof(n))
		reloader_sweep(d->reloader);
}

static void
on_probe_failure(void *arg)
{
	struct daemon *d = arg;

	resolver_wake(d->resolver);
}

static bool
add_events(struct daemon *d)
{
	d->signal_event = event_new(d->base, signals_fd(),
	    EV_READ | EV_PERSIST, on_signal, d);
	d->alarm_event = event_new(d->base, d->proxy.alarm_fd,
	    EV_READ | EV_PERSIST, on_alarm, d);
	d->adopted_event = event_new(d->base, d->proxy.adopted_fd,
	    EV_READ | EV_PERSIST, on_adopted, d);
	return d->signal_event != NULL && d->alarm_event != NULL &&
	    d->adopted_event != NULL &&
	    event_add(d->signal_event, NULL) == 0 &&
	    event_add(d->alarm_event, NULL) == 0 &&
	    event_add(d->adopted_event, NULL) == 0;
}

static void
look(void *arg, struct admin_view *view_r)
{
	const struct daemon *d = arg;

	*view_r = (struct admin_view){
		.table = d->table,
		.proxy = &d->proxy,
		.doorways = listeners_doorways(d->listeners),
		.pulse = d->pulse,
		.reloads = reloader_history(d->reloader),
		.staged = reloader_staged(d->reloader),
		.now_ms = clock_now_ms(),
		.started_at = d->started_at,
		.is_draining = drain_is_on(d->drain),
	};
}

static enum admin_reload
reload_for_admin(void *arg, struct evbuffer *words)
{
	struct daemon *d = arg;
	const struct reload_record *record = reload(d, RELOAD_BY_ADMIN);

	reload_say(words, record, d->table);
	return reload_is_success(record->result) ? ADMIN_RELOAD_DONE :
	    ADMIN_RELOAD_REFUSED;
}

static enum admin_reload
plan_for_admin(void *arg, struct evbuffer *words)
{
	const struct daemon *d = arg;

	return reloader_dry_run(d->reloader, words) ? ADMIN_RELOAD_DONE :
	    ADMIN_RELOAD_REFUSED;
}

/* What needs no configuration. */
static bool
init(struct daemon *d)
{
	struct event_config *config = event_config_new();

	if (config == NULL)
		return false;
	event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
	d->base = event_base_new_with_config(config);
	event_config_free(config);
	d->registry = server_registry_new();
	d->proxy.budget = &d->budget;
	d->proxy.start_ms = clock_now_ms();
	d->started_at = time(NULL);
	d->proxy.alarm_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->proxy.adopted_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->base == NULL || d->registry == NULL ||
	    d->proxy.alarm_fd == -1 || d->proxy.adopted_fd == -1)
		return false;
	d->passed = passed_new();
	d->prober = prober_new(d->base, on_probe_failure, d);
	d->resolver = resolver_new(d->base);
	d->totals = totals_new(d->base, &d->proxy.backend_totals);
	d->watch = watch_new(d->base, d->path, on_change, d);
	d->drain = drain_new(d->base, &d->proxy, finish_drain, d);
	d->door = door_new(d->base, &(struct admin_hooks){look,
	    reload_for_admin, plan_for_admin, d});
	return d->passed != NULL && d->door != NULL && d->prober != NULL &&
	    d->resolver != NULL && d->totals != NULL && d->watch != NULL &&
	    d->drain != NULL && add_events(d);
}

/* The workers' cells come first; the last one is the main thread's. */
static bool
make_workers(struct daemon *d, struct table *table)
{
	size_t n = table->conf->workers;

	d->proxy.nworkers = n;
	d->proxy.stats = stats_new(n + 1);
	d->proxy.hotkeys = hotkeys_new(n);
	d->workers = mem_zalloc(n, sizeof(*d->workers));
	if (d->proxy.stats == NULL || d->proxy.hotkeys == NULL ||
	    d->workers == NULL)
		return false;
	/* libc's allocator is first asked here, by one thread. */
	mem_give_back();
	for (size_t i = 0; i < n; i++) {
		d->workers[i] = worker_new(&d->proxy, i, table);
		if (d->workers[i] == NULL)
			return false;
		d->nworkers = i + 1;
		if (!worker_start(d->workers[i]))
			return false;
	}
	return true;
}

static int
no_resources(void)
{
	log_error("cannot start: out of memory, threads or descriptors");
	return EX_OSERR;
}

/* That this is asked at all says that the main loop turns. */
static bool
is_alive(void *arg)
{
	const struct daemon *d = arg;

	return pulse_is_good(d->pulse, clock_now_ms());
}

static bool
make_reloader(struct daemon *d)
{
	d->listeners = listeners_new(d->base, d->passed);
	if (d->listeners == NULL)
		return false;
	d->reloader = reloader_new(&(struct reloader_parts){
	    .path = d->path,
	    .base = d->base,
	    .registry = d->registry,
	    .listeners = d->listeners,
	    .door = d->door,
	    .commit = commit,
	    .over = over,
	    .arg = d,
	});
	return d->reloader != NULL;
}

static void
appoint_crew(struct daemon *d)
{
	listeners_set_crew(d->listeners, &(struct crew){
	    .proxy = &d->proxy,
	    .stats = stats_cell(d->proxy.stats, d->nworkers),
	    .workers = d->workers,
	    .nworkers = d->nworkers,
	});
}

/*
 * The listeners need to know the workers, and those the table: so they are
 * told of both before they accept anybody.
 */
static int
start(struct daemon *d)
{
	const struct reload_record *record;
	struct table *table;

	if (!make_reloader(d))
		return no_resources();
	watch_note(d->watch);
	table = reloader_prepare_first(d->reloader, &record);
	if (table == NULL) {
		notify_status(&d->notify, "cannot start: %s",
		    conf_errors_line(record->errors, 0));
		return reload_exit_status(record->result);
	}
	atomic_store_explicit(&d->budget.limit, table->limits.memory,
	    memory_order_relaxed);
	if (!make_workers(d, table))
		return no_resources();
	appoint_crew(d);
	d->pulse = pulse_new(d->base, d->proxy.stats, d->workers,
	    d->nworkers);
	if (d->pulse == NULL)
		return no_resources();
	reloader_commit_first(d->reloader);
	reload_figures_start(&d->proxy.reload, clock_wall_ms() / 1000);
	log_info("ready: fairlead " FAIRLEAD_VERSION " pid=%d workers=%zu "
	    "pools=%zu servers=%zu membership=%016llx", (int)getpid(),
	    d->nworkers, d->table->npools, d->table->nservers,
	    (unsigned long long)d->table->membership);
	watch_warn_if_fixed(d->path);
	passed_warn_unused(d->passed);
	if (!notify_watch(&d->notify, d->base, is_alive, d))
		return no_resources();
	notify_serving(&d->notify, d->table);
	return EX_OK;
}

static void
free_events(struct daemon *d)
{
	if (d->signal_event != NULL)
		event_free(d->signal_event);
	if (d->alarm_event != NULL)
		event_free(d->alarm_event);
	if (d->adopted_event != NULL)
		event_free(d->adopted_event);
	drain_free(&d->drain);
}

/* The resolver's end turns the loop once: by then nobody else may hear it. */
static void
fini(struct daemon *d)
{
	free_events(d);
	notify_fini(&d->notify);
	if (d->listeners != NULL)
		listeners_close(d->listeners);
	pulse_free(&d->pulse);
	stop_workers(d);
	for (size_t i = 0; i < d->nworkers; i++)
		worker_free(&d->workers[i]);
	mem_free(d->workers);
	listeners_free(&d->listeners);
	passed_free(&d->passed);
	door_free(&d->door);
	watch_free(&d->watch);
	prober_free(&d->prober);
	totals_free(&d->totals);
	reloader_free(&d->reloader);
	resolver_free(&d->resolver);
	server_registry_free(&d->registry);
	stats_free(&d->proxy.stats);
	hotkeys_free(&d->proxy.hotkeys);
	if (d->proxy.alarm_fd != -1)
		close(d->proxy.alarm_fd);
	if (d->proxy.adopted_fd != -1)
		close(d->proxy.adopted_fd);
	if (d->base != NULL)
		event_base_free(d->base);
	libevent_global_shutdown();
}

int
daemon_run(const char *path)
{
	struct daemon d = {.path = path, .proxy = {.alarm_fd = -1,
	    .adopted_fd = -1}};
	int status;

	notify_init(&d.notify);
	status = init(&d) ? start(&d) : no_resources();
	if (status == EX_OK)
		event_base_dispatch(d.base);
	fini(&d);
	return status;
}
