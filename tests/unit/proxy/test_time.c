/* Time-outs, late replies, connections that were idle. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "scene.h"

static const char *key;

static void
set_up(void)
{
	scene_set_up(SCENE_CONF("", "    on_down: error\n"
	    "    timeouts: {request: 1s}\n"
	    "    health: {failures: 100}\n"));
	key = scene_key(0, 0);
	scene_by_hand();
}

#define LATE "SERVER_ERROR s0: request timed out\r\n"

START_TEST(a_request_times_out_at_its_time_and_not_before)
{
	scene_say("get %s\r\n", key);
	stage_pass(scene, 999);
	scene_expect_nothing();
	stage_pass(scene, 1);
	scene_expect(LATE);
}
END_TEST

START_TEST(each_request_has_its_own_time)
{
	scene_say("get %s\r\n", key);
	stage_pass(scene, 600);
	scene_say("get %s\r\n", key);
	stage_pass(scene, 600);
	scene_expect(LATE);
	stage_pass(scene, 400);
	scene_expect(LATE);
}
END_TEST

START_TEST(a_late_reply_is_dropped_and_the_next_one_is_its_own)
{
	scene_say("get %s\r\n", key);
	stage_pass(scene, 1000);
	scene_expect(LATE);
	scene_say("get %s\r\ndelete %s\r\n", key, key);
	scene_reply(0, "VALUE %s 0 4\r\nlate\r\nEND\r\n", key);
	scene_expect_nothing();
	scene_reply(0, "VALUE %s 0 2\r\nok\r\nEND\r\nDELETED\r\n", key);
	scene_expect("VALUE %s 0 2\r\nok\r\nEND\r\nDELETED\r\n", key);
	ck_assert_uint_eq(scene->houses[0].nseats, 1);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_SERVER_LATE_REPLIES), 1);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_SERVER_TIMEOUTS), 1);
}
END_TEST

START_TEST(the_rest_of_a_late_reply_is_dropped)
{
	scene_say("mg %s v\r\n", key);
	scene_reply(0, "VA 10\r\n12345");
	stage_pass(scene, 1000);
	scene_expect(LATE);
	scene_say("mg %s v\r\n", key);
	scene_reply(0, "67890\r\nVA 1\r\nx\r\n");
	scene_expect("VA 1\r\nx\r\n");
}
END_TEST

START_TEST(a_trickle_does_not_keep_a_request_alive)
{
	scene_say("get %s\r\n", key);
	scene_reply(0, "VALUE %s 0 100\r\n", key);
	for (int i = 0; i < 10; i++) {
		scene_expect_nothing();
		scene_reply(0, "x");
		stage_pass(scene, 100);
	}
	scene_expect(LATE);
}
END_TEST

START_TEST(those_behind_a_reply_that_flows_time_out_all_the_same)
{
	char part[65001];

	memset(part, 'v', sizeof(part) - 1);
	part[sizeof(part) - 1] = '\0';
	scene_say("get %s\r\n", key);
	stage_enter(scene, 1);
	stage_say(scene, 1, span_str("get "));
	stage_say(scene, 1, span_str(key));
	stage_say(scene, 1, span_str("\r\n"));
	scene_reply(0, "VALUE %s 0 650000\r\n", key);
	for (int i = 0; i < 3; i++) {
		stage_pass(scene, 500);
		scene_reply(0, "%s", part);
		scene_reply(0, "%s", part);
	}
	scene_expect_of(1, LATE);
	ck_assert(!scene->actors[0].is_hung_up_on);
	for (int i = 0; i < 4; i++)
		scene_reply(0, "%s", part);
	scene_reply(0, "\r\nEND\r\n");
	ck_assert_uint_eq(scene->actors[0].got.len, 650000 +
	    strlen("VALUE  0 650000\r\n\r\nEND\r\n") + strlen(key));
}
END_TEST

START_TEST(a_server_that_owes_a_reply_too_long_is_left)
{
	scene_say("get %s\r\n", key);
	stage_pass(scene, 1000);
	scene_expect(LATE);
	stage_pass(scene, 2900);
	ck_assert_ptr_nonnull(stage_seat(scene, 0));
	stage_pass(scene, 200);
	ck_assert_ptr_null(stage_seat(scene, 0));
	scene_say("get %s\r\n", key);
	scene_reply(0, "END\r\n");
	scene_expect("END\r\n");
}
END_TEST

START_TEST(a_server_that_owes_too_many_replies_is_left)
{
	struct bytes said = {0};

	/* One more than may be owed, by two clients at one time. */
	for (int i = 0; i < 512; i++)
		bytes_say(&said, "delete %s\r\n", key);
	stage_enter(scene, 1);
	for (size_t i = 0; i < 2; i++)
		stage_say(scene, i, bytes_span(&said));
	stage_settle(scene);
	stage_pass(scene, 999);
	health_set_policy(&scene->table->pools[0].servers[0]->health,
	    &(struct health_policy){.failures = 0});
	stage_pass(scene, 1);
	ck_assert_ptr_nonnull(stage_seat(scene, 0));
	bytes_drop(&scene->actors[0].got, scene->actors[0].got.len);
	scene_say("delete %s\r\n", key);
	stage_pass(scene, 1000);
	scene_expect(LATE);
	ck_assert_ptr_null(stage_seat(scene, 0));
	bytes_free(&said);
}
END_TEST

