/* What clients are told when a server cannot answer, by the pool's policy. */
#include <stdio.h>
#include <string.h>

#include "scene.h"

/* What is asked of s0, and the answer while s0 refuses connections. */
static const struct {
	const char	*asked;		/* %s: a key of s0 */
	const char	*miss;		/* with on_down: miss */
	const char	*error;		/* and error; NULL: the usual one */
} answers[] = {
	{"get %s\r\n", "END\r\n", NULL},
	{"gets %s\r\n", "END\r\n", NULL},
	{"gat 0 %s\r\n", "END\r\n", NULL},
	{"mg %s v\r\n", "EN\r\n", NULL},
	{"mg %s v k O7\r\n", "EN k%s O7\r\n", NULL},
	{"mg %s v q\r\n", "", NULL},
	{"set %s 0 0 1\r\nx\r\n", NULL, NULL},
	{"set %s 0 0 1 noreply\r\nx\r\n", "", ""},
	{"ms %s 1 q\r\nx\r\n", NULL, NULL},
	{"add %s 0 0 1\r\nx\r\n", NULL, NULL},
	{"delete %s\r\n", NULL, NULL},
	{"delete %s noreply\r\n", "", ""},
	{"incr %s 1\r\n", NULL, NULL},
	{"touch %s 0\r\n", NULL, NULL},
	{"md %s q\r\n", NULL, NULL},
	{"ma %s\r\n", NULL, NULL},
	{"me %s\r\n", NULL, NULL},
	{"set %s 0 0 70000\r\n", "SERVER_ERROR object too large for cache\r\n",
	    "SERVER_ERROR object too large for cache\r\n"},
};

#define CANNOT "SERVER_ERROR s0: cannot connect\r\n"

static void
shut_s0(void)
{
	stage_set_open(scene, 0, false);
	stage_break(scene, 0);
}

static void
expect_answers(bool is_error)
{
	const char *key = scene_key(0, 0);
	char asked[128], wanted[128];

	for (size_t i = 0; i < LENGTH(answers); i++) {
		const char *answer = is_error ? answers[i].error :
		    answers[i].miss;

		snprintf(asked, sizeof(asked), answers[i].asked, key);
		if (answer == NULL)
			snprintf(wanted, sizeof(wanted), CANNOT);
		else
			snprintf(wanted, sizeof(wanted), answer, key);
		/* The last one is behind a body that is swallowed. */
		scene_say("%smn\r\n", asked);
		if (strstr(asked, "70000") != NULL) {
			scene_expect("%s", wanted);
			break;
		}
		scene_expect("%sMN\r\n", wanted);
		stage_heal(scene);
	}
}

START_TEST(by_miss_reads_miss_and_writes_fail)
{
	scene_set_up(SCENE_CONF("value_size: 64KiB", "    on_down: miss\n"));
	shut_s0();
	expect_answers(false);
	/* The first six are reads. */
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_GET_MISSES), 6);
	scene_tear_down();
}
END_TEST

START_TEST(by_error_everything_fails)
{
	scene_set_up(SCENE_CONF("value_size: 64KiB", "    on_down: error\n"));
	shut_s0();
	expect_answers(true);
	scene_tear_down();
}
END_TEST

START_TEST(one_failing_server_costs_only_its_own_keys)
{
	const char *a, *b;

	scene_set_up(SCENE_CONF("", "    on_down: miss\n"));
	a = scene_key(0, 0);
	b = scene_key(1, 0);
	scene_say("set %s 0 0 1\r\nA\r\nset %s 0 0 1\r\nB\r\n", a, b);
	scene_expect("STORED\r\nSTORED\r\n");
	shut_s0();
	scene_say("get %s %s\r\n", a, b);
	scene_expect("VALUE %s 0 1\r\nB\r\nEND\r\n", b);
	scene_tear_down();
}
END_TEST

START_TEST(by_error_one_failing_key_is_the_whole_reply)
{
	const char *a, *b;

	scene_set_up(SCENE_CONF("", "    on_down: error\n"));
	a = scene_key(0, 0);
	b = scene_key(1, 0);
	scene_say("set %s 0 0 1\r\nB\r\n", b);
	scene_expect("STORED\r\n");
	shut_s0();
	scene_say("get %s %s %s\r\nmn\r\n", b, a, b);
	scene_expect(CANNOT "MN\r\n");
	scene_tear_down();
}
END_TEST

