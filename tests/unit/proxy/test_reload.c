/* Tables that change under a worker. */
#include <stdio.h>
#include <string.h>

#include "scene.h"

#define ONE_POOL SCENE_CONF("", "")

/* The same without s1. */
static const char one_server[] =
    "config_version: 1\n"
    "listeners: [{listen: \"unix:${STAGE}/in\"}]\n"
    "pools:\n"
    "  main:\n"
    "    servers: [{name: s0, address: \"unix:${STAGE}/0\"}]\n";

/* Another pool behind another listener. */
static const char elsewhere[] =
    "config_version: 1\n"
    "listeners: [{listen: \"unix:${STAGE}/else\"}]\n"
    "pools:\n"
    "  other:\n"
    "    servers: [{name: s0, address: \"unix:${STAGE}/0\"}]\n";

/* The same pool behind another listener. */
static const char moved[] =
    "config_version: 1\n"
    "listeners: [{listen: \"unix:${STAGE}/else\"}]\n"
    "pools:\n"
    "  main:\n"
    "    servers: [{name: s0, address: \"unix:${STAGE}/0\"}]\n";

#define UNROUTED                                                               \
	"SERVER_ERROR the pool was removed from the configuration\r\n"

static void
set_up(void)
{
	scene_set_up(ONE_POOL);
}

START_TEST(a_kept_server_keeps_its_connection)
{
	const char *key = scene_key(0, 0);

	scene_say("get %s\r\n", key);
	scene_expect("END\r\n");
	stage_reload(scene, one_server);
	scene_say("get %s\r\n", key);
	scene_expect("END\r\n");
	ck_assert_uint_eq(scene->houses[0].nseats, 1);
}
END_TEST

START_TEST(a_removed_server_answers_what_it_owes_then_is_let_go)
{
	const char *key = scene_key(1, 0);

	scene_by_hand();
	scene_say("get %s\r\nset %s 0 0 1\r\nx\r\n", key, key);
	stage_reload(scene, one_server);
	stage_settle(scene);
	ck_assert_ptr_nonnull(stage_seat(scene, 1));
	scene_reply(1, "END\r\n");
	ck_assert_ptr_nonnull(stage_seat(scene, 1));
	scene_reply(1, "STORED\r\n");
	ck_assert_ptr_null(stage_seat(scene, 1));
	scene_expect("END\r\nSTORED\r\n");
	scene_say("get %s\r\n", key);
	scene_expect_asked(0, "get %s\r\n", key);
}
END_TEST

START_TEST(a_removed_server_that_owes_nothing_is_let_go_at_once)
{
	scene_say("get %s\r\n", scene_key(1, 0));
	scene_expect("END\r\n");
	stage_reload(scene, one_server);
	stage_settle(scene);
	ck_assert_ptr_null(stage_seat(scene, 1));
}
END_TEST

START_TEST(a_removed_server_that_fails_is_let_go)
{
	struct server *removed =
	    server_ref(scene->table->pools[0].servers[1]);

	scene_by_hand();
	scene_say("set %s 0 0 1\r\nx\r\n", scene_key(1, 0));
	stage_reload(scene, one_server);
	stage_settle(scene);
	stage_break(scene, 1);
	stage_settle(scene);
	scene_expect("SERVER_ERROR s1: the server closed the connection\r\n");
	/* The test alone still has it. */
	ck_assert_int_eq(atomic_load(&removed->refs), 1);
	server_unref(&removed);
}
END_TEST

/* Servers s0 to s2, or without s0. */
#define THREE(first)                                                           \
	"config_version: 1\n"                                                  \
	"listeners: [{listen: \"unix:${STAGE}/in\"}]\n"                        \
	"pools:\n"                                                             \
	"  main:\n"                                                            \
	"    servers:\n" first                                                 \
	"      - {name: s1, address: \"unix:${STAGE}/1\"}\n"                   \
	"      - {name: s2, address: \"unix:${STAGE}/2\"}\n"

START_TEST(keys_that_have_several_heirs_are_not_asked_for_again)
{
	scene_tear_down();
	scene_set_up_of(3, THREE("      - {name: s0, "
	    "address: \"unix:${STAGE}/0\"}\n"));
	scene_by_hand();
	scene_say("get");
	/* Enough of them for both. */
	for (size_t i = 0; i < 20; i++)
		scene_say(" %s", scene_key(0, i));
	scene_say("\r\n");
	stage_reload(scene, THREE(""));
	stage_settle(scene);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect_asked(1, "%s", "");
	scene_expect_asked(2, "%s", "");
	scene_expect("END\r\n");
}
END_TEST

START_TEST(a_get_lost_by_a_removed_server_is_asked_again_of_its_heir)
{
	const char *a = scene_key(1, 0), *b = scene_key(1, 1);

	scene_by_hand();
	scene_say("get %s %s\r\n", a, b);
	stage_reload(scene, one_server);
	stage_settle(scene);
	stage_break(scene, 1);
	stage_settle(scene);
	scene_expect_asked(0, "get %s %s\r\n", a, b);
	scene_reply(0, "VALUE %s 0 1\r\nB\r\nEND\r\n", b);
	scene_expect("VALUE %s 0 1\r\nB\r\nEND\r\n", b);
}
END_TEST

