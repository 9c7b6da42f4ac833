/*
 * Servers that lie, fail or answer late in the middle of a get of several
 * keys: what was whole is kept, nothing is counted that was not.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "scene.h"

/* Two keys of s0, one of s1. */
static const char *a, *b, *c;

static void
set_up_miss(void)
{
	scene_set_up(SCENE_CONF("", "    timeouts: {request: 1s}\n"
	    "    health: {failures: 1000}\n"));
	scene_by_hand();
	a = scene_key(0, 0);
	b = scene_key(0, 1);
	c = scene_key(1, 0);
	scene_say("get %s %s %s\r\n", a, c, b);
	scene_expect_asked(0, "get %s %s\r\n", a, b);
	scene_expect_asked(1, "get %s\r\n", c);
}

START_TEST(values_are_merged_in_the_order_asked)
{
	scene_reply(0, "VALUE %s 1 1\r\nA\r\nVALUE %s 2 1\r\nB\r\nEND\r\n", a,
	    b);
	scene_expect_nothing();
	scene_reply(1, "VALUE %s 3 1\r\nC\r\nEND\r\n", c);
	scene_expect("VALUE %s 1 1\r\nA\r\nVALUE %s 3 1\r\nC\r\n"
	    "VALUE %s 2 1\r\nB\r\nEND\r\n", a, c, b);
}
END_TEST

START_TEST(a_whole_value_before_nonsense_is_kept)
{
	scene_reply(0, "VALUE %s 1 1\r\nA\r\nNONSENSE\r\n", a);
	scene_reply(1, "END\r\n");
	scene_expect("VALUE %s 1 1\r\nA\r\nEND\r\n", a);
	ck_assert_ptr_null(stage_seat(scene, 0));
}
END_TEST

START_TEST(half_a_value_before_nonsense_is_dropped)
{
	scene_reply(0, "VALUE %s 1 1\r\nA\r\nVALUE %s 2 1\r\nBxx", a, b);
	scene_reply(1, "VALUE %s 3 1\r\nC\r\nEND\r\n", c);
	scene_expect("VALUE %s 1 1\r\nA\r\nVALUE %s 3 1\r\nC\r\nEND\r\n", a,
	    c);
}
END_TEST

START_TEST(an_error_after_a_value_makes_no_sense)
{
	scene_reply(0, "VALUE %s 1 1\r\nA\r\nSERVER_ERROR out of memory "
	    "writing get response\r\n", a);
	scene_reply(1, "END\r\n");
	scene_expect("VALUE %s 1 1\r\nA\r\nEND\r\n", a);
	ck_assert_ptr_null(stage_seat(scene, 0));
}
END_TEST

START_TEST(an_error_in_place_of_values_is_the_whole_reply)
{
	scene_reply(1, "VALUE %s 3 1\r\nC\r\nEND\r\n", c);
	scene_reply(0, "SERVER_ERROR out of memory\r\n");
	scene_expect("SERVER_ERROR out of memory\r\n");
	ck_assert_ptr_nonnull(stage_seat(scene, 0));
}
END_TEST

/* s1 is asked again after 900 ms, so it is not late yet when s0 is. */
static void
let_s0_be_late(void)
{
	stage_pass(scene, 900);
	stage_break(scene, 1);
	stage_settle(scene);
	scene_expect_asked(1, "get %s\r\n", c);
	stage_pass(scene, 200);
	scene_expect_nothing();
}

START_TEST(values_that_come_after_the_time_out_are_dropped)
{
	let_s0_be_late();
	scene_reply(0, "VALUE %s 1 1\r\nA\r\nEND\r\n", a);
	scene_reply(1, "VALUE %s 3 1\r\nC\r\nEND\r\n", c);
	scene_expect("VALUE %s 3 1\r\nC\r\nEND\r\n", c);
	/* And the next request is in step. */
	scene_say("get %s\r\n", a);
	scene_reply(0, "VALUE %s 7 1\r\nZ\r\nEND\r\n", a);
	scene_expect("VALUE %s 7 1\r\nZ\r\nEND\r\n", a);
}
END_TEST

START_TEST(a_value_cut_by_the_time_out_is_dropped)
{
	scene_reply(0, "VALUE %s 1 1\r\nA\r\nVALUE %s 2 4\r\nBB", a, b);
	let_s0_be_late();
	scene_reply(0, "BB\r\nEND\r\n");
	scene_reply(1, "VALUE %s 3 1\r\nC\r\nEND\r\n", c);
	scene_expect("VALUE %s 1 1\r\nA\r\nVALUE %s 3 1\r\nC\r\nEND\r\n",
	    a, c);
}
END_TEST

/*
 * Makes the proxy see that client 0 is gone: it cannot be written to.
 */
static void
vanish(void)
{
	stage_leave(scene, 0);
	stage_settle(scene);
	scene_reply(0, "END\r\n");
	scene_reply(1, "END\r\n");
	ck_assert_uint_eq(atomic_load(&scene->proxy.nclients), 0);
}

