/* The proxy's statistics in memcached's form. */
#include "proxy/local_stats.h"

#include <event2/event.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "proto/answer.h"
#include "proxy/local.h"
#include "proxy/local_stats_conns.h"
#include "proxy/local_stats_own.h"
#include "proxy/stats_page.h"
#include "proxy/tally.h"
#include "proxy/target.h"
#include "version.h"

static void
add_process(struct stats_page *page, struct env *env)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	stats_page_number(page, "pid", (uint64_t)getpid());
	stats_page_number(page, "uptime",
	    (env_now_ms(env) - env->proxy->start_ms) / 1000);
	stats_page_number(page, "time", clock_wall_ms() / 1000);
	stats_page_line(page, "STAT version %s\r\n", LOCAL_MEMCACHED_VERSION);
	stats_page_line(page, "STAT fairlead_version %s\r\n", FAIRLEAD_VERSION);
	stats_page_line(page, "STAT libevent %s\r\n", event_get_version());
	stats_page_number(page, "pointer_size", 8 * sizeof(void *));
	stats_page_line(page, "STAT rusage_user %ld.%06ld\r\n",
	    (long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec);
	stats_page_line(page, "STAT rusage_system %ld.%06ld\r\n",
	    (long)usage.ru_stime.tv_sec, (long)usage.ru_stime.tv_usec);
}

static uint64_t
sum(const struct env *env, enum stats_counter counter)
{
	return stats_sum(env->proxy->stats, counter);
}

static void
add_connections(struct stats_page *page, struct env *env)
{
	uint64_t nclients = atomic_load_explicit(&env->proxy->nclients,
	    memory_order_relaxed);

	stats_page_number(page, "max_connections", env->table->limits.clients);
	stats_page_number(page, "curr_connections", nclients);
	stats_page_number(page, "connection_structures", nclients);
	stats_page_number(page, "total_connections",
	    sum(env, STATS_CLIENTS_OPENED));
	stats_page_number(page, "rejected_connections",
	    sum(env, STATS_CLIENTS_REFUSED));
	stats_page_number(page, "threads", env->proxy->nworkers);
	stats_page_number(page, "accepting_conns", 1);
	stats_page_number(page, "listen_disabled_num", 0);
}

/* memcached's name for what one of our counters counts. */
struct field {
	const char		*name;
	enum stats_counter	 counter;
};

static const struct field fields[] = {
	{"cmd_get", STATS_CMD_GET},
	{"cmd_set", STATS_CMD_SET},
	{"cmd_flush", STATS_CMD_FLUSH},
	{"cmd_touch", STATS_CMD_TOUCH},
	{"cmd_meta", STATS_CMD_META},
	{"get_hits", STATS_GET_HITS},
	{"get_misses", STATS_GET_MISSES},
	{"delete_hits", STATS_DELETE_HITS},
	{"delete_misses", STATS_DELETE_MISSES},
	{"incr_hits", STATS_INCR_HITS},
	{"incr_misses", STATS_INCR_MISSES},
	{"decr_hits", STATS_DECR_HITS},
	{"decr_misses", STATS_DECR_MISSES},
	{"cas_hits", STATS_CAS_HITS},
	{"cas_misses", STATS_CAS_MISSES},
	{"cas_badval", STATS_CAS_BADVAL},
	{"touch_hits", STATS_TOUCH_HITS},
	{"touch_misses", STATS_TOUCH_MISSES},
	{"auth_cmds", STATS_LOGINS},
	{"bytes_read", STATS_CLIENT_BYTES_READ},
	{"bytes_written", STATS_CLIENT_BYTES_WRITTEN},
};

/* What never happens here; monitors want to see the names all the same. */
static const char *const never[] = {"auth_errors", "conn_yields"};

/* What only servers know, as they told the main thread. */
static void
add_backend_totals(struct stats_page *page, const struct env *env)
{
	for (int i = 0; i < BACKEND_NTOTALS; i++) {
		enum backend_total which = (enum backend_total)i;

		stats_page_number(page, backend_total_name(which),
		    backend_totals_get(&env->proxy->backend_totals, which));
	}
}

static uint64_t
sum_servers(const struct table *table, enum server_counter counter)
{
	uint64_t n = 0;

	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];

		for (size_t j = 0; j < pool->nservers; j++)
			n += server_stats_count(&pool->servers[j]->stats,
			    counter);
	}
	return n;
}

