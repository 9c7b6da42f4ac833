/*
 * Gets that share a line: what ends the line, who gets which part of its
 * reply and when, and what becomes of them when the server fails.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "scene.h"

#define NKEYS 4

/* Keys of s0. */
static const char *k[NKEYS];

static void
set_up(void)
{
	scene_set_up(SCENE_CONF("", "    on_down: error\n"
	    "    health: {failures: 1000}\n"));
	scene_by_hand();
	for (size_t i = 0; i < NKEYS; i++)
		k[i] = scene_key(0, i);
}

/* Client 0 asks for all keys, which is one line. */
static void
ask_for_all(void)
{
	scene_say("get %s\r\nget %s\r\nget %s\r\nget %s\r\n", k[0], k[1],
	    k[2], k[3]);
	scene_expect_asked(0, "get %s %s %s %s\r\n", k[0], k[1], k[2], k[3]);
}

/* Clients 0 and 1 ask for two keys each, which is one line. */
static void
ask_for_two_each(void)
{
	char said[64];

	snprintf(said, sizeof(said), "get %s %s\r\n", k[0], k[1]);
	stage_say(scene, 0, span_str(said));
	stage_enter(scene, 1);
	snprintf(said, sizeof(said), "get %s %s\r\n", k[2], k[3]);
	stage_say(scene, 1, span_str(said));
	stage_settle(scene);
	scene_expect_asked(0, "get %s %s %s %s\r\n", k[0], k[1], k[2], k[3]);
}

START_TEST(a_value_is_answered_before_the_next_one_comes)
{
	ask_for_all();
	scene_reply(0, "VALUE %s 0 1\r\na\r\n", k[0]);
	scene_expect("VALUE %s 0 1\r\na\r\nEND\r\n", k[0]);
	scene_reply(0, "VALUE %s 0 1\r\nd\r\nEND\r\n", k[3]);
	scene_expect("END\r\nEND\r\nVALUE %s 0 1\r\nd\r\nEND\r\n", k[3]);
}
END_TEST

START_TEST(an_error_is_the_whole_answer_of_each)
{
	ask_for_two_each();
	scene_reply(0, "SERVER_ERROR out of memory\r\n");
	scene_expect("SERVER_ERROR out of memory\r\n");
	scene_expect_of(1, "SERVER_ERROR out of memory\r\n");
	ck_assert_ptr_nonnull(stage_seat(scene, 0));
}
END_TEST

START_TEST(an_error_after_somebody_elses_value_makes_no_sense)
{
	ask_for_all();
	scene_reply(0, "VALUE %s 0 1\r\na\r\nSERVER_ERROR x\r\n", k[0]);
	ck_assert_ptr_null(stage_seat(scene, 0));
	scene_expect("VALUE %s 0 1\r\na\r\nEND\r\n"
	    "SERVER_ERROR s0: the server's reply makes no sense\r\n"
	    "SERVER_ERROR s0: the server's reply makes no sense\r\n"
	    "SERVER_ERROR s0: the server's reply makes no sense\r\n", k[0]);
}
END_TEST

START_TEST(those_lost_are_asked_again_and_are_no_part_of_a_line)
{
	ask_for_all();
	scene_reply(0, "VALUE %s 0 1\r\na\r\nVALUE %s 0 1\r\nb", k[0], k[1]);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect_asked(0, "get %s\r\nget %s\r\nget %s\r\n", k[1], k[2],
	    k[3]);
	scene_reply(0, "VALUE %s 0 1\r\nB\r\nEND\r\nEND\r\n"
	    "VALUE %s 0 1\r\nD\r\nEND\r\n", k[1], k[3]);
	scene_expect("VALUE %s 0 1\r\na\r\nEND\r\nVALUE %s 0 1\r\nB\r\n"
	    "END\r\nEND\r\nVALUE %s 0 1\r\nD\r\nEND\r\n", k[0], k[1], k[3]);
}
END_TEST

/* Client `i` says this; the next turn reads it. */
static void
slip_in(size_t i, const char *text)
{
	ssize_t n = send(scene->actors[i].fd, text, strlen(text), 0);

	ck_assert_int_eq(n, (ssize_t)strlen(text));
}

START_TEST(what_is_asked_again_is_joined_by_nobody)
{
	char said[64];

	scene_say("get %s\r\n", k[0]);
	stage_enter(scene, 1);
	stage_settle(scene);
	/* Both are there for one turn, the end first. */
	stage_break(scene, 0);
	snprintf(said, sizeof(said), "get %s\r\n", k[1]);
	slip_in(1, said);
	stage_settle(scene);
	scene_expect_asked(0, "get %s\r\nget %s\r\n", k[0], k[1]);
}
END_TEST

START_TEST(a_reply_is_none_to_a_get_that_is_not_written_yet)
{
	static const char reply[] = "END\r\nEND\r\n";
	char said[64];
	ssize_t n;

	scene_say("get %s\r\n", k[0]);
	/* Both are there for one turn, the request first. */
	snprintf(said, sizeof(said), "get %s\r\n", k[1]);
	slip_in(0, said);
	n = send(stage_seat(scene, 0)->fd, reply, sizeof(reply) - 1, 0);
	ck_assert_int_eq(n, sizeof(reply) - 1);
	stage_settle(scene);
	ck_assert_ptr_null(stage_seat(scene, 0));
	scene_expect("END\r\n"
	    "SERVER_ERROR s0: the server's reply makes no sense\r\n");
}
END_TEST

START_TEST(nothing_joins_what_failed_unwritten)
{
	stage_set_open(scene, 0, false);
	scene_say("get %s\r\n", k[0]);
	scene_expect("SERVER_ERROR s0: cannot connect\r\n");
	stage_set_open(scene, 0, true);
	ask_for_all();
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("joined");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, a_value_is_answered_before_the_next_one_comes);
	tcase_add_test(tc, an_error_is_the_whole_answer_of_each);
	tcase_add_test(tc,
	    an_error_after_somebody_elses_value_makes_no_sense);
	tcase_add_test(tc,
	    those_lost_are_asked_again_and_are_no_part_of_a_line);
	tcase_add_test(tc, what_is_asked_again_is_joined_by_nobody);
	tcase_add_test(tc, a_reply_is_none_to_a_get_that_is_not_written_yet);
	tcase_add_test(tc, nothing_joins_what_failed_unwritten);
	return case_run("joined", tc);
}
