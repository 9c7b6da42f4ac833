/* Clients: order, limits, leaving, and what they say too much of. */
#include <stdio.h>
#include <string.h>

#include "scene.h"

static void
set_up(void)
{
	scene_set_up(SCENE_CONF("value_size: 64KiB, client_buffer: 256KiB, "
	    "request_line: 4KiB", "    timeouts: {request: 2s}\n"));
}

START_TEST(answers_wait_for_those_before_them)
{
	const char *a = scene_key(0, 0), *b = scene_key(1, 0);

	scene_by_hand();
	scene_say("get %s\r\nget %s\r\nverbosity 1\r\nset %s 0 0 1\r\nx\r\n"
	    "mn\r\n", a, b, b);
	scene_reply(1, "VALUE %s 0 1\r\nB\r\nEND\r\nSTORED\r\n", b);
	scene_expect_nothing();
	scene_reply(0, "END\r\n");
	scene_expect("END\r\nVALUE %s 0 1\r\nB\r\nEND\r\nOK\r\nSTORED\r\n"
	    "MN\r\n", b);
}
END_TEST

START_TEST(a_value_in_pieces_is_one_answer)
{
	const char *a = scene_key(0, 0);

	scene_by_hand();
	scene_say("get %s\r\n", a);
	scene_reply(0, "VALUE %s 0 2\r\nx", a);
	scene_reply(0, "y\r\nEND\r\n");
	scene_expect("VALUE %s 0 2\r\nxy\r\nEND\r\n", a);
}
END_TEST

START_TEST(a_long_value_passes_while_it_comes)
{
	const char *a = scene_key(0, 0);
	char part[60001];

	memset(part, 'v', sizeof(part) - 1);
	part[sizeof(part) - 1] = '\0';
	scene_by_hand();
	scene_say("get %s\r\nmn\r\n", a);
	scene_reply(0, "VALUE %s 0 120000\r\n%s", a, part);
	scene_reply(0, "%.20000s", part);
	/* Not all of it has come, but some was passed on. */
	ck_assert_uint_gt(scene->actors[0].got.len, 60000);
	scene_reply(0, "%.40000s\r\nEND\r\n", part);
	ck_assert_uint_eq(scene->actors[0].got.len,
	    strlen("VALUE  0 120000\r\n\r\nEND\r\nMN\r\n") + strlen(a) +
	    120000);
}
END_TEST

START_TEST(half_a_value_that_was_passed_on_ends_the_connection)
{
	const char *a = scene_key(0, 0);
	char part[60001];

	memset(part, 'v', sizeof(part) - 1);
	part[sizeof(part) - 1] = '\0';
	scene_by_hand();
	scene_say("get %s\r\nmn\r\n", a);
	scene_reply(0, "VALUE %s 0 120000\r\n%s", a, part);
	scene_reply(0, "%.20000s", part);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect_closed(0);
}
END_TEST

START_TEST(half_a_value_that_was_not_is_asked_for_again)
{
	const char *a = scene_key(0, 0);

	scene_by_hand();
	scene_say("get %s\r\nmn\r\n", a);
	scene_reply(0, "VALUE %s 0 10\r\n12345", a);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect_asked(0, "get %s\r\n", a);
	scene_reply(0, "VALUE %s 0 2\r\nok\r\nEND\r\n", a);
	scene_expect("VALUE %s 0 2\r\nok\r\nEND\r\nMN\r\n", a);
}
END_TEST

START_TEST(what_changes_a_server_is_never_asked_again)
{
	static const char *const asked[] = {"set %s 0 0 1\r\nx\r\n",
	    "incr %s 1\r\n", "delete %s\r\n", "touch %s 0\r\n",
	    "ms %s 1\r\nx\r\n", "md %s\r\n", "ma %s\r\n"};
	const char *a = scene_key(0, 0);
	char line[128];

	scene_by_hand();
	for (size_t i = 0; i < LENGTH(asked); i++) {
		snprintf(line, sizeof(line), asked[i], a);
		scene_say("%s", line);
		stage_break(scene, 0);
		stage_settle(scene);
		scene_expect("SERVER_ERROR s0: the server closed the "
		    "connection\r\n");
		stage_heal(scene);
	}
}
END_TEST

