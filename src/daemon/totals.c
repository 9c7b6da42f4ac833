/*
 * Asking servers for their statistics.
 *
 *	wait -> ask all, a few at a time -> publish the sums -> wait
 */
#include "daemon/totals.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

/* Between the end of a round and the start of the next. */
#define PAUSE_S 5

/* For one server, from connecting to the end of its reply. */
#define TIMEOUT_S 2

/* Servers that are asked at a time. */
#define QUESTIONS_MAX 16

/* Bytes of a reply; memcached's has some 3 KiB. */
#define REPLY_MAX 16384

#define REQUEST "stats\r\n"

struct question {
	struct totals		*totals;
	struct server		*server;	/* lent by the table */
	struct bufferevent	*bev;		/* NULL: a free place */
	struct event		 timeout;
};

struct totals {
	struct event_base	*base;
	struct backend_totals	*shown;		/* lent */
	struct event		*pause;
	struct table		*table;		/* one reference; NULL: off */
	struct server		**servers;	/* lent by it, each once */
	size_t			 nservers;
	size_t			 next;		/* to be asked in this round */
	struct backend_sum	 sum;		/* of this round */
	struct question		 questions[QUESTIONS_MAX];
	size_t			 nquestions;	/* under way */
};

static void go_on(struct totals *totals);

static void
close_question(struct question *question)
{
	event_del(&question->timeout);
	bufferevent_free(question->bev);
	question->bev = NULL;
	question->totals->nquestions--;
}

/* `failure` is why the server is left out, or NULL. */
static void
end_question(struct question *question, const char *failure)
{
	if (failure != NULL)
		log_debug("server %s is left out of the totals: %s pool=%s",
		    question->server->name, failure, question->server->pool);
	close_question(question);
}

static void
on_readable(struct bufferevent *bev, void *arg)
{
	struct question *question = arg;
	struct totals *totals = question->totals;
	struct evbuffer *in = bufferevent_get_input(bev);
	size_t len = evbuffer_get_length(in);
	const char *bytes = (const char *)evbuffer_pullup(in, -1);

	if (bytes == NULL) {
		if (len == 0)
			return;
		end_question(question, "no memory");
		go_on(totals);
		return;
	}
	switch (backend_totals_read(span_of(bytes, len), &totals->sum)) {
	case BACKEND_REPLY_MORE:
		if (len < REPLY_MAX)
			return;
		end_question(question, "its reply is too long");
		go_on(totals);
		return;
	case BACKEND_REPLY_WHOLE:
		end_question(question, NULL);
		go_on(totals);
		return;
	case BACKEND_REPLY_NONSENSE:
		end_question(question, "its reply makes no sense");
		go_on(totals);
		return;
	}
	NEVER();
}

static void
on_event(struct bufferevent *bev, short events, void *arg)
{
	struct question *question = arg;
	struct totals *totals = question->totals;

	(void)bev;
	if (events & BEV_EVENT_CONNECTED)
		return;
	end_question(question, events & BEV_EVENT_EOF ?
	    "it hung up" : "no connection");
	go_on(totals);
}

static void
on_timeout(evutil_socket_t fd, short events, void *arg)
{
	struct question *question = arg;
	struct totals *totals = question->totals;

	(void)fd;
	(void)events;
	end_question(question, "no reply in time");
	go_on(totals);
}

static struct question *
free_place(struct totals *totals)
{
	size_t i = 0;

	while (totals->questions[i].bev != NULL)
		i++;
	MUST(i < QUESTIONS_MAX);
	return &totals->questions[i];
}

