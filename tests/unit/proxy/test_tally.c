/* What is counted of requests: their times, and each server's share. */
#include <stdio.h>
#include <string.h>

#include "scene.h"

static const char *key;

static void
set_up(void)
{
	scene_set_up(SCENE_CONF("", "    on_down: error\n"
	    "    timeouts: {request: 1s}\n"
	    "    server_queue: 2\n"
	    "    health: {failures: 2}\n"));
	key = scene_key(0, 0);
}

/* What all workers counted of the server. */
static struct server_sum
read_server(size_t i)
{
	struct server_sum sum;

	server_stats_read(&scene->table->pools[0].servers[i]->stats, &sum);
	return sum;
}

static uint64_t
counter(size_t server, enum server_counter which)
{
	return read_server(server).counters[which];
}

static struct histogram_sum
read_times(enum stats_histogram which)
{
	struct histogram_sum sum;

	stats_read(scene->proxy.stats, which, &sum);
	return sum;
}

static const struct {
	const char		*said;
	enum stats_histogram	 timed_as;
} commands[] = {
	{"get %s\r\n", STATS_REQUEST_GET},
	{"gets %s\r\n", STATS_REQUEST_GET},
	{"set %s 0 0 1\r\nx\r\n", STATS_REQUEST_SET},
	{"add %s 0 0 1\r\nx\r\n", STATS_REQUEST_SET},
	{"append %s 0 0 1\r\nx\r\n", STATS_REQUEST_SET},
	{"cas %s 0 0 1 7\r\nx\r\n", STATS_REQUEST_SET},
	{"delete %s\r\n", STATS_REQUEST_DELETE},
	{"incr %s 1\r\n", STATS_REQUEST_ARITHMETIC},
	{"decr %s 1\r\n", STATS_REQUEST_ARITHMETIC},
	{"touch %s 1\r\n", STATS_REQUEST_TOUCH},
	{"gat 1 %s\r\n", STATS_REQUEST_TOUCH},
	{"mg %s v\r\n", STATS_REQUEST_META_READ},
	{"ms %s 1\r\nx\r\n", STATS_REQUEST_META_WRITE},
	{"md %s\r\n", STATS_REQUEST_META_WRITE},
	{"ma %s\r\n", STATS_REQUEST_META_WRITE},
};

static uint64_t
all_times(void)
{
	uint64_t n = 0;

	for (int i = STATS_REQUEST_GET; i <= STATS_REQUEST_OTHER; i++)
		n += read_times((enum stats_histogram)i).n;
	return n;
}

START_TEST(each_command_is_timed_as_its_kind)
{
	char said[64];

	for (size_t i = 0; i < LENGTH(commands); i++) {
		enum stats_histogram kind = commands[i].timed_as;
		uint64_t before = read_times(kind).n;

		snprintf(said, sizeof(said), commands[i].said, key);
		scene_say("%s", said);
		ck_assert_msg(read_times(kind).n == before + 1, "%s", said);
		ck_assert_uint_eq(all_times(), i + 1);
	}
}
END_TEST

START_TEST(what_the_proxy_answers_itself_is_not_timed)
{
	scene_say("mn\r\nversion\r\nstats\r\nverbosity 1\r\nnonsense\r\n");
	ck_assert_uint_eq(all_times(), 0);
}
END_TEST

START_TEST(a_request_takes_until_its_answer_can_leave)
{
	uint64_t got;

	scene_by_hand();
	scene_say("get %s\r\n", key);
	stage_pass(scene, 300);
	scene_reply(0, "END\r\n");
	for (int i = 0; i < 2; i++) {
		struct histogram_sum times = i == 0 ?
		    read_times(STATS_REQUEST_GET) : read_server(0).time_us;

		ck_assert_uint_eq(times.n, 1);
		got = histogram_quantile(&times, 1);
		ck_assert_uint_gt(got, 300000 * 98 / 100);
		ck_assert_uint_lt(got, 300000 * 102 / 100);
	}
}
END_TEST

START_TEST(an_answer_that_waits_for_its_turn_takes_longer_than_its_server)
{
	struct histogram_sum times;
	const char *other = scene_key(1, 0);

	scene_by_hand();
	scene_say("get %s\r\ndelete %s\r\n", key, other);
	stage_pass(scene, 100);
	scene_reply(1, "DELETED\r\n");
	stage_pass(scene, 300);
	scene_reply(0, "END\r\n");
	times = read_times(STATS_REQUEST_DELETE);
	ck_assert_uint_gt(histogram_quantile(&times, 1), 390000);
	times = read_server(1).time_us;
	ck_assert_uint_lt(histogram_quantile(&times, 1), 110000);
}
END_TEST

START_TEST(the_time_that_a_client_takes_for_its_body_is_its_own)
{
	struct histogram_sum times;

	scene_say("set %s 0 0 2\r\nx", key);
	stage_pass(scene, 400);
	scene_say("y\r\n");
	times = read_times(STATS_REQUEST_SET);
	ck_assert_uint_eq(times.n, 1);
	ck_assert_uint_lt(histogram_quantile(&times, 1), 100000);
}
END_TEST