/* How often any of the servers there are now was found to be down. */
static uint64_t
sum_openings(const struct table *table)
{
	uint64_t n = 0;

	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];

		for (size_t j = 0; j < pool->nservers; j++)
			n += health_count(&pool->servers[j]->health,
			    HEALTH_OPENINGS);
	}
	return n;
}

/*
 * Under memcached's own names for its built-in proxy, where they mean the
 * same; its exporters look for them.
 */
static void
add_backends(struct stats_page *page, struct env *env)
{
	stats_page_number(page, "proxy_conn_requests",
	    sum(env, STATS_COMMANDS));
	stats_page_number(page, "proxy_conn_errors",
	    sum(env, STATS_COMMANDS_REFUSED));
	stats_page_number(page, "proxy_conn_oom", sum(env, STATS_NO_MEMORY));
	stats_page_number(page, "proxy_req_active",
	    sum_servers(env->table, SERVER_IN_FLIGHT));
	stats_page_number(page, "proxy_config_reloads",
	    sum(env, STATS_RELOAD_DONE));
	stats_page_number(page, "proxy_config_reload_fails",
	    sum(env, STATS_RELOAD_UNREADABLE) +
	    sum(env, STATS_RELOAD_INVALID) +
	    sum(env, STATS_RELOAD_UNBINDABLE) +
	    sum(env, STATS_RELOAD_NO_MEMORY));
	stats_page_number(page, "proxy_backend_total", env->table->nservers);
	stats_page_number(page, "proxy_backend_marked_bad",
	    sum_openings(env->table));
	stats_page_number(page, "proxy_backend_failed",
	    sum(env, STATS_SERVER_FAILURES));
	stats_page_number(page, "proxy_request_failed_depth",
	    sum_servers(env->table, SERVER_FAILED_QUEUE));
}

static void
say_general(struct client *client)
{
	struct env *env = client->conn.env;
	struct stats_page page;

	stats_page_init(&page, client);
	add_process(&page, env);
	add_connections(&page, env);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		stats_page_number(&page, fields[i].name,
		    sum(env, fields[i].counter));
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		stats_page_number(&page, never[i], 0);
	add_backend_totals(&page, env);
	add_backends(&page, env);
	stats_page_end(&page);
}

/* Of the listener that the client came by; 0: a unix socket, or removed. */
static uint64_t
own_port(struct client *client)
{
	const struct conf_listener *listener = target_listener(client);

	return listener == NULL ? 0 : listener->endpoint.port;
}

static void
say_settings(struct client *client)
{
	struct env *env = client->conn.env;
	const struct limits *limits = &env->table->limits;
	const struct pool *pool = target_pool(client, span_of("", 0));
	bool may_flush = pool != NULL && pool->policy.flush_all;
	struct stats_page page;

	stats_page_init(&page, client);
	stats_page_number(&page, "maxconns", limits->clients);
	stats_page_number(&page, "tcpport", own_port(client));
	stats_page_number(&page, "udpport", 0);
	stats_page_number(&page, "verbosity",
	    log_is_on(LOG_LEVEL_DEBUG) ? 1 : 0);
	stats_page_number(&page, "num_threads", env->proxy->nworkers);
	stats_page_number(&page, "item_size_max", limits->value_size);
	stats_page_line(&page, "STAT cas_enabled yes\r\n");
	stats_page_line(&page, "STAT flush_enabled %s\r\n",
	    may_flush ? "yes" : "no");
	stats_page_end(&page);
}

static void
say_reset(struct client *client)
{
	stats_reset(client->conn.env->proxy->stats);
	client_say(client, span_str("RESET\r\n"));
}

static void
say_error(struct client *client)
{
	client_say(client, span_str(ANSWER_ERROR));
}

/* By the first word after "stats". */
static const struct {
	const char	*word;
	void		(*say)(struct client *client);
} arguments[] = {
	{"settings", say_settings},
	{"conns", local_stats_conns},
	{"proxy", local_stats_proxy},
	{"servers", local_stats_servers},
	{"pools", local_stats_pools},
	{"hotkeys", local_stats_hotkeys},
	{"reset", say_reset},
	{"noreply", say_error},
};

void
local_stats(struct client *client, const struct request *req)
{
	struct span rest = req->args, word;

	tally_show_all(client->conn.env);
	if (!request_next_word(&rest, &word)) {
		say_general(client);
		return;
	}
	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
		if (span_eq(word, span_str(arguments[i].word))) {
			arguments[i].say(client);
			return;
		}
	}
	client_say(client, span_str(ANSWER_END));
}