START_TEST(a_client_with_much_under_way_is_not_read)
{
	struct bytes said = {0};
	size_t nsaid = 0;

	scene_by_hand();
	/* Until the sockets between are full too. */
	for (int i = 0; i < 2000000 && said.len < 1 << 21; i++)
		bytes_say(&said, "delete a\r\n");
	stage_say(scene, 0, bytes_span(&said));
	stage_settle(scene);
	for (size_t i = 0; i < 2; i++) {
		if (stage_seat(scene, i) != NULL)
			nsaid += stage_seat(scene, i)->asked.len;
	}
	ck_assert_uint_eq(nsaid % 10, 0);
	ck_assert_uint_le(nsaid / 10, 1024);
	ck_assert_uint_gt(scene->actors[0].out.len, 0);
	/* Answered, it goes on to the end. */
	scene->houses[0].is_honest = scene->houses[1].is_honest = true;
	stage_settle(scene);
	ck_assert_uint_eq(scene->actors[0].out.len, 0);
	ck_assert_uint_eq(scene->actors[0].got.len,
	    said.len / 10 * strlen("NOT_FOUND\r\n"));
	bytes_free(&said);
}
END_TEST

START_TEST(a_client_that_does_not_read_is_not_read_either)
{
	const char *a = scene_key(0, 0);
	char value[60001];
	size_t before;

	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	scene_say("set %s 0 0 60000\r\n%s\r\n", a, value);
	scene_expect("STORED\r\n");
	scene->actors[0].is_deaf = true;
	for (int i = 0; i < 200; i++)
		scene_say("get %s\r\n", a);
	/* What is held is bounded; others go on. */
	before = atomic_load(&scene->budget.used);
	ck_assert_uint_lt(before, 2 << 20);
	stage_enter(scene, 1);
	stage_say(scene, 1, span_str("mn\r\n"));
	stage_settle(scene);
	scene_expect_of(1, "MN\r\n");
	scene->actors[0].is_deaf = false;
	stage_settle(scene);
	ck_assert_uint_eq(scene->actors[0].got.len, 200 * (60000 +
	    strlen("VALUE  0 60000\r\n\r\nEND\r\n") + strlen(a)));
}
END_TEST

START_TEST(a_server_that_reads_nothing_holds_up_its_own_clients_alone)
{
	/* Bodies that come whole, and in pieces. */
	static const int sizes[] = {3000, 60000};
	const char *a = scene_key(0, 0), *b = scene_key(1, 0);
	char value[60001];
	struct bytes said = {0};
	size_t n = 0;

	memset(value, 'v', sizeof(value));
	value[sizes[_i]] = '\0';

	scene_say("get %s\r\n", a);
	scene_expect("END\r\n");
	scene->houses[0].is_deaf = true;
	for (; said.len < 3 << 20; n++) {
		bytes_say(&said, "set %s 0 0 %d\r\n", a, sizes[_i]);
		bytes_add(&said, span_str(value));
		bytes_say(&said, "\r\n");
	}
	stage_say(scene, 0, bytes_span(&said));
	stage_settle(scene);
	scene_expect_nothing();
	ck_assert_uint_lt(atomic_load(&scene->budget.used), 2 << 20);
	stage_enter(scene, 1);
	stage_say(scene, 1, span_str("get "));
	stage_say(scene, 1, span_str(b));
	stage_say(scene, 1, span_str("\r\n"));
	stage_settle(scene);
	scene_expect_of(1, "END\r\n");
	/* Once it reads again, all of it arrives. */
	scene->houses[0].is_deaf = false;
	stage_settle(scene);
	ck_assert_uint_eq(scene->actors[0].got.len, n * strlen("STORED\r\n"));
	bytes_free(&said);
}
END_TEST

START_TEST(a_reset_in_the_middle_of_replies_is_no_trouble)
{
	const char *a = scene_key(0, 0);

	scene_say("set %s 0 0 5000\r\n%5000s\r\n", a, "");
	scene->actors[0].is_deaf = true;
	for (int i = 0; i < 20; i++)
		scene_say("get %s\r\n", a);
	/* What it has not read makes its end a reset. */
	stage_leave(scene, 0);
	stage_settle(scene);
	ck_assert_uint_eq(atomic_load(&scene->proxy.nclients), 0);
	stage_enter(scene, 1);
	stage_say(scene, 1, span_str("mn\r\n"));
	stage_settle(scene);
	scene_expect_of(1, "MN\r\n");
}
END_TEST

START_TEST(quit_ends_it_once_all_before_is_answered)
{
	const char *a = scene_key(0, 0);

	scene_by_hand();
	scene_say("delete %s\r\nset %s 0 0 1 noreply\r\nx\r\nquit\r\nmn\r\n",
	    a, a);
	ck_assert(!scene->actors[0].is_hung_up_on);
	scene_reply(0, "DELETED\r\n");
	scene_expect("DELETED\r\n");
	ck_assert(!scene->actors[0].is_hung_up_on);
	scene_reply(0, "STORED\r\n");
	scene_expect_nothing();
	scene_expect_closed(0);
}
END_TEST

START_TEST(a_client_that_says_no_more_is_answered_and_closed)
{
	const char *a = scene_key(0, 0);

	scene_by_hand();
	scene_say("get %s\r\nset %s 0 0 5\r\nab", a, a);
	stage_shut(scene, 0);
	stage_settle(scene);
	scene_expect_asked(0, "get %s\r\n", a);
	scene_reply(0, "END\r\n");
	scene_expect("END\r\n");
	scene_expect_closed(0);
}
END_TEST