START_TEST(each_server_counts_its_own)
{
	scene_say("get %s\r\nset %s 0 0 1\r\nx\r\n", key, key);
	ck_assert_uint_eq(counter(0, SERVER_REQUESTS), 2);
	ck_assert_uint_eq(counter(0, SERVER_REPLIES), 2);
	ck_assert_uint_eq(counter(0, SERVER_CONNECTS), 1);
	ck_assert_uint_eq(counter(0, SERVER_CONNECTIONS), 1);
	ck_assert_uint_eq(counter(0, SERVER_IN_FLIGHT), 0);
	ck_assert_uint_eq(counter(0, SERVER_BYTES_READ),
	    strlen("END\r\nSTORED\r\n"));
	ck_assert_uint_eq(counter(0, SERVER_BYTES_WRITTEN),
	    2 * strlen(key) + strlen("get \r\nset  0 0 1\r\nx\r\n"));
	for (int i = 0; i < SERVER_NCOUNTERS; i++)
		ck_assert_uint_eq(counter(1, (enum server_counter)i), 0);
}
END_TEST

START_TEST(what_is_owed_is_in_flight_until_it_comes)
{
	scene_by_hand();
	scene_say("get %s\r\ndelete %s\r\n", key, key);
	ck_assert_uint_eq(counter(0, SERVER_IN_FLIGHT), 2);
	scene_reply(0, "END\r\n");
	ck_assert_uint_eq(counter(0, SERVER_IN_FLIGHT), 1);
	/* Late is owed all the same. */
	stage_pass(scene, 1000);
	ck_assert_uint_eq(counter(0, SERVER_FAILED_TIMEOUT), 1);
	ck_assert_uint_eq(counter(0, SERVER_IN_FLIGHT), 1);
	scene_reply(0, "DELETED\r\n");
	ck_assert_uint_eq(counter(0, SERVER_IN_FLIGHT), 0);
	ck_assert_uint_eq(counter(0, SERVER_LATE_REPLIES), 1);
	ck_assert_uint_eq(counter(0, SERVER_REPLIES), 1);
	/* What was lost is owed no more. */
	scene_say("delete %s\r\n", key);
	ck_assert_uint_eq(counter(0, SERVER_IN_FLIGHT), 1);
	stage_break(scene, 0);
	stage_settle(scene);
	ck_assert_uint_eq(counter(0, SERVER_IN_FLIGHT), 0);
}
END_TEST

static const struct {
	const char		*said;
	enum stats_counter	 hits;
	enum stats_counter	 misses;
} outcomes[] = {
	{"delete %s\r\n", STATS_DELETE_HITS, STATS_DELETE_MISSES},
	{"incr %s 1\r\n", STATS_INCR_HITS, STATS_INCR_MISSES},
	{"touch %s 0\r\n", STATS_TOUCH_HITS, STATS_TOUCH_MISSES},
	{"mg %s v\r\n", STATS_GET_HITS, STATS_GET_MISSES},
	{"get %s\r\n", STATS_GET_HITS, STATS_GET_MISSES},
	{"gat 0 %s\r\n", STATS_GET_HITS, STATS_GET_MISSES},
};

START_TEST(an_error_is_neither_a_hit_nor_a_miss)
{
	char said[64];

	scene_by_hand();
	snprintf(said, sizeof(said), outcomes[_i].said, key);
	scene_say("%s", said);
	scene_reply(0, "SERVER_ERROR busy\r\n");
	scene_expect("SERVER_ERROR busy\r\n");
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, outcomes[_i].hits), 0);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, outcomes[_i].misses),
	    0);
}
END_TEST

START_TEST(failures_are_counted_by_what_went_wrong)
{
	scene_by_hand();
	scene_say("delete %s\r\ndelete %s\r\ndelete %s\r\n", key, key, key);
	ck_assert_uint_eq(counter(0, SERVER_FAILED_QUEUE), 1);
	stage_break(scene, 0);
	stage_settle(scene);
	ck_assert_uint_eq(counter(0, SERVER_FAILED_LOST), 2);
	ck_assert_uint_eq(counter(0, SERVER_CLOSES), 1);
	ck_assert_uint_eq(counter(0, SERVER_CONNECTIONS), 0);
	scene_say("delete %s\r\n", key);
	scene_reply(0, "gibberish\r\n");
	ck_assert_uint_eq(counter(0, SERVER_FAILED_NONSENSE), 1);
	/* The second failure in a row: it is down. */
	scene_say("delete %s\r\n", key);
	ck_assert_uint_eq(counter(0, SERVER_FAILED_DOWN), 1);
	ck_assert_uint_eq(counter(0, SERVER_FAILED_OTHER), 0);
}
END_TEST

START_TEST(a_connection_tried_in_vain_is_counted_so)
{
	stage_set_open(scene, 0, false);
	scene_say("delete %s\r\n", key);
	ck_assert_uint_eq(counter(0, SERVER_FAILED_CONNECT), 1);
	ck_assert_uint_eq(counter(0, SERVER_CONNECTS), 1);
	ck_assert_uint_eq(counter(0, SERVER_CONNECT_FAILURES), 1);
	ck_assert_uint_eq(counter(0, SERVER_CONNECTIONS), 0);
}
END_TEST

