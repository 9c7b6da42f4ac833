/* A worker on a stage. */
#include "stage.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "proto/request.h"
#include "proxy/hotkeys.h"

/* Turns without any movement after which all is quiet. */
#define QUIET_TURNS 3

static void
listen_at(struct stage *stage, size_t i)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0);

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/%zu", stage->dir, i);
	unlink(sun.sun_path);
	MUST(fd != -1);
	MUST(bind(fd, (struct sockaddr *)&sun, sizeof(sun)) == 0);
	MUST(listen(fd, 64) == 0);
	stage->houses[i].listen_fd = fd;
}

static struct conf *
read_conf(const char *text)
{
	struct conf_errors *errors;
	struct conf *conf = conf_parse("stage", text, strlen(text), &errors);

	if (conf == NULL)
		fprintf(stderr, "%s\n", conf_errors_line(errors, 0));
	MUST(conf != NULL);
	return conf;
}

static struct table *
build_table(struct stage *stage, const char *text)
{
	struct conf_errors *errors;
	struct table *table = table_build(read_conf(text), stage->table,
	    stage->registry, &errors);

	MUST(table != NULL);
	return table;
}

struct stage *
stage_new(size_t nhouses, const char *conf)
{
	struct stage *stage = calloc(1, sizeof(*stage));

	signal(SIGPIPE, SIG_IGN);
	MUST(stage != NULL && nhouses <= STAGE_HOUSES);
	stage->nhouses = nhouses;
	strcpy(stage->dir, "/tmp/stage-XXXXXX");
	MUST(mkdtemp(stage->dir) != NULL);
	MUST(setenv("STAGE", stage->dir, 1) == 0);
	snprintf(stage->listen, sizeof(stage->listen), "unix:%s/in",
	    stage->dir);
	stage->doorway.listen = stage->listen;
	for (size_t i = 0; i < nhouses; i++) {
		stage->houses[i].listen_fd = -1;
		stage->houses[i].cache = cache_new();
	}
	stage->registry = server_registry_new();
	MUST(stage->registry != NULL);
	stage->table = build_table(stage, conf);
	stage->proxy.stats = stats_new(1);
	stage->proxy.hotkeys = hotkeys_new(1);
	MUST(stage->proxy.hotkeys != NULL);
	stage->proxy.budget = &stage->budget;
	stage->proxy.nworkers = 1;
	stage->proxy.alarm_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	stage->proxy.adopted_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	MUST(stage->proxy.stats != NULL && stage->proxy.alarm_fd != -1 &&
	    stage->proxy.adopted_fd != -1);
	return stage;
}

void
stage_free(struct stage **stagep)
{
	struct stage *stage = *stagep;
	char path[128];

	*stagep = NULL;
	MUST(stage->worker == NULL);
	for (size_t i = 0; i < stage->nhouses; i++) {
		snprintf(path, sizeof(path), "%s/%zu", stage->dir, i);
		unlink(path);
		cache_free(&stage->houses[i].cache);
	}
	rmdir(stage->dir);
	table_unref(&stage->table);
	server_registry_free(&stage->registry);
	stats_free(&stage->proxy.stats);
	hotkeys_free(&stage->proxy.hotkeys);
	close(stage->proxy.alarm_fd);
	close(stage->proxy.adopted_fd);
	free(stage);
}

void
stage_heal(struct stage *stage)
{
	for (size_t i = 0; i < stage->table->npools; i++) {
		const struct pool *pool = &stage->table->pools[i];

		for (size_t j = 0; j < pool->conf->nservers; j++)
			health_init(&pool->servers[j]->health,
			    &(struct health_policy){
			    .failures = pool->conf->health_failures,
			    .retry_ms = pool->conf->health_retry_ms,
			    .retry_max_ms = pool->conf->health_retry_max_ms});
	}
}