START_TEST(replies_for_a_client_that_left_are_read_and_dropped)
{
	const char *a = scene_key(0, 0);

	scene_by_hand();
	scene_say("mn\r\n");
	scene_say("get %s\r\nget %s\r\n", a, a);
	stage_leave(scene, 0);
	stage_settle(scene);
	stage_enter(scene, 1);
	stage_say(scene, 1, span_str("get "));
	stage_say(scene, 1, span_str(a));
	stage_say(scene, 1, span_str("\r\n"));
	stage_settle(scene);
	scene_reply(0, "VALUE %s 0 1\r\n1\r\nEND\r\nVALUE %s 0 1\r\n2\r\n"
	    "END\r\nVALUE %s 0 1\r\n3\r\nEND\r\n", a, a, a);
	scene_expect_of(1, "VALUE %s 0 1\r\n3\r\nEND\r\n", a);
	ck_assert_uint_eq(scene->houses[0].nseats, 1);
}
END_TEST

START_TEST(a_line_without_an_end_ends_the_connection)
{
	char line[5001];

	memset(line, 'x', sizeof(line));
	line[2048] = '\0';
	scene_say("%s", line);
	ck_assert(!scene->actors[0].is_hung_up_on);
	scene_say("x");
	scene_expect_nothing();
	scene_expect_closed(0);
}
END_TEST

START_TEST(a_long_get_line_may_come_in_pieces_up_to_its_limit)
{
	char line[4097];

	memset(line, ' ', sizeof(line));
	line[4000] = '\0';
	scene_say("get a%s", line);
	scene_say("b\r\n");
	scene_expect("END\r\n");
	scene_say("get a%s", line);
	scene_say("%.91s", line);
	ck_assert(!scene->actors[0].is_hung_up_on);
	scene_say(" ");
	scene_expect_closed(0);
}
END_TEST

START_TEST(half_a_value_ends_a_client_that_says_no_more_too)
{
	const char *a = scene_key(0, 0);

	scene_by_hand();
	scene_say("get %s\r\n", a);
	stage_shut(scene, 0);
	scene_reply(0, "VALUE %s 0 120000\r\n%60000s", a, "");
	scene_reply(0, "%20000s", "");
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect_closed(0);
}
END_TEST

START_TEST(a_client_that_has_spoken_may_begin_as_another_protocol_does)
{
	scene_say("nosuch\r\n\x80 x\r\n\x16 x\r\nmn\r\n");
	scene_expect("ERROR\r\nERROR\r\nERROR\r\nMN\r\n");
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_COMMANDS), 4);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_COMMANDS_REFUSED), 3);
	stage_enter(scene, 1);
	stage_say(scene, 1, span_str("mn\r\n\x80 x\r\n"));
	stage_settle(scene);
	scene_expect_of(1, "MN\r\nERROR\r\n");
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_CLIENTS_FOREIGN), 0);
}
END_TEST

START_TEST(another_protocol_is_hung_up_on)
{
	scene_say("mn\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
	scene_expect("MN\r\n");
	scene_expect_closed(0);
	stage_enter(scene, 1);
	stage_say(scene, 1, span_of("\x80\0\0\0", 4));
	stage_enter(scene, 2);
	stage_say(scene, 2, span_of("\x16\3\1\0", 4));
	stage_settle(scene);
	scene_expect_closed(1);
	scene_expect_closed(2);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_CLIENTS_FOREIGN), 3);
}
END_TEST

START_TEST(a_value_above_the_limit_is_swallowed_and_its_item_deleted)
{
	const char *a = scene_key(0, 0);
	struct bytes said = {0};

	scene_say("set %s 0 0 1\r\nx\r\nadd %s 0 0 65537\r\n", a, a);
	for (int i = 0; i < 65537 + 2; i++)
		bytes_say(&said, "y");
	stage_say(scene, 0, bytes_span(&said));
	stage_settle(scene);
	/* An add changes nothing, a set would have replaced it. */
	scene_say("get %s\r\n", a);
	scene_expect("STORED\r\nSERVER_ERROR object too large for cache\r\n"
	    "VALUE %s 0 1\r\nx\r\nEND\r\n", a);
	scene_say("set %s 0 0 65537 noreply\r\n", a);
	stage_say(scene, 0, bytes_span(&said));
	scene_say("get %s\r\n", a);
	scene_expect("END\r\n");
	scene_say("ms %s 65537 q\r\n", a);
	stage_say(scene, 0, bytes_span(&said));
	scene_say("mn\r\n");
	scene_expect("SERVER_ERROR object too large for cache\r\nMN\r\n");
	/* The same item by its key in base64. */
	scene_say("set foo 0 0 1\r\nx\r\nms Zm9v 65537 b\r\n");
	stage_say(scene, 0, bytes_span(&said));
	scene_say("get foo\r\n");
	scene_expect("STORED\r\nSERVER_ERROR object too large for cache\r\n"
	    "END\r\n");
	bytes_free(&said);
}
END_TEST