/* Servers that are down are not asked: the prober does. */
static void
ask(struct totals *totals, struct server *server)
{
	const struct timeval tv = {.tv_sec = TIMEOUT_S};
	struct question *question = free_place(totals);
	struct server_address address;

	if (health_state(&server->health) == HEALTH_DOWN ||
	    !server_address(server, &address))
		return;
	question->bev = bufferevent_socket_new(totals->base, -1,
	    BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
	if (question->bev == NULL) {
		log_error("a server could not be asked for its statistics: "
		    "out of memory");
		return;
	}
	question->totals = totals;
	question->server = server;
	totals->nquestions++;
	event_assign(&question->timeout, totals->base, -1, 0, on_timeout,
	    question);
	bufferevent_setcb(question->bev, on_readable, NULL, on_event,
	    question);
	bufferevent_setwatermark(question->bev, EV_READ, 0, REPLY_MAX);
	if (event_add(&question->timeout, &tv) != 0 ||
	    bufferevent_enable(question->bev, EV_READ) != 0 ||
	    bufferevent_write(question->bev, REQUEST,
	    sizeof(REQUEST) - 1) != 0 ||
	    bufferevent_socket_connect(question->bev,
	    (struct sockaddr *)&address.ss, (int)address.len) != 0)
		end_question(question, "no connection");
}

/* Asks as many as may be asked now; after the last one, ends the round. */
static void
go_on(struct totals *totals)
{
	const struct timeval tv = {.tv_sec = PAUSE_S};

	while (totals->next < totals->nservers &&
	    totals->nquestions < QUESTIONS_MAX)
		ask(totals, totals->servers[totals->next++]);
	if (totals->nquestions > 0)
		return;
	backend_totals_publish(totals->shown, &totals->sum);
	if (event_add(totals->pause, &tv) != 0)
		log_error("a timer could not be set: out of memory");
}

static void
start_round(struct totals *totals)
{
	totals->next = 0;
	totals->sum = (struct backend_sum){0};
	go_on(totals);
}

static void
on_pause_over(evutil_socket_t fd, short events, void *arg)
{
	(void)fd;
	(void)events;
	start_round(arg);
}

static int
compare_endpoints(const void *a, const void *b)
{
	const struct endpoint *x = &(*(struct server *const *)a)->endpoint;
	const struct endpoint *y = &(*(struct server *const *)b)->endpoint;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return strcmp(x->host, y->host);
}

/* The servers of all pools, one of each address. */
static bool
list_servers(struct totals *totals, const struct table *table)
{
	size_t n = 0, nonce = 0;
	struct server **all = mem_zalloc(table->nservers, sizeof(*all));

	if (all == NULL)
		return false;
	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];

		for (size_t j = 0; j < pool->nservers; j++)
			all[n++] = pool->servers[j];
	}
	qsort(all, n, sizeof(*all), compare_endpoints);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || compare_endpoints(&all[i], &all[i - 1]) != 0)
			all[nonce++] = all[i];
	}
	totals->servers = all;
	totals->nservers = nonce;
	return true;
}

/* Asks nobody any more. What is shown stays. */
static void
stop(struct totals *totals)
{
	event_del(totals->pause);
	for (size_t i = 0; i < QUESTIONS_MAX; i++) {
		if (totals->questions[i].bev != NULL)
			close_question(&totals->questions[i]);
	}
	mem_free(totals->servers);
	totals->servers = NULL;
	totals->nservers = 0;
	table_unref(&totals->table);
}

struct totals *
totals_new(struct event_base *base, struct backend_totals *shown)
{
	struct totals *totals = mem_zalloc(1, sizeof(*totals));

	if (totals == NULL)
		return NULL;
	totals->base = base;
	totals->shown = shown;
	totals->pause = event_new(base, -1, 0, on_pause_over, totals);
	if (totals->pause == NULL) {
		mem_free(totals);
		return NULL;
	}
	return totals;
}

void
totals_set_table(struct totals *totals, struct table *table)
{
	stop(totals);
	if (table->conf->backend_totals && list_servers(totals, table)) {
		totals->table = table_ref(table);
		start_round(totals);
		return;
	}
	if (table->conf->backend_totals)
		log_error("servers are not asked for their statistics: out of "
		    "memory");
	backend_totals_publish(totals->shown, &(struct backend_sum){0});
}

void
totals_free(struct totals **totalsp)
{
	struct totals *totals = *totalsp;

	*totalsp = NULL;
	if (totals == NULL)
		return;
	stop(totals);
	event_free(totals->pause);
	mem_free(totals);
}