START_TEST(late_replies_that_came_are_owed_no_more)
{
	struct bytes said = {0};

	health_set_policy(&scene->table->pools[0].servers[0]->health,
	    &(struct health_policy){.failures = 0});
	/* Twice, and both times together more than may be owed. */
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < 600; j++)
			bytes_say(&said, "delete %s\r\n", key);
		stage_say(scene, 0, bytes_span(&said));
		stage_settle(scene);
		bytes_drop(&said, said.len);
		stage_pass(scene, 1000);
		for (int j = 0; j < 600; j++)
			bytes_say(&said, "DELETED\r\n");
		ck_assert_ptr_nonnull(stage_seat(scene, 0));
		stage_reply(scene, 0, bytes_span(&said));
		stage_settle(scene);
		bytes_drop(&said, said.len);
	}
	ck_assert_uint_eq(scene->houses[0].nseats, 1);
	bytes_free(&said);
}
END_TEST

START_TEST(a_reply_that_flowed_before_sets_no_clock_anew)
{
	char part[65001];

	memset(part, 'v', sizeof(part) - 1);
	part[sizeof(part) - 1] = '\0';
	scene_say("mg %s v\r\ndelete %s\r\n", key, key);
	scene_reply(0, "VA 130000\r\n%s", part);
	stage_pass(scene, 900);
	scene_reply(0, "%s", part);
	scene_reply(0, "\r\n");
	bytes_drop(&scene->actors[0].got, scene->actors[0].got.len);
	stage_pass(scene, 99);
	scene_expect_nothing();
	stage_pass(scene, 1);
	scene_expect(LATE);
}
END_TEST

START_TEST(what_waits_behind_late_replies_fails_with_them)
{
	scene_say("get %s\r\n", key);
	stage_pass(scene, 3500);
	scene_expect(LATE);
	scene_say("delete %s\r\n", key);
	stage_pass(scene, 600);
	scene_expect("SERVER_ERROR s0: the server owes too many late "
	    "replies\r\n");
}
END_TEST

START_TEST(time_outs_open_the_breaker)
{
	for (int i = 0; i < 100; i++)
		scene_say("delete %s\r\n", key);
	stage_pass(scene, 1000);
	ck_assert_int_eq(health_state(&scene->table->pools[0].servers[0]
	    ->health), HEALTH_DOWN);
	for (int i = 0; i < 100; i++)
		bytes_drop(&scene->actors[0].got, strlen(LATE));
	scene_expect_nothing();
}
END_TEST