START_TEST(values_for_a_client_that_left_are_dropped)
{
	scene_say("get %s %s %s\r\n", a, c, b);
	vanish();
	/* A whole value, then the server's death. */
	scene_reply(0, "VALUE %s 1 1\r\nA\r\n", a);
	stage_break(scene, 0);
	stage_settle(scene);
	/* A whole value, then the time-out. */
	scene_reply(1, "VALUE %s 1 1\r\nA\r\n", c);
	stage_pass(scene, 1100);
	scene_reply(1, "END\r\n");
	stage_enter(scene, 1);
	stage_say(scene, 1, span_str("get k\r\n"));
	scene->houses[0].is_honest = scene->houses[1].is_honest = true;
	stage_settle(scene);
	scene_expect_of(1, "END\r\n");
	/* The three of the first get, which had its answer, and this one. */
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_GET_MISSES), 4);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_GET_HITS), 0);
}
END_TEST

START_TEST(values_beside_an_error_are_not_kept)
{
	uint64_t before;

	scene_reply(0, "SERVER_ERROR out of memory\r\n");
	before = atomic_load(&scene->budget.used);
	/* Enough pieces for more than one block. */
	scene_reply(1, "VALUE %s 3 64000\r\n%30000s", c, "");
	scene_reply(1, "%30000s", "");
	scene_reply(1, "%3000s", "");
	ck_assert_uint_lt(atomic_load(&scene->budget.used), before + 20000);
	scene_reply(1, "%1000s\r\nEND\r\n", "");
	scene_expect("SERVER_ERROR out of memory\r\n");
}
END_TEST

START_TEST(keys_not_answered_are_asked_again_on_a_new_connection)
{
	scene_reply(0, "VALUE %s 1 1\r\nA\r\nVALUE %s 2 1\r\nB", a, b);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect_asked(0, "get %s\r\n", b);
	scene_reply(0, "VALUE %s 2 1\r\nb\r\nEND\r\n", b);
	scene_reply(1, "END\r\n");
	scene_expect("VALUE %s 1 1\r\nA\r\nVALUE %s 2 1\r\nb\r\nEND\r\n", a,
	    b);
}
END_TEST

START_TEST(keys_are_asked_again_only_once)
{
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect_asked(0, "get %s %s\r\n", a, b);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_reply(1, "END\r\n");
	scene_expect("END\r\n");
}
END_TEST

START_TEST(a_lost_end_of_a_whole_reply_costs_nothing)
{
	scene_reply(0, "VALUE %s 1 1\r\nA\r\nVALUE %s 2 1\r\nB\r\nEN", a, b);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_reply(1, "END\r\n");
	scene_expect("VALUE %s 1 1\r\nA\r\nVALUE %s 2 1\r\nB\r\nEND\r\n", a,
	    b);
}
END_TEST

/* What a server may not say in answer to `get a b`. */
static const char *const lies[] = {
	"VALUE other 1 1\r\nA\r\nEND\r\n",
	"VALUE %s 1 1\r\nAB\r\nEND\r\n",
	"VALUE %s 1 1\r\nA\n\nEND\r\n",
	"VALUE %s 1 1 5\r\nA\r\nEND\r\n",
	"VALUE %s -1 1\r\nA\r\nEND\r\n",
	"VALUE %s 1 -1\r\nEND\r\n",
	"VALUE %s 4294967296 1\r\nA\r\nEND\r\n",
	"VALUE %s 1 2147483646\r\nA\r\nEND\r\n",
	"VALUE %s 1\r\nA\r\nEND\r\n",
	" END\r\n",
	"END\n",
	"ENDx\n",
	"END \r\n",
	"end\r\n",
	"STORED\r\n",
	"HD\r\n",
	"VA 1\r\nA\r\n",
	"5\r\n",
	"\r\n",
	"\n",
	"END\r\nEND\r\n",
	"END\r\nx",
};

START_TEST(a_lie_costs_the_server_its_connection)
{
	char text[128];

	snprintf(text, sizeof(text), lies[_i], a);
	scene_reply(0, "%s", text);
	ck_assert_msg(stage_seat(scene, 0) == NULL, "\"%s\" is taken", text);
	scene_reply(1, "VALUE %s 3 1\r\nC\r\nEND\r\n", c);
	scene_expect("VALUE %s 3 1\r\nC\r\nEND\r\n", c);
}
END_TEST

START_TEST(a_line_without_an_end_costs_the_server_its_connection)
{
	char text[2100];

	memset(text, 'x', sizeof(text));
	stage_reply(scene, 0, span_of(text, 2048));
	stage_settle(scene);
	ck_assert_ptr_nonnull(stage_seat(scene, 0));
	stage_reply(scene, 0, span_of(text, 1));
	stage_settle(scene);
	ck_assert_ptr_null(stage_seat(scene, 0));
}
END_TEST