/* What a server says to a quiet command of one key, and what is told. */
static const struct {
	const char	*asked;
	const char	*reply;
	const char	*told;
} quiet[] = {
	{"mg %s q\r\n", "EN\r\n", ""},
	{"mg %s q\r\n", "HD\r\n", "HD\r\n"},
	{"mg %s q v\r\n", "VA 1\r\nx\r\n", "VA 1\r\nx\r\n"},
	{"ms %s 1 q\r\nx\r\n", "HD\r\n", ""},
	{"ms %s 1 q\r\nx\r\n", "NS\r\n", "NS\r\n"},
	{"md %s q\r\n", "HD\r\n", ""},
	{"ma %s q\r\n", "HD\r\n", ""},
	{"ma %s q v\r\n", "VA 1\r\n5\r\n", ""},
	{"ma %s q v\r\n", "SERVER_ERROR busy\r\n", "SERVER_ERROR busy\r\n"},
};

START_TEST(quiet_commands_are_told_what_memcached_tells)
{
	char asked[64];

	scene_set_up(SCENE_CONF("", ""));
	scene_by_hand();
	snprintf(asked, sizeof(asked), quiet[_i].asked, scene_key(0, 0));
	scene_say("%smn\r\n", asked);
	scene_reply(0, "%s", quiet[_i].reply);
	scene_expect("%sMN\r\n", quiet[_i].told);
	scene_tear_down();
}
END_TEST

START_TEST(a_gat_of_many_keys_is_asked_in_short_lines)
{
	struct span asked;
	size_t nlines = 0;

	scene_set_up(SCENE_CONF("", ""));
	scene_by_hand();
	scene_say("gat 0");
	for (size_t i = 0; i < 60; i++)
		scene_say(" %0100d", 0);
	scene_say("\r\n");
	for (size_t i = 0; i < 2; i++) {
		if (stage_seat(scene, i) == NULL)
			continue;
		asked = bytes_span(&stage_seat(scene, i)->asked);
		while (asked.len > 0) {
			size_t len = (size_t)((const char *)memchr(asked.p,
			    '\n', asked.len) - asked.p) + 1;

			ck_assert_uint_le(len, 2002);
			asked = span_of(asked.p + len, asked.len - len);
			nlines++;
		}
	}
	/* As few as can be: 19 keys of 101 bytes in each. */
	ck_assert_uint_eq(nlines, 4);
	scene_tear_down();
}
END_TEST

/* As many failures as open the breaker. */
static void
take_down_s0(const char *key)
{
	shut_s0();
	for (int i = 0; i < 2; i++)
		scene_say("delete %s\r\n", key);
	scene_expect(CANNOT CANNOT);
}

START_TEST(a_server_that_is_down_is_not_asked)
{
	const char *key;

	scene_set_up(SCENE_CONF("", "    health: {failures: 2}\n"));
	key = scene_key(0, 0);
	take_down_s0(key);
	stage_set_open(scene, 0, true);
	scene_say("delete %s\r\nget %s\r\nget %s %s\r\n", key, key, key,
	    scene_key(1, 0));
	scene_expect("SERVER_ERROR s0: the server is down\r\nEND\r\nEND\r\n");
	ck_assert_uint_eq(scene->houses[0].nseats, 0);
	scene_tear_down();
}
END_TEST

START_TEST(a_body_that_is_whole_too_late_is_refused)
{
	const char *key;

	scene_set_up(SCENE_CONF("", "    health: {failures: 1}\n"));
	key = scene_key(0, 0);
	scene_say("set %s 0 0 5\r\nab", key);
	health_open(&scene->table->pools[0].servers[0]->health,
	    scene->now_ms, 0);
	scene_say("cde\r\nmn\r\n");
	scene_expect("SERVER_ERROR s0: the server is down\r\nMN\r\n");
	scene_tear_down();
}
END_TEST

