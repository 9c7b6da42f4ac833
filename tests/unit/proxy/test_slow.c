/* Lines about slow requests, and lines that were held back. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scene.h"

static const char *key;
static char log_text[16384];
static int log_fd;

static void
set_up_with(const char *conf)
{
	int ends[2];

	scene_set_up(conf);
	key = scene_key(0, 0);
	scene_by_hand();
	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[1]);
	log_fd = ends[0];
}

#define SLOW(privacy)                                                          \
	"log: {slow_request: 500ms}\nprivacy: " privacy "\n"                   \
	SCENE_CONF("", "    timeouts: {request: 2s}\n"                         \
	    "    health: {failures: 100}\n")

static void
set_up(void)
{
	set_up_with(SLOW("none"));
}

/* What was logged since the last call. */
static const char *
logged(void)
{
	ssize_t len = read(log_fd, log_text, sizeof(log_text) - 1);

	log_text[len < 0 ? 0 : len] = '\0';
	return log_text;
}

static void
expect_logged(const char *part)
{
	ck_assert_msg(strstr(log_text, part) != NULL, "no \"%s\" in \"%s\"",
	    part, log_text);
}

START_TEST(a_request_is_slow_from_its_threshold_on)
{
	scene_say("get %s\r\n", key);
	stage_pass(scene, 499);
	scene_reply(0, "END\r\n");
	ck_assert_str_eq(logged(), "");
	scene_say("get %s\r\n", key);
	stage_pass(scene, 500);
	scene_reply(0, "END\r\n");
	logged();
	expect_logged(" warn slow request: get answered after 500 ms "
	    "client=unix key=");
	expect_logged(key);
	expect_logged(" server=s0 pool=main queued_ms=0 server_ms=500 ");
}
END_TEST

static const struct {
	const char	*said, *reply;
	const char	*rest;		/* said later; NULL: that was all */
} commands[] = {
	{"set %s 0 0 1\r\nx\r\n", "STORED\r\n", NULL},
	{"delete %s\r\n", "DELETED\r\n", NULL},
	{"incr %s 1\r\n", "1\r\n", NULL},
	{"touch %s 1\r\n", "TOUCHED\r\n", NULL},
	{"gat 1 %s\r\n", "END\r\n", NULL},
	{"mg %s v t\r\n", "EN\r\n", NULL},
	{"md %s\r\n", "HD\r\n", NULL},
	{"set %s 0 0 2\r\nx", "STORED\r\n", "y\r\n"},
	{"ms %s 2 k O1\r\nx", "HD O1\r\n", "y\r\n"},
};

START_TEST(a_reload_changes_the_threshold)
{
	for (int i = 0; i < 2; i++) {
		stage_reload(scene, i == 1 ? SLOW("none") : SCENE_CONF("",
		    "    timeouts: {request: 2s}\n"));
		stage_settle(scene);
		scene_say("get %s\r\n", key);
		stage_pass(scene, 1000);
		scene_reply(0, "END\r\n");
		logged();
		ck_assert_int_eq(strstr(log_text, "slow request") != NULL, i);
	}
}
END_TEST

START_TEST(every_command_names_its_key)
{
	char said[64], wanted[64];

	snprintf(said, sizeof(said), commands[_i].said, key);
	snprintf(wanted, sizeof(wanted), " key=%s ", key);
	scene_say("%s", said);
	if (commands[_i].rest != NULL)
		scene_say("%s", commands[_i].rest);
	stage_pass(scene, 600);
	scene_reply(0, "%s", commands[_i].reply);
	logged();
	expect_logged(wanted);
}
END_TEST

START_TEST(one_that_timed_out_is_slow)
{
	scene_say("get %s\r\n", key);
	stage_pass(scene, 2000);
	logged();
	expect_logged("slow request: get timed out after 2000 ms");
}
END_TEST

START_TEST(waiting_behind_another_is_not_the_servers_time)
{
	scene_say("get %s\r\ndelete %s\r\n", key, key);
	stage_pass(scene, 700);
	scene_reply(0, "END\r\n");
	logged();
	expect_logged("queued_ms=0 server_ms=700");
	stage_pass(scene, 100);
	scene_reply(0, "DELETED\r\n");
	logged();
	expect_logged("queued_ms=700 server_ms=100");
}
END_TEST

START_TEST(a_flood_is_cut_and_what_was_held_back_is_told)
{
	size_t n = 0;
	const char *at;

	for (int i = 0; i < 20; i++)
		scene_say("get %s\r\n", key);
	stage_pass(scene, 600);
	for (int i = 0; i < 20; i++)
		scene_reply(0, "END\r\n");
	for (at = logged(); (at = strstr(at, "slow request:")) != NULL; at++)
		n++;
	ck_assert_uint_eq(n, LOG_GATE_BURST);
	/* Told once a second is over; the timer is the loop's own. */
	do {
		stage_pass(scene, 1000);
	} while (strstr(logged(), "held back") == NULL);
	expect_logged("slow requests: 15 more lines were held back");
}
END_TEST

START_TEST(a_key_is_cut_and_escaped)
{
	char wanted[200];

	/* A key of 33 bytes and more shows 32 of them. */
	snprintf(wanted, sizeof(wanted), "get 0123456789012345678901234567"
	    "890\xff%s\r\n", "abc");
	scene_say("%s", wanted);
	stage_pass(scene, 2000);
	logged();
	expect_logged("key=0123456789012345678901234567890%FF ");
}
END_TEST

START_TEST(hidden_keys_are_not_in_the_log)
{
	scene_tear_down();
	set_up_with(SLOW("hash"));
	scene_say("get secret.one\r\ndelete secret.one\r\n");
	stage_pass(scene, 2000);
	logged();
	ck_assert_ptr_null(strstr(log_text, "secret"));
	expect_logged("get timed out");
	expect_logged("delete timed out");
	ck_assert_uint_eq(strspn(strstr(log_text, "key=") + 4,
	    "0123456789abcdef"), 16);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("slow");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, a_request_is_slow_from_its_threshold_on);
	tcase_add_test(tc, a_reload_changes_the_threshold);
	tcase_add_loop_test(tc, every_command_names_its_key, 0,
	    LENGTH(commands));
	tcase_add_test(tc, one_that_timed_out_is_slow);
	tcase_add_test(tc, waiting_behind_another_is_not_the_servers_time);
	tcase_add_test(tc,
	    a_flood_is_cut_and_what_was_held_back_is_told);
	tcase_add_test(tc, a_key_is_cut_and_escaped);
	tcase_add_test(tc, hidden_keys_are_not_in_the_log);
	return case_run("slow", tc);
}