START_TEST(keys_answered_out_of_order_are_a_lie)
{
	scene_reply(0, "VALUE %s 2 1\r\nB\r\nVALUE %s 1 1\r\nA\r\nEND\r\n", b,
	    a);
	ck_assert_ptr_null(stage_seat(scene, 0));
	scene_reply(1, "END\r\n");
	scene_expect("VALUE %s 2 1\r\nB\r\nEND\r\n", b);
}
END_TEST

START_TEST(bytes_that_nobody_asked_for_close_the_connection)
{
	scene_reply(0, "END\r\n");
	scene_reply(1, "END\r\n");
	scene_expect("END\r\n");
	scene_reply(0, "VALUE");
	ck_assert_ptr_null(stage_seat(scene, 0));
	scene->houses[0].is_honest = true;
	scene_say("get %s\r\n", a);
	scene_expect("END\r\n");
}
END_TEST

START_TEST(a_server_at_its_limit_has_not_answered)
{
	scene_reply(0, "ERROR Too many open connections\r\n");
	ck_assert_ptr_null(stage_seat(scene, 0));
	scene_reply(1, "VALUE %s 3 1\r\nC\r\nEND\r\n", c);
	scene_expect("VALUE %s 3 1\r\nC\r\nEND\r\n", c);
	scene_say("delete %s\r\n", a);
	scene_reply(0, "ERROR Too many open connections\r\n");
	scene_expect("SERVER_ERROR s0: the server takes no more "
	    "connections\r\n");
	/* Of a connection that has answered it is a reply like any other. */
	scene_say("delete %s\r\ndelete %s\r\n", a, a);
	scene_reply(0, "DELETED\r\nERROR Too many open connections\r\n");
	scene_expect("DELETED\r\nERROR Too many open connections\r\n");
	/* The next connection has not answered yet. */
	stage_break(scene, 0);
	stage_settle(scene);
	scene_say("delete %s\r\n", a);
	scene_reply(0, "ERROR Too many open connections\r\n");
	scene_expect("SERVER_ERROR s0: the server takes no more "
	    "connections\r\n");
}
END_TEST

START_TEST(a_reply_that_is_there_before_its_request_is_none)
{
	static const char asked[] = "get k\r\n";
	static const char reply[] = "VALUE k 0 1\r\nx\r\nEND\r\n";
	ssize_t n;

	scene_reply(0, "END\r\n");
	scene_reply(1, "END\r\n");
	scene_expect("END\r\n");
	/* Both are there for one turn, the request first. */
	n = send(scene->actors[0].fd, asked, sizeof(asked) - 1, 0);
	ck_assert_int_eq(n, sizeof(asked) - 1);
	for (size_t i = 0; i < 2; i++) {
		n = send(stage_seat(scene, i)->fd, reply, sizeof(reply) - 1,
		    0);
		ck_assert_int_eq(n, sizeof(reply) - 1);
	}
	stage_settle(scene);
	scene_expect("END\r\n");
	ck_assert_ptr_null(stage_seat(scene, 0));
	ck_assert_ptr_null(stage_seat(scene, 1));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("lies");

	tcase_add_checked_fixture(tc, set_up_miss, scene_tear_down);
	tcase_add_test(tc, values_are_merged_in_the_order_asked);
	tcase_add_test(tc, a_whole_value_before_nonsense_is_kept);
	tcase_add_test(tc, half_a_value_before_nonsense_is_dropped);
	tcase_add_test(tc, an_error_after_a_value_makes_no_sense);
	tcase_add_test(tc, an_error_in_place_of_values_is_the_whole_reply);
	tcase_add_test(tc, values_that_come_after_the_time_out_are_dropped);
	tcase_add_test(tc, a_value_cut_by_the_time_out_is_dropped);
	tcase_add_test(tc, values_for_a_client_that_left_are_dropped);
	tcase_add_test(tc, values_beside_an_error_are_not_kept);
	tcase_add_test(tc,
	    keys_not_answered_are_asked_again_on_a_new_connection);
	tcase_add_test(tc, keys_are_asked_again_only_once);
	tcase_add_test(tc, a_lost_end_of_a_whole_reply_costs_nothing);
	tcase_add_loop_test(tc, a_lie_costs_the_server_its_connection, 0,
	    LENGTH(lies));
	tcase_add_test(tc,
	    a_line_without_an_end_costs_the_server_its_connection);
	tcase_add_test(tc, keys_answered_out_of_order_are_a_lie);
	tcase_add_test(tc, a_server_at_its_limit_has_not_answered);
	tcase_add_test(tc,
	    a_reply_that_is_there_before_its_request_is_none);
	tcase_add_test(tc, bytes_that_nobody_asked_for_close_the_connection);
	return case_run("lies", tc);
}
