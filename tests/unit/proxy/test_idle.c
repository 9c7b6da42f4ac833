/* Clients that ask nothing. */
#include <string.h>

#include "scene.h"

static const char *key;

static void
set_up(void)
{
	scene_set_up(SCENE_CONF("client_idle: 10s",
	    "    timeouts: {request: 1h}\n"));
	key = scene_key(0, 0);
	scene_by_hand();
}

static void
expect_idle(uint64_t n)
{
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_CLIENTS_IDLE_CLOSED), n);
}

START_TEST(who_asks_nothing_is_closed_at_its_time_and_not_before)
{
	stage_pass(scene, 9999);
	scene_say("mn\r\n");
	scene_expect("MN\r\n");
	stage_pass(scene, 9999);
	ck_assert(!scene->actors[0].is_hung_up_on);
	stage_pass(scene, 1);
	scene_expect_closed(0);
	expect_idle(1);
}
END_TEST

START_TEST(who_never_asked_is_closed_too)
{
	stage_pass(scene, 9000);
	stage_enter(scene, 1);
	stage_settle(scene);
	stage_pass(scene, 1000);
	scene_expect_closed(0);
	ck_assert(!scene->actors[1].is_hung_up_on);
	stage_pass(scene, 9000);
	scene_expect_closed(1);
	expect_idle(2);
}
END_TEST

START_TEST(who_waits_for_an_answer_is_not_idle)
{
	scene_say("get %s\r\n", key);
	stage_pass(scene, 60000);
	scene_reply(0, "END\r\n");
	scene_expect("END\r\n");
	/* It begins to idle with the answer. */
	stage_pass(scene, 9999);
	ck_assert(!scene->actors[0].is_hung_up_on);
	stage_pass(scene, 1);
	scene_expect_closed(0);
}
END_TEST

START_TEST(who_has_not_read_its_answer_is_not_idle)
{
	scene->actors[0].is_deaf = true;
	scene_say("get %s\r\n", key);
	scene_reply(0, "VALUE %s 0 900000\r\n", key);
	for (int i = 0; i < 90; i++)
		scene_reply(0, "%10000s", "");
	scene_reply(0, "\r\nEND\r\n");
	stage_pass(scene, 60000);
	scene->actors[0].is_deaf = false;
	stage_settle(scene);
	ck_assert(!scene->actors[0].is_hung_up_on);
	ck_assert_uint_eq(scene->actors[0].got.len, 900000 + strlen(key) +
	    strlen("VALUE  0 900000\r\n\r\nEND\r\n"));
}
END_TEST

/* Nobody waits for the rest; else this would hold a connection for ever. */
static const char *const halves[] = {
	"ge", "set key 0 0 100\r\nhalf of ", "add key 0 0 9999999\r\nsome",
};

START_TEST(who_wants_no_answers_is_not_idle)
{
	scene->houses[0].is_honest = true;
	for (int i = 0; i < 3; i++) {
		stage_pass(scene, 9000);
		scene_say("delete %s noreply\r\n", key);
	}
	ck_assert(!scene->actors[0].is_hung_up_on);
	stage_pass(scene, 10000);
	scene_expect_closed(0);
}
END_TEST

START_TEST(half_a_command_does_not_keep_it)
{
	scene_say("%s", halves[_i]);
	stage_pass(scene, 9999);
	ck_assert(!scene->actors[0].is_hung_up_on);
	stage_pass(scene, 1);
	scene_expect_closed(0);
	expect_idle(1);
}
END_TEST

START_TEST(a_reload_turns_it_off)
{
	stage_reload(scene, SCENE_CONF("", ""));
	stage_settle(scene);
	stage_pass(scene, 100000);
	ck_assert(!scene->actors[0].is_hung_up_on);
	expect_idle(0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("idle");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc,
	    who_asks_nothing_is_closed_at_its_time_and_not_before);
	tcase_add_test(tc, who_never_asked_is_closed_too);
	tcase_add_test(tc, who_waits_for_an_answer_is_not_idle);
	tcase_add_test(tc, who_has_not_read_its_answer_is_not_idle);
	tcase_add_test(tc, who_wants_no_answers_is_not_idle);
	tcase_add_loop_test(tc, half_a_command_does_not_keep_it, 0,
	    LENGTH(halves));
	tcase_add_test(tc, a_reload_turns_it_off);
	return case_run("idle", tc);
}