START_TEST(a_server_that_comes_back_while_it_drains_is_kept)
{
	const char *key = scene_key(1, 0);

	scene_by_hand();
	scene_say("get %s\r\n", key);
	stage_reload(scene, one_server);
	stage_settle(scene);
	stage_reload(scene, ONE_POOL);
	scene_say("get %s\r\n", key);
	scene_reply(1, "END\r\nEND\r\n");
	scene_expect("END\r\nEND\r\n");
	ck_assert_ptr_nonnull(stage_seat(scene, 1));
	scene_say("get %s\r\n", key);
	scene_reply(1, "END\r\n");
	scene_expect("END\r\n");
	ck_assert_uint_eq(scene->houses[1].nseats, 1);
}
END_TEST

START_TEST(time_outs_change_with_the_table)
{
	const char *key = scene_key(0, 0);

	scene_by_hand();
	scene_say("get %s\r\n", key);
	stage_reload(scene, SCENE_CONF("",
	    "    timeouts: {request: 100ms}\n"
	    "    on_down: error\n"));
	stage_settle(scene);
	stage_pass(scene, 150);
	scene_expect("SERVER_ERROR s0: request timed out\r\n");
}
END_TEST

START_TEST(connections_that_are_too_many_are_let_go)
{
	stage_reload(scene, SCENE_CONF("", "    server_connections: 3\n"));
	for (size_t i = 1; i < 4; i++)
		stage_enter(scene, i);
	for (size_t i = 0; i < 4; i++)
		stage_say(scene, i, span_str("get a b c d e f g\r\n"));
	stage_settle(scene);
	ck_assert_uint_eq(scene->houses[0].nseats, 3);
	stage_reload(scene, ONE_POOL);
	for (size_t i = 0; i < 4; i++) {
		stage_say(scene, i, span_str("get a b c d e f g\r\n"));
		stage_settle(scene);
		scene_expect_of(i, "END\r\nEND\r\n");
	}
	ck_assert_uint_eq(scene->houses[0].nseats, 3);
	ck_assert_int_ne(scene->houses[0].seats[0].fd, -1);
	ck_assert_int_eq(scene->houses[0].seats[1].fd, -1);
	ck_assert_int_eq(scene->houses[0].seats[2].fd, -1);
}
END_TEST

START_TEST(clients_of_a_removed_listener_keep_their_pool)
{
	stage_reload(scene, moved);
	scene_say("set a 0 0 1\r\nx\r\nget a\r\n");
	scene_expect("STORED\r\nVALUE a 0 1\r\nx\r\nEND\r\n");
}
END_TEST

static const struct {
	const char	*say;
	const char	*answer;
} unrouted[] = {
	{"get a\r\n", UNROUTED},
	{"get a b c\r\n", UNROUTED},
	{"gat 0 a b c\r\n", UNROUTED},
	{"gats 0 a\r\n", UNROUTED},
	{"set a 0 0 1\r\nx\r\n", UNROUTED},
	{"set a 0 0 1 noreply\r\nx\r\nmn\r\n", "MN\r\n"},
	{"mg a v\r\n", UNROUTED},
	{"mg a v q\r\n", UNROUTED},
	{"ms a 1\r\nx\r\n", UNROUTED},
	{"delete a\r\n", UNROUTED},
	{"flush_all\r\n", "CLIENT_ERROR flush_all not allowed\r\n"},
	{"set a 0 0 1048577\r\n",
	    "SERVER_ERROR object too large for cache\r\n"},
	{"mn\r\n", "MN\r\n"},
};

START_TEST(clients_of_a_removed_pool_are_told_so)
{
	stage_reload(scene, elsewhere);
	scene_say("%s", unrouted[_i].say);
	scene_expect("%s", unrouted[_i].answer);
}
END_TEST

START_TEST(many_keys_of_a_removed_pool_are_refused_in_one_line)
{
	struct bytes line = {0};

	stage_reload(scene, elsewhere);
	bytes_say(&line, "gat 0");
	for (int i = 0; i < 4000; i++)
		bytes_say(&line, " a");
	bytes_say(&line, "\r\nmn\r\n");
	stage_say(scene, 0, bytes_span(&line));
	stage_settle(scene);
	scene_expect(UNROUTED "MN\r\n");
	bytes_free(&line);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reload");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, a_kept_server_keeps_its_connection);
	tcase_add_test(tc,
	    a_removed_server_answers_what_it_owes_then_is_let_go);
	tcase_add_test(tc,
	    a_removed_server_that_owes_nothing_is_let_go_at_once);
	tcase_add_test(tc, a_removed_server_that_fails_is_let_go);
	tcase_add_test(tc,
	    a_get_lost_by_a_removed_server_is_asked_again_of_its_heir);
	tcase_add_test(tc,
	    keys_that_have_several_heirs_are_not_asked_for_again);
	tcase_add_test(tc, a_server_that_comes_back_while_it_drains_is_kept);
	tcase_add_test(tc, time_outs_change_with_the_table);
	tcase_add_test(tc, connections_that_are_too_many_are_let_go);
	tcase_add_test(tc, clients_of_a_removed_listener_keep_their_pool);
	tcase_add_loop_test(tc, clients_of_a_removed_pool_are_told_so, 0,
	    LENGTH(unrouted));
	tcase_add_test(tc,
	    many_keys_of_a_removed_pool_are_refused_in_one_line);
	return case_run("reload", tc);
}