START_TEST(a_get_asked_again_counts_as_a_retry)
{
	scene_by_hand();
	scene_say("get %s\r\n", key);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_reply(0, "END\r\n");
	scene_expect("END\r\n");
	ck_assert_uint_eq(counter(0, SERVER_RETRIES), 1);
	ck_assert_uint_eq(counter(0, SERVER_REQUESTS), 2);
	ck_assert_uint_eq(counter(0, SERVER_FAILED_LOST), 0);
}
END_TEST

START_TEST(sizes_queues_and_turns_are_noted)
{
	struct histogram_sum sum;

	scene_say("set %s 0 0 5\r\nhello\r\nget %s\r\n", key, key);
	sum = read_times(STATS_VALUES_STORED);
	ck_assert_uint_eq(sum.n, 1);
	ck_assert_uint_eq(histogram_quantile(&sum, 1), 5);
	sum = read_times(STATS_VALUES_READ);
	ck_assert_uint_eq(sum.n, 1);
	ck_assert_uint_eq(histogram_quantile(&sum, 1), 5);
	sum = read_times(STATS_TURN_COMMANDS);
	ck_assert_uint_eq(sum.n, 1);
	ck_assert_uint_eq(histogram_quantile(&sum, 1), 2);
	sum = read_times(STATS_SERVER_QUEUE);
	ck_assert_uint_eq(sum.n, 1);
	ck_assert_uint_eq(histogram_quantile(&sum, 1), 2);
}
END_TEST

/* Runs of what is alike begin and end within the turn. */
START_TEST(what_a_turn_has_several_of_is_counted_one_by_one)
{
	struct histogram_sum sum;

	/* With room for all of them. */
	scene_tear_down();
	scene_set_up(SCENE_CONF("", ""));
	scene_say("set %s 0 0 5\r\nhello\r\nset x%s 0 0 2\r\nhi\r\n"
	    "get %s\r\nget %s\r\nget x%s\r\ndelete %s\r\nget %s\r\n"
	    "gets x%s\r\n", key, key, key, key, key, key, key, key);
	ck_assert_uint_eq(read_times(STATS_REQUEST_SET).n, 2);
	ck_assert_uint_eq(read_times(STATS_REQUEST_GET).n, 5);
	ck_assert_uint_eq(read_times(STATS_REQUEST_DELETE).n, 1);
	ck_assert_uint_eq(all_times(), 8);
	sum = read_times(STATS_VALUES_READ);
	ck_assert_uint_eq(sum.n, 4);
	ck_assert_uint_eq(histogram_quantile(&sum, 0.5), 2);
	ck_assert_uint_eq(histogram_quantile(&sum, 0.75), 5);
	for (int i = 0; i < 2; i++)
		ck_assert_uint_eq(counter((size_t)i, SERVER_REPLIES),
		    read_server((size_t)i).time_us.n);
	ck_assert_uint_eq(counter(0, SERVER_REPLIES) +
	    counter(1, SERVER_REPLIES), 8);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_SERVER_REQUESTS), 8);
}
END_TEST

START_TEST(replies_that_come_at_once_have_the_times_of_their_requests)
{
	struct histogram_sum sum;

	scene_by_hand();
	scene_say("get %s\r\n", key);
	stage_pass(scene, 500);
	scene_say("get %s\r\n", key);
	stage_pass(scene, 100);
	scene_reply(0, "END\r\nEND\r\n");
	for (int i = 0; i < 2; i++) {
		sum = i == 0 ? read_times(STATS_REQUEST_GET) :
		    read_server(0).time_us;
		ck_assert_uint_eq(sum.n, 2);
		ck_assert_uint_lt(histogram_quantile(&sum, 0.5), 110000);
		ck_assert_uint_gt(histogram_quantile(&sum, 1), 590000);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("tally");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, each_command_is_timed_as_its_kind);
	tcase_add_test(tc, what_the_proxy_answers_itself_is_not_timed);
	tcase_add_test(tc, a_request_takes_until_its_answer_can_leave);
	tcase_add_test(tc,
	    an_answer_that_waits_for_its_turn_takes_longer_than_its_server);
	tcase_add_test(tc,
	    the_time_that_a_client_takes_for_its_body_is_its_own);
	tcase_add_test(tc, each_server_counts_its_own);
	tcase_add_test(tc, what_is_owed_is_in_flight_until_it_comes);
	tcase_add_loop_test(tc, an_error_is_neither_a_hit_nor_a_miss, 0,
	    LENGTH(outcomes));
	tcase_add_test(tc, failures_are_counted_by_what_went_wrong);
	tcase_add_test(tc, a_connection_tried_in_vain_is_counted_so);
	tcase_add_test(tc, a_get_asked_again_counts_as_a_retry);
	tcase_add_test(tc,
	    what_a_turn_has_several_of_is_counted_one_by_one);
	tcase_add_test(tc,
	    replies_that_come_at_once_have_the_times_of_their_requests);
	tcase_add_test(tc, sizes_queues_and_turns_are_noted);
	return case_run("tally", tc);
}