/* What is asked of a connection that the server has closed by then. */
static const struct {
	const char	*asked;
	const char	*answer;
} after_idling[] = {
	{"delete %s\r\n", "NOT_FOUND\r\n"},
	{"set %s 0 0 1\r\nx\r\n", "STORED\r\n"},
	{"incr %s 1\r\n", "NOT_FOUND\r\n"},
	{"get %s\r\n", "END\r\n"},
	{"mg %s v\r\n", "EN\r\n"},
};

START_TEST(a_connection_closed_while_idle_is_replaced_unnoticed)
{
	char line[64];

	scene->houses[0].is_honest = true;
	scene_say("touch %s 0\r\n", key);
	scene_expect("NOT_FOUND\r\n");
	for (int i = 0; i < 2; i++) {
		/* Long idle, and not: seen by then, and in that very turn. */
		stage_pass(scene, i == 0 ? 2000 : 1);
		stage_break(scene, 0);
		snprintf(line, sizeof(line), after_idling[_i].asked, key);
		scene_say("%s", line);
		scene_expect("%s", after_idling[_i].answer);
		cache_clear(scene->houses[0].cache);
	}
	ck_assert_uint_eq(scene->houses[0].nseats, 3);
}
END_TEST

START_TEST(a_request_that_meets_the_end_of_an_idle_connection_is_kept)
{
	char line[64];
	int len = snprintf(line, sizeof(line), after_idling[_i].asked, key);

	scene->houses[0].is_honest = true;
	scene_say("touch %s 0\r\n", key);
	scene_expect("NOT_FOUND\r\n");
	/* Both are there for one turn, the request first. */
	ck_assert_int_eq(send(scene->actors[0].fd, line, (size_t)len, 0), len);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect("%s", after_idling[_i].answer);
	ck_assert_uint_eq(scene->houses[0].nseats, 2);
}
END_TEST

/* It fails with its connection, and no other one is opened for it. */
static void
lose_a_delete(void)
{
	scene_say("delete %s\r\n", key);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect("SERVER_ERROR s0: the server closed the connection\r\n");
	ck_assert_uint_eq(scene->houses[0].nseats, 1);
}

START_TEST(a_connection_that_never_answered_is_not_replaced)
{
	lose_a_delete();
}
END_TEST

START_TEST(what_a_connection_has_carried_is_not_repeated)
{
	scene_say("delete %s\r\n", key);
	scene_reply(0, "DELETED\r\n");
	scene_expect("DELETED\r\n");
	lose_a_delete();
}
END_TEST

/* The answers when it is asked for again. */
static const char *const again[] = {
	"VALUE %s 0 1\r\nb\r\nEND\r\n", "END\r\n", "SERVER_ERROR busy\r\n",
};

START_TEST(a_whole_value_without_its_end_is_asked_for_again)
{
	char reply[64];

	snprintf(reply, sizeof(reply), again[_i], key);
	scene_say("get %s\r\n", key);
	scene_reply(0, "VALUE %s 0 1\r\na\r\n", key);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_reply(0, "%s", reply);
	scene_expect("%s", reply);
	/* A hit, a miss, or neither. */
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_GET_HITS),
	    _i == 0);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_GET_MISSES),
	    _i == 1);
}
END_TEST

/* As if it had been down, and a probe been answered. */
static struct health *
put_on_trial(void)
{
	struct health *health =
	    &scene->table->pools[0].servers[0]->health;

	ck_assert(health_open(health, scene->now_ms, 0));
	health_probe_succeeded(health);
	return health;
}

/* A firewall may have forgotten it, and would say nothing. */
START_TEST(a_connection_that_was_silent_for_long_is_not_trusted)
{
	scene_say("delete %s\r\n", key);
	scene_reply(0, "DELETED\r\n");
	scene_expect("DELETED\r\n");
	stage_pass(scene, 4999);
	scene_say("delete %s\r\n", key);
	ck_assert_uint_eq(scene->houses[0].nseats, 1);
	scene_reply(0, "DELETED\r\n");
	scene_expect("DELETED\r\n");
	stage_pass(scene, 5000);
	scene_say("set %s 0 0 1\r\nx\r\n", key);
	ck_assert_uint_eq(scene->houses[0].nseats, 2);
	scene_expect_asked(0, "set %s 0 0 1\r\nx\r\n", key);
	scene_reply(0, "STORED\r\n");
	scene_expect("STORED\r\n");
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_SERVER_FAILURES), 0);
}
END_TEST