void
stage_begin(struct stage *stage)
{
	MUST(stage->worker == NULL);
	for (size_t i = 0; i < stage->nhouses; i++) {
		struct house *house = &stage->houses[i];

		listen_at(stage, i);
		house->is_honest = true;
		house->is_deaf = false;
		house->nseats = 0;
		for (size_t j = 0; j < STAGE_SEATS; j++)
			house->seats[j] = (struct seat){.fd = -1};
	}
	for (size_t i = 0; i < STAGE_ACTORS; i++)
		stage->actors[i] = (struct actor){.fd = -1};
	stage_heal(stage);
	atomic_store(&stage->budget.limit, stage->table->conf->limits.memory);
	stage->now_ms = 1000000;
	stage->worker = worker_new(&stage->proxy, 0, stage->table);
	MUST(stage->worker != NULL);
}

static void
close_seat(struct seat *seat)
{
	if (seat->fd == -1)
		return;
	close(seat->fd);
	bytes_free(&seat->asked);
	bytes_free(&seat->out);
	seat->fd = -1;
}

void
stage_break(struct stage *stage, size_t house)
{
	for (size_t j = 0; j < STAGE_SEATS; j++)
		close_seat(&stage->houses[house].seats[j]);
}

void
stage_leave(struct stage *stage, size_t i)
{
	struct actor *actor = &stage->actors[i];

	if (actor->fd == -1)
		return;
	close(actor->fd);
	bytes_free(&actor->out);
	bytes_free(&actor->got);
	*actor = (struct actor){.fd = -1};
}

void
stage_end(struct stage *stage)
{
	worker_free(&stage->worker);
	for (size_t i = 0; i < STAGE_ACTORS; i++)
		stage_leave(stage, i);
	for (size_t i = 0; i < stage->nhouses; i++) {
		stage_break(stage, i);
		stage_set_open(stage, i, false);
		cache_clear(stage->houses[i].cache);
	}
	MUST(atomic_load(&stage->budget.used) == 0);
	MUST(atomic_load(&stage->proxy.nclients) == 0);
	MUST(atomic_load(&stage->doorway.nclients) == 0);
}

void
stage_reload(struct stage *stage, const char *conf)
{
	struct table *table = build_table(stage, conf);

	table_apply_policies(table, stage->now_ms);
	worker_give_table(stage->worker, table_ref(table));
	table_unref(&stage->table);
	stage->table = table;
}

void
stage_enter(struct stage *stage, size_t i)
{
	struct actor *actor = &stage->actors[i];
	int fds[2];

	MUST(actor->fd == -1);
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
	    fds) == 0);
	actor->fd = fds[0];
	doorway_enter(&stage->doorway, &stage->proxy);
	if (!worker_give_client(stage->worker, fds[1], &stage->doorway))
		doorway_leave(&stage->doorway, &stage->proxy);
}

void
stage_shut(struct stage *stage, size_t i)
{
	stage->actors[i].is_shut = true;
}

void
stage_say(struct stage *stage, size_t i, struct span bytes)
{
	if (stage->actors[i].fd != -1 && !stage->actors[i].is_shut)
		bytes_add(&stage->actors[i].out, bytes);
}

void
stage_set_open(struct stage *stage, size_t i, bool is_open)
{
	struct house *house = &stage->houses[i];

	if (is_open == (house->listen_fd != -1))
		return;
	if (is_open) {
		listen_at(stage, i);
		return;
	}
	close(house->listen_fd);
	house->listen_fd = -1;
}

struct seat *
stage_seat(struct stage *stage, size_t i)
{
	struct house *house = &stage->houses[i];
	struct seat *seat;

	if (house->nseats == 0)
		return NULL;
	seat = &house->seats[(house->nseats - 1) % STAGE_SEATS];
	return seat->fd == -1 ? NULL : seat;
}

void
stage_reply(struct stage *stage, size_t i, struct span bytes)
{
	struct seat *seat = stage_seat(stage, i);

	if (seat != NULL)
		bytes_add(&seat->out, bytes);
}