START_TEST(after_a_probe_real_replies_bring_it_back)
{
	struct server *s0;
	const char *key;

	scene_set_up(SCENE_CONF("", "    health: {failures: 2}\n"));
	key = scene_key(0, 0);
	s0 = scene->table->pools[0].servers[0];
	take_down_s0(key);
	stage_set_open(scene, 0, true);
	health_probe_succeeded(&s0->health);
	for (int i = 0; i < HEALTH_PROOF; i++)
		scene_say("delete %s\r\n", key);
	scene_expect("NOT_FOUND\r\nNOT_FOUND\r\nNOT_FOUND\r\n");
	ck_assert_int_eq(health_state(&s0->health), HEALTH_UP);
	scene_tear_down();
}
END_TEST

START_TEST(by_next_the_keys_of_a_server_that_is_down_move_on)
{
	const char *a, *b;

	scene_set_up(SCENE_CONF("", "    on_down: next\n"
	    "    health: {failures: 2}\n"));
	a = scene_key(0, 0);
	b = scene_key(0, 1);
	take_down_s0(a);
	scene_say("set %s 0 0 1\r\nA\r\nget %s %s\r\n", a, b, a);
	scene_expect("STORED\r\nVALUE %s 0 1\r\nA\r\nEND\r\n", a);
	scene_by_hand();
	scene_say("get %s\r\n", a);
	scene_expect_asked(1, "get %s\r\n", a);
	scene_reply(1, "END\r\n");
	/* They come back with it. */
	stage_set_open(scene, 0, true);
	stage_heal(scene);
	scene_say("get %s\r\n", a);
	scene_expect_asked(0, "get %s\r\n", a);
	scene_tear_down();
}
END_TEST

START_TEST(by_next_with_no_server_left_the_owner_answers_for_it)
{
	const char *a;

	scene_set_up(SCENE_CONF("", "    on_down: next\n"
	    "    health: {failures: 1}\n"));
	a = scene_key(0, 0);
	for (size_t i = 0; i < 2; i++)
		health_open(&scene->table->pools[0].servers[i]->health,
		    scene->now_ms, 0);
	scene_say("get %s\r\ndelete %s\r\n", a, a);
	scene_expect("END\r\nSERVER_ERROR s0: the server is down\r\n");
	scene_tear_down();
}
END_TEST

START_TEST(flush_all_reaches_every_server_or_says_which_it_did_not)
{
	const char *a, *b;

	scene_set_up(SCENE_CONF("", "    flush_all: true\n"));
	a = scene_key(0, 0);
	b = scene_key(1, 0);
	scene_say("set %s 0 0 1\r\nA\r\nset %s 0 0 1\r\nB\r\n", a, b);
	scene_say("flush_all\r\nget %s %s\r\n", a, b);
	scene_expect("STORED\r\nSTORED\r\nOK\r\nEND\r\n");
	scene_say("flush_all noreply\r\nflush_all abc\r\nmn\r\n");
	scene_expect("CLIENT_ERROR invalid exptime argument\r\nMN\r\n");
	shut_s0();
	scene_say("flush_all\r\nflush_all noreply\r\nmn\r\n");
	scene_expect(CANNOT "MN\r\n");
	scene_by_hand();
	scene_say("flush_all 10\r\nflush_all -3\r\n");
	scene_expect_asked(1, "flush_all 10\r\nflush_all -3\r\n");
	scene_tear_down();
}
END_TEST

START_TEST(past_the_queue_requests_fail_at_once)
{
	const char *key;

	scene_set_up(SCENE_CONF("", "    server_queue: 3\n"));
	key = scene_key(0, 0);
	scene_by_hand();
	scene_say("delete %s\r\ndelete %s\r\ndelete %s\r\n", key, key, key);
	scene_say("get %s\r\ndelete %s\r\nget %s %s\r\n", key, key, key,
	    scene_key(0, 1));
	scene_reply(0, "DELETED\r\nNOT_FOUND\r\nDELETED\r\n");
	scene_expect("DELETED\r\nNOT_FOUND\r\nDELETED\r\nEND\r\n"
	    "SERVER_ERROR s0: too many requests are queued\r\nEND\r\n");
	scene_tear_down();
}
END_TEST