/* Bodies of five bytes that do not end as announced, cut in two. */
static const char *const bad_bodies[][2] = {
	{"abc", "dexx"}, {"abcde", "\rx"}, {"abcde\r", "x"}, {"abcde", "x\n"},
	{"abcdex", "\n"}, {"", "abcde\n\r"}, {"abcdefg", ""},
};

START_TEST(a_bad_body_in_pieces_is_refused_and_taken_whole)
{
	const char *a = scene_key(0, 0);

	for (size_t i = 0; i < LENGTH(bad_bodies); i++) {
		scene_say("set %s 0 0 5\r\n", a);
		scene_say("%s", bad_bodies[i][0]);
		scene_say("%smn\r\nset %s 0 0 5 noreply\r\n",
		    bad_bodies[i][1], a);
		scene_say("%s", bad_bodies[i][0]);
		scene_say("%sget %s\r\n", bad_bodies[i][1], a);
		scene_expect("CLIENT_ERROR bad data chunk\r\nMN\r\nEND\r\n");
	}
}
END_TEST

START_TEST(the_last_turn_answers_what_is_under_way)
{
	const char *a = scene_key(0, 0);

	scene_by_hand();
	scene_say("get %s\r\n", a);
	worker_stop(scene->worker);
	ck_assert(worker_turn(scene->worker, scene->now_ms));
	stage_settle(scene);
	scene_reply(0, "END\r\n");
	scene_expect("END\r\n");
	scene_expect_closed(0);
	ck_assert(!worker_turn(scene->worker, scene->now_ms));
}
END_TEST

START_TEST(the_last_turn_waits_for_nobody_who_asked_nothing)
{
	worker_stop(scene->worker);
	ck_assert(!worker_turn(scene->worker, scene->now_ms));
}
END_TEST

START_TEST(the_last_turn_does_not_wait_for_ever)
{
	scene_by_hand();
	scene_say("get %s\r\n", scene_key(0, 0));
	worker_stop(scene->worker);
	ck_assert(worker_turn(scene->worker, scene->now_ms));
	/* The request has not timed out by then. */
	ck_assert(worker_turn(scene->worker, scene->now_ms + 999));
	ck_assert(!worker_turn(scene->worker, scene->now_ms + 1000));
	scene_expect_nothing();
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("clients");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, answers_wait_for_those_before_them);
	tcase_add_test(tc, a_value_in_pieces_is_one_answer);
	tcase_add_test(tc, a_long_value_passes_while_it_comes);
	tcase_add_test(tc,
	    half_a_value_that_was_passed_on_ends_the_connection);
	tcase_add_test(tc, half_a_value_that_was_not_is_asked_for_again);
	tcase_add_test(tc, what_changes_a_server_is_never_asked_again);
	tcase_add_test(tc, a_client_with_much_under_way_is_not_read);
	tcase_add_test(tc,
	    a_client_that_does_not_read_is_not_read_either);
	tcase_add_loop_test(tc,
	    a_server_that_reads_nothing_holds_up_its_own_clients_alone, 0,
	    2);
	tcase_add_test(tc, a_reset_in_the_middle_of_replies_is_no_trouble);
	tcase_add_test(tc, quit_ends_it_once_all_before_is_answered);
	tcase_add_test(tc, a_client_that_says_no_more_is_answered_and_closed);
	tcase_add_test(tc,
	    replies_for_a_client_that_left_are_read_and_dropped);
	tcase_add_test(tc, a_line_without_an_end_ends_the_connection);
	tcase_add_test(tc,
	    a_long_get_line_may_come_in_pieces_up_to_its_limit);
	tcase_add_test(tc,
	    half_a_value_ends_a_client_that_says_no_more_too);
	tcase_add_test(tc,
	    a_client_that_has_spoken_may_begin_as_another_protocol_does);
	tcase_add_test(tc, another_protocol_is_hung_up_on);
	tcase_add_test(tc,
	    a_value_above_the_limit_is_swallowed_and_its_item_deleted);
	tcase_add_test(tc,
	    a_bad_body_in_pieces_is_refused_and_taken_whole);
	tcase_add_test(tc, the_last_turn_answers_what_is_under_way);
	tcase_add_test(tc, the_last_turn_waits_for_nobody_who_asked_nothing);
	tcase_add_test(tc, the_last_turn_does_not_wait_for_ever);
	return case_run("clients", tc);
}
