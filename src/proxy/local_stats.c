/* The proxy's statistics in memcached's form. */
#include "proxy/local_stats.h"

#include <event2/event.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "proto/answer.h"
#include "proxy/local.h"
#include "proxy/target.h"
#include "version.h"

#define PAGE_SIZE 8192

/* STAT lines on their way into one answer. */
struct page {
	char	text[PAGE_SIZE];
	size_t	len;
};

static void add_line(struct page *page, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

static void
add_line(struct page *page, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(page->text + page->len, PAGE_SIZE - page->len, fmt, ap);
	va_end(ap);
	MUST(n > 0 && (size_t)n < PAGE_SIZE - page->len);
	page->len += (size_t)n;
}

static void
add_number(struct page *page, const char *name, uint64_t n)
{
	add_line(page, "STAT %s %llu\r\n", name, (unsigned long long)n);
}

static void
add_process(struct page *page, struct env *env)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	add_number(page, "pid", (uint64_t)getpid());
	add_number(page, "uptime",
	    (env_now_ms(env) - env->proxy->start_ms) / 1000);
	add_number(page, "time", (uint64_t)time(NULL));
	add_line(page, "STAT version %s\r\n", LOCAL_MEMCACHED_VERSION);
	add_line(page, "STAT fairlead_version %s\r\n", FAIRLEAD_VERSION);
	add_line(page, "STAT libevent %s\r\n", event_get_version());
	add_number(page, "pointer_size", 8 * sizeof(void *));
	add_line(page, "STAT rusage_user %ld.%06ld\r\n",
	    (long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec);
	add_line(page, "STAT rusage_system %ld.%06ld\r\n",
	    (long)usage.ru_stime.tv_sec, (long)usage.ru_stime.tv_usec);
}

static uint64_t
sum(const struct env *env, enum stats_counter counter)
{
	return stats_sum(env->proxy->stats, counter);
}

static void
add_connections(struct page *page, struct env *env)
{
	add_number(page, "max_connections", env->table->limits.clients);
	add_number(page, "curr_connections", atomic_load_explicit(
	    &env->proxy->nclients, memory_order_relaxed));
	add_number(page, "total_connections",
	    sum(env, STATS_CLIENTS_OPENED));
	add_number(page, "rejected_connections",
	    sum(env, STATS_CLIENTS_REFUSED));
	add_number(page, "threads", env->proxy->nworkers);
	add_number(page, "accepting_conns", 1);
	add_number(page, "listen_disabled_num", 0);
}

/* memcached's name for what one of our counters counts. */
struct field {
	const char		*name;
	enum stats_counter	 counter;
};

static const struct field fields[] = {
	{"cmd_get", STATS_CMD_GET},
	{"cmd_set", STATS_CMD_SET},
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
	{"bytes_read", STATS_CLIENT_BYTES_READ},
	{"bytes_written", STATS_CLIENT_BYTES_WRITTEN},
};

/* What only servers know; monitors want to see the names all the same. */
static const char *const unknown[] = {
	"cmd_flush", "get_expired", "get_flushed", "auth_cmds", "auth_errors",
	"conn_yields", "limit_maxbytes", "bytes", "curr_items",
	"total_items", "evictions", "reclaimed",
};

static void
say_general(struct client *client)
{
	struct env *env = client->conn.env;
	struct page page = {.len = 0};

	add_process(&page, env);
	add_connections(&page, env);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		add_number(&page, fields[i].name, sum(env, fields[i].counter));
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		add_number(&page, unknown[i], 0);
	add_line(&page, ANSWER_END);
	client_say(client, span_of(page.text, page.len));
}

static void
say_settings(struct client *client)
{
	struct env *env = client->conn.env;
	const struct limits *limits = &env->table->limits;
	const struct pool *pool = target_pool(client, span_of("", 0));
	bool may_flush = pool != NULL && pool->policy.flush_all;
	struct page page = {.len = 0};

	add_number(&page, "maxconns", limits->clients);
	add_number(&page, "num_threads", env->proxy->nworkers);
	add_number(&page, "item_size_max", limits->value_size);
	add_line(&page, "STAT cas_enabled yes\r\n");
	add_line(&page, "STAT flush_enabled %s\r\n",
	    may_flush ? "yes" : "no");
	add_line(&page, ANSWER_END);
	client_say(client, span_of(page.text, page.len));
}

/* The proxy's own counters, by their own names. */
static void
say_proxy(struct client *client)
{
	struct env *env = client->conn.env;
	struct page page = {.len = 0};

	add_number(&page, "generation", env->table->generation);
	for (int i = 0; i < STATS_NCOUNTERS; i++)
		add_number(&page, stats_name((enum stats_counter)i),
		    sum(env, (enum stats_counter)i));
	add_line(&page, ANSWER_END);
	client_say(client, span_of(page.text, page.len));
}

void
local_stats(struct client *client, const struct request *req)
{
	struct span rest = req->args, word;

	if (!request_next_word(&rest, &word))
		say_general(client);
	else if (span_eq(word, span_str("settings")))
		say_settings(client);
	else if (span_eq(word, span_str("proxy")))
		say_proxy(client);
	else if (span_eq(word, span_str("reset"))) {
		stats_reset(client->conn.env->proxy->stats);
		client_say(client, span_str("RESET\r\n"));
	} else if (span_eq(word, span_str("noreply")))
		client_say(client, span_str(ANSWER_ERROR));
	else
		client_say(client, span_str(ANSWER_END));
}
