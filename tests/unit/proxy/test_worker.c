/* A worker in its own thread: its inbox, and its end. */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scene.h"

/* No answer for so long is none. */
#define PATIENCE_MS 10000

static void
set_up(void)
{
	scene = stage_new(2, SCENE_CONF("", ""));
	stage_begin(scene);
}

static void
tear_down(void)
{
	worker_free(&scene->worker);
	stage_end(scene);
	stage_free(&scene);
}

/* A client of the worker, by hand: the socket. */
static int
enter(void)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
	    fds), 0);
	doorway_enter(&scene->doorway, &scene->proxy);
	ck_assert(worker_give_client(scene->worker, fds[1],
	    &scene->doorway));
	return fds[0];
}

/* Waits for as many bytes as `due` has, which must be those. */
static void
expect(int fd, const char *due)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	char got[256];
	size_t len = 0;
	ssize_t n;

	while (len < strlen(due)) {
		ck_assert_int_eq(poll(&poll_fd, 1, PATIENCE_MS), 1);
		n = read(fd, got + len, strlen(due) - len);
		ck_assert_int_gt(n, 0);
		len += (size_t)n;
	}
	ck_assert_mem_eq(got, due, len);
}

static void
expect_end(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	char byte;

	ck_assert_int_eq(poll(&poll_fd, 1, PATIENCE_MS), 1);
	ck_assert_int_le(read(fd, &byte, 1), 0);
	close(fd);
}

static void
say(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)),
	    (ssize_t)strlen(text));
}

START_TEST(clients_are_served_and_closed_at_the_end)
{
	int fds[20];

	ck_assert(worker_start(scene->worker));
	for (size_t i = 0; i < LENGTH(fds); i++)
		fds[i] = enter();
	for (size_t i = 0; i < LENGTH(fds); i++) {
		say(fds[i], "mn\r\n");
		expect(fds[i], "MN\r\n");
	}
	worker_stop(scene->worker);
	for (size_t i = 0; i < LENGTH(fds); i++)
		expect_end(fds[i]);
}
END_TEST

START_TEST(clients_that_were_handed_over_before_the_start_are_served)
{
	int fd = enter();

	say(fd, "mn\r\n");
	ck_assert(worker_start(scene->worker));
	expect(fd, "MN\r\n");
	worker_stop(scene->worker);
	expect_end(fd);
}
END_TEST

START_TEST(clients_that_never_met_a_thread_are_closed)
{
	int fd = enter();

	worker_free(&scene->worker);
	doorway_leave(&scene->doorway, &scene->proxy);
	expect_end(fd);
}
END_TEST

START_TEST(the_newest_table_is_the_one_that_counts)
{
	int fd = enter();

	/* Three at once: two are passed over. */
	for (int i = 0; i < 3; i++)
		stage_reload(scene, SCENE_CONF("", ""));
	ck_assert(worker_start(scene->worker));
	say(fd, "stats proxy\r\n");
	expect(fd, "STAT generation 4\r\n");
	worker_stop(scene->worker);
	worker_free(&scene->worker);
	close(fd);
}
END_TEST

/*
 * Handed a table, an idle worker takes it at once and in one turn, and says
 * that it has let go of the last one: nothing polls.
 */
START_TEST(an_idle_worker_takes_a_table_in_one_turn)
{
	struct pollfd told = {.fd = scene->proxy.adopted_fd, .events = POLLIN};
	uint64_t before, n;
	int fd = enter();

	ck_assert(worker_start(scene->worker));
	say(fd, "mn\r\n");
	expect(fd, "MN\r\n");
	/* It may not yet have counted the turn that wrote this. */
	before = stats_sum(scene->proxy.stats, STATS_TURNS);
	stage_reload(scene, SCENE_CONF("", ""));
	ck_assert_int_eq(poll(&told, 1, PATIENCE_MS), 1);
	ck_assert_int_eq(read(told.fd, &n, sizeof(n)), sizeof(n));
	ck_assert_uint_le(stats_sum(scene->proxy.stats, STATS_TURNS) - before,
	    2);
	worker_stop(scene->worker);
	expect_end(fd);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("worker");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, clients_are_served_and_closed_at_the_end);
	tcase_add_test(tc,
	    clients_that_were_handed_over_before_the_start_are_served);
	tcase_add_test(tc, clients_that_never_met_a_thread_are_closed);
	tcase_add_test(tc, the_newest_table_is_the_one_that_counts);
	tcase_add_test(tc, an_idle_worker_takes_a_table_in_one_turn);
	return case_run("worker", tc);
}