/* Sends what the socket takes; false: it is broken. */
static bool
flush(struct stage *stage, int fd, struct bytes *out)
{
	ssize_t n;

	if (out->len == 0)
		return true;
	n = send(fd, out->p, out->len, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN;
	stage->moved += (uint64_t)n;
	bytes_drop(out, (size_t)n);
	return true;
}

/* Reads all there is; false: nothing more will come. */
static bool
gather(struct stage *stage, int fd, struct bytes *in)
{
	ssize_t n;

	while ((n = recv(fd, stage->buf, sizeof(stage->buf), 0)) > 0) {
		stage->moved += (uint64_t)n;
		bytes_add(in, span_of(stage->buf, (size_t)n));
	}
	return n < 0 && errno == EAGAIN;
}

static void
turn_actor(struct stage *stage, struct actor *actor)
{
	if (actor->fd == -1 || actor->is_hung_up_on)
		return;
	flush(stage, actor->fd, &actor->out);
	if (actor->is_shut && actor->out.len == 0)
		shutdown(actor->fd, SHUT_WR);
	if (!actor->is_deaf && !gather(stage, actor->fd, &actor->got)) {
		actor->is_hung_up_on = true;
		stage->moved++;
	}
}

static void
accept_all(struct stage *stage, struct house *house)
{
	struct seat *seat;
	int fd;

	while (house->listen_fd != -1 && (fd = accept4(house->listen_fd, NULL,
	    NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) != -1) {
		seat = &house->seats[house->nseats++ % STAGE_SEATS];
		close_seat(seat);
		*seat = (struct seat){.fd = fd};
		stage->moved++;
	}
}

/* Answers the first request, if it is whole. What the proxy sends is right. */
static bool
answer_one(struct house *house, struct seat *seat)
{
	struct request req;
	enum request_result result = request_parse(bytes_span(&seat->asked),
	    &req);
	size_t size;

	if (result == REQUEST_MORE)
		return false;
	MUST(result == REQUEST_OK);
	MUST(!req.is_noreply && !req.is_quiet);
	size = req.line_len;
	if (req.has_body)
		size += (size_t)req.body_len + 2;
	if (seat->asked.len < size)
		return false;
	cache_do(house->cache, &req, span_of(seat->asked.p + req.line_len,
	    req.has_body ? (size_t)req.body_len : 0), &seat->out);
	bytes_drop(&seat->asked, size);
	return true;
}

void
stage_answer(struct stage *stage, size_t i)
{
	struct house *house = &stage->houses[i];

	for (size_t j = 0; j < STAGE_SEATS; j++) {
		while (house->seats[j].fd != -1 &&
		    answer_one(house, &house->seats[j]))
			continue;
	}
}

static void
turn_seat(struct stage *stage, struct house *house, struct seat *seat)
{
	bool is_up;

	if (seat->fd == -1)
		return;
	is_up = house->is_deaf || gather(stage, seat->fd, &seat->asked);
	while (house->is_honest && answer_one(house, seat))
		continue;
	if (!flush(stage, seat->fd, &seat->out) || !is_up) {
		close_seat(seat);
		stage->moved++;
	}
}

void
stage_turn(struct stage *stage)
{
	worker_turn(stage->worker, stage->now_ms);
	for (size_t i = 0; i < stage->nhouses; i++) {
		accept_all(stage, &stage->houses[i]);
		for (size_t j = 0; j < STAGE_SEATS; j++)
			turn_seat(stage, &stage->houses[i],
			    &stage->houses[i].seats[j]);
	}
	for (size_t i = 0; i < STAGE_ACTORS; i++)
		turn_actor(stage, &stage->actors[i]);
}

void
stage_settle(struct stage *stage)
{
	unsigned quiet = 0;

	while (quiet < QUIET_TURNS) {
		uint64_t moved = stage->moved;

		stage_turn(stage);
		quiet = stage->moved == moved ? quiet + 1 : 0;
	}
}

void
stage_pass(struct stage *stage, uint64_t ms)
{
	stage->now_ms += ms;
	stage_settle(stage);
}