/* Sends values until a delete behind one is refused: how many went before. */
static size_t
store_until_refused(const char *key)
{
	static const char refusal[] =
	    "SERVER_ERROR s0: too many requests are queued\r\n";
	size_t n;

	for (n = 0; n < 100; n++) {
		scene_say("set %s 0 0 60000\r\n%60000s\r\n", key, "");
		stage_enter(scene, 1);
		stage_say(scene, 1, span_str("delete "));
		stage_say(scene, 1, span_str(key));
		stage_say(scene, 1, span_str("\r\n"));
		stage_settle(scene);
		if (scene->actors[1].got.len > 0) {
			scene_expect_of(1, refusal);
			return n;
		}
		stage_leave(scene, 1);
	}
	return n;
}

START_TEST(past_the_bytes_of_a_queue_requests_fail_at_once)
{
	const char *key;
	size_t n;

	scene_set_up(SCENE_CONF("", "    server_queue_bytes: 200KiB\n"));
	key = scene_key(0, 0);
	scene_by_hand();
	scene->houses[0].is_deaf = true;
	n = store_until_refused(key);
	/* The sockets hold some, too. */
	ck_assert_uint_ge(n, 3);
	ck_assert_uint_lt(n, 20);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_SERVER_QUEUE_FULL), 1);
	/* Once the server reads on, all that was taken gets its reply. */
	scene->houses[0].is_deaf = false;
	scene->houses[0].is_honest = true;
	stage_settle(scene);
	for (size_t i = 0; i <= n; i++) {
		ck_assert(span_starts(bytes_span(&scene->actors[0].got),
		    span_str("STORED\r\n")));
		bytes_drop(&scene->actors[0].got, strlen("STORED\r\n"));
	}
	scene_expect_nothing();
	scene_tear_down();
}
END_TEST

START_TEST(the_last_servers_of_a_pool_are_used_on_whatever_they_do)
{
	const char *a, *b;

	/* One of two may be down. */
	scene_set_up(SCENE_CONF("", "    health: {failures: 2}\n"));
	a = scene_key(0, 0);
	b = scene_key(1, 0);
	take_down_s0(a);
	stage_set_open(scene, 1, false);
	stage_break(scene, 1);
	for (int i = 0; i < 5; i++) {
		scene_say("delete %s\r\ndelete %s\r\n", a, b);
		scene_expect("SERVER_ERROR s0: the server is down\r\n"
		    "SERVER_ERROR s1: cannot connect\r\n");
	}
	stage_set_open(scene, 1, true);
	scene_say("delete %s\r\n", b);
	scene_expect("NOT_FOUND\r\n");
	scene_tear_down();
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("policies");

	tcase_add_loop_test(tc, quiet_commands_are_told_what_memcached_tells,
	    0, LENGTH(quiet));
	tcase_add_test(tc, a_gat_of_many_keys_is_asked_in_short_lines);
	tcase_add_test(tc, by_miss_reads_miss_and_writes_fail);
	tcase_add_test(tc, by_error_everything_fails);
	tcase_add_test(tc, one_failing_server_costs_only_its_own_keys);
	tcase_add_test(tc, by_error_one_failing_key_is_the_whole_reply);
	tcase_add_test(tc, a_server_that_is_down_is_not_asked);
	tcase_add_test(tc, a_body_that_is_whole_too_late_is_refused);
	tcase_add_test(tc, after_a_probe_real_replies_bring_it_back);
	tcase_add_test(tc,
	    by_next_the_keys_of_a_server_that_is_down_move_on);
	tcase_add_test(tc,
	    by_next_with_no_server_left_the_owner_answers_for_it);
	tcase_add_test(tc,
	    flush_all_reaches_every_server_or_says_which_it_did_not);
	tcase_add_test(tc, past_the_queue_requests_fail_at_once);
	tcase_add_test(tc, past_the_bytes_of_a_queue_requests_fail_at_once);
	tcase_add_test(tc,
	    the_last_servers_of_a_pool_are_used_on_whatever_they_do);
	return case_run("policies", tc);
}