START_TEST(a_connection_older_than_the_last_opening_is_not_used_again)
{
	struct health *health;

	scene->houses[0].is_honest = true;
	scene_say("touch %s 0\r\n", key);
	health = put_on_trial();
	for (int i = 0; i < HEALTH_PROOF; i++)
		scene_say("touch %s 0\r\n", key);
	scene_expect("NOT_FOUND\r\nNOT_FOUND\r\nNOT_FOUND\r\n"
	    "NOT_FOUND\r\n");
	ck_assert_uint_eq(scene->houses[0].nseats, 2);
	ck_assert_int_eq(health_state(health), HEALTH_UP);
	/* It serves on from there. */
	scene_say("touch %s 0\r\n", key);
	scene_expect("NOT_FOUND\r\n");
	ck_assert_uint_eq(scene->houses[0].nseats, 2);
}
END_TEST

START_TEST(what_was_asked_before_the_opening_spoils_no_trial)
{
	struct health *health;

	scene_say("delete %s\r\n", key);
	stage_pass(scene, 500);
	health = put_on_trial();
	scene_say("delete %s\r\n", key);
	stage_pass(scene, 500);
	/* Late, and its connection is not waited for any more. */
	scene_expect(LATE "SERVER_ERROR s0: the server owes too many late "
	    "replies\r\n");
	ck_assert_int_eq(health_state(health), HEALTH_TRIAL);
	ck_assert_ptr_null(stage_seat(scene, 0));
	/* What is asked since then counts. */
	scene_say("delete %s\r\n", key);
	stage_pass(scene, 1000);
	scene_expect(LATE);
	ck_assert_int_eq(health_state(health), HEALTH_DOWN);
	ck_assert_uint_eq(health_count(health, HEALTH_RELAPSES), 1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("time");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, a_request_times_out_at_its_time_and_not_before);
	tcase_add_test(tc, each_request_has_its_own_time);
	tcase_add_test(tc,
	    a_late_reply_is_dropped_and_the_next_one_is_its_own);
	tcase_add_test(tc, the_rest_of_a_late_reply_is_dropped);
	tcase_add_test(tc, a_trickle_does_not_keep_a_request_alive);
	tcase_add_test(tc,
	    those_behind_a_reply_that_flows_time_out_all_the_same);
	tcase_add_test(tc, a_server_that_owes_a_reply_too_long_is_left);
	tcase_add_test(tc, a_server_that_owes_too_many_replies_is_left);
	tcase_add_test(tc, late_replies_that_came_are_owed_no_more);
	tcase_add_test(tc, a_reply_that_flowed_before_sets_no_clock_anew);
	tcase_add_test(tc, what_waits_behind_late_replies_fails_with_them);
	tcase_add_test(tc, time_outs_open_the_breaker);
	tcase_add_loop_test(tc,
	    a_connection_closed_while_idle_is_replaced_unnoticed, 0,
	    LENGTH(after_idling));
	tcase_add_loop_test(tc,
	    a_request_that_meets_the_end_of_an_idle_connection_is_kept, 0,
	    LENGTH(after_idling));
	tcase_add_test(tc, a_connection_that_never_answered_is_not_replaced);
	tcase_add_test(tc, what_a_connection_has_carried_is_not_repeated);
	tcase_add_loop_test(tc,
	    a_whole_value_without_its_end_is_asked_for_again, 0,
	    LENGTH(again));
	tcase_add_test(tc,
	    a_connection_that_was_silent_for_long_is_not_trusted);
	tcase_add_test(tc,
	    a_connection_older_than_the_last_opening_is_not_used_again);
	tcase_add_test(tc,
	    what_was_asked_before_the_opening_spoils_no_trial);
	return case_run("time", tc);
}
