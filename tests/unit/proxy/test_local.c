/* Commands that the proxy answers itself. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/local.h"
#include "scene.h"

static void
set_up(void)
{
	scene_set_up(SCENE_CONF("clients: 77, value_size: 2MiB", ""));
}

#define NOT_ALLOWED(verb)                                                      \
	"CLIENT_ERROR " verb " is not allowed through this proxy\r\n"

static const struct {
	const char	*said;
	const char	*answer;
} answers[] = {
	{"mn", "MN\r\n"},
	{"mn a b c", "MN\r\n"},
	{"verbosity 1", "OK\r\n"},
	{"verbosity 1 noreply", ""},
	{"verbosity", "CLIENT_ERROR bad command line format\r\n"},
	{"verbosity foo", "CLIENT_ERROR bad command line format\r\n"},
	{"verbosity -1", "CLIENT_ERROR bad command line format\r\n"},
	{"verbosity noreply", ""},
	{"flush_all", "CLIENT_ERROR flush_all not allowed\r\n"},
	{"flush_all 10 noreply", ""},
	{"shutdown", NOT_ALLOWED("shutdown")},
	{"cache_memlimit 10", NOT_ALLOWED("cache_memlimit")},
	{"cache_memlimit 10 noreply", ""},
	{"slabs reassign 1 2", NOT_ALLOWED("slabs")},
	{"lru tune 1 2", NOT_ALLOWED("lru")},
	{"lru_crawler metadump all", NOT_ALLOWED("lru_crawler")},
	{"extstore free_memchunks 1 1", NOT_ALLOWED("extstore")},
	{"watch fetchers", NOT_ALLOWED("watch")},
	{"refresh_certs", NOT_ALLOWED("refresh_certs")},
	{"stats noreply", "ERROR\r\n"},
	{"stats items", "END\r\n"},
	{"stats nonsense", "END\r\n"},
	{"stats reset", "RESET\r\n"},
	{"config get cluster", "ERROR\r\n"},
	{"config get cluster x", "ERROR\r\n"},
	{"config set cluster", "ERROR\r\n"},
	{"config", "ERROR\r\n"},
};

START_TEST(each_has_its_answer_and_nobody_else_is_asked)
{
	for (size_t i = 0; i < LENGTH(answers); i++) {
		scene_say("%s\r\n", answers[i].said);
		scene_expect("%s", answers[i].answer);
	}
	ck_assert_uint_eq(scene->houses[0].nseats, 0);
	ck_assert_uint_eq(scene->houses[1].nseats, 0);
}
END_TEST

START_TEST(a_version_begins_as_memcacheds)
{
	struct bytes *got = &scene->actors[0].got;
	static const char start[] = "VERSION " LOCAL_MEMCACHED_VERSION " ";

	scene_say("version foo noreply\r\n");
	ck_assert(span_starts(bytes_span(got), span_str(start)));
	ck_assert_ptr_eq(memchr(got->p, '\n', got->len),
	    got->p + got->len - 1);
}
END_TEST

/* The number behind "STAT name " in what client 0 was answered. */
static long
stat_of(const char *name)
{
	struct bytes *got = &scene->actors[0].got;
	char text[9000], wanted[64];
	const char *at;

	ck_assert_uint_lt(got->len, sizeof(text));
	memcpy(text, got->p, got->len);
	text[got->len] = '\0';
	snprintf(wanted, sizeof(wanted), "STAT %s ", name);
	at = strstr(text, wanted);
	ck_assert_msg(at != NULL, "no %s in %s", name, text);
	return strtol(at + strlen(wanted), NULL, 10);
}

static void
forget_answer(void)
{
	bytes_drop(&scene->actors[0].got, scene->actors[0].got.len);
}

START_TEST(stats_count_what_was_asked)
{
	scene_say("set a 0 0 1\r\nx\r\nget a b\r\nget a\r\ndelete a\r\n"
	    "delete a\r\ntouch a 0\r\nset n 0 0 1\r\n5\r\nincr n 1\r\n"
	    "decr x 1\r\nmg n v\r\nms n 1\r\nx\r\n");
	forget_answer();
	scene_say("stats\r\n");
	ck_assert_int_eq(stat_of("cmd_get"), 4);
	ck_assert_int_eq(stat_of("get_hits"), 3);
	ck_assert_int_eq(stat_of("get_misses"), 1);
	ck_assert_int_eq(stat_of("cmd_set"), 3);
	ck_assert_int_eq(stat_of("delete_hits"), 1);
	ck_assert_int_eq(stat_of("delete_misses"), 1);
	ck_assert_int_eq(stat_of("touch_misses"), 1);
	ck_assert_int_eq(stat_of("incr_hits"), 1);
	ck_assert_int_eq(stat_of("decr_misses"), 1);
	ck_assert_int_eq(stat_of("cmd_meta"), 2);
	ck_assert_int_eq(stat_of("curr_connections"), 1);
	ck_assert_int_eq(stat_of("max_connections"), 77);
	forget_answer();
	scene_say("stats reset\r\nstats\r\n");
	ck_assert_int_eq(stat_of("cmd_get"), 0);
	ck_assert_int_eq(stat_of("get_hits"), 0);
	ck_assert_int_eq(stat_of("curr_connections"), 1);
}
END_TEST

START_TEST(stats_of_settings_and_of_the_proxy_end_well)
{
	struct bytes *got = &scene->actors[0].got;

	scene_say("stats settings\r\n");
	ck_assert_int_eq(stat_of("maxconns"), 77);
	ck_assert_int_eq(stat_of("item_size_max"), 2 << 20);
	ck_assert_int_eq(memcmp(got->p + got->len - 5, "END\r\n", 5), 0);
	forget_answer();
	scene_say("get a\r\nstats proxy\r\n");
	ck_assert_int_eq(stat_of("generation"), 1);
	ck_assert_int_eq(stat_of("server_requests"), 1);
	ck_assert_int_eq(memcmp(got->p + got->len - 5, "END\r\n", 5), 0);
}
END_TEST

static const char with_auth[] =
    "config_version: 1\n"
    "listeners: [{listen: \"unix:${STAGE}/in\", auth: accept}]\n"
    "pools:\n"
    "  main:\n"
    "    servers: [{name: s0, address: \"unix:${STAGE}/0\"}]\n";

START_TEST(servers_and_pools_have_their_own)
{
	struct bytes *got = &scene->actors[0].got;

	scene_say("get a\r\nstats servers\r\n");
	ck_assert_int_eq(stat_of("main/s0:requests") +
	    stat_of("main/s1:requests"), 1);
	ck_assert_int_eq(stat_of("main/s0:in_flight"), 0);
	ck_assert_int_eq(memcmp(got->p + got->len - 5, "END\r\n", 5), 0);
	forget_answer();
	scene_say("stats pools\r\n");
	ck_assert_int_eq(stat_of("main:servers"), 2);
	ck_assert_int_eq(stat_of("main:servers_down"), 0);
	ck_assert_int_eq(stat_of("main:requests"), 1);
	ck_assert_int_eq(memcmp(got->p + got->len - 5, "END\r\n", 5), 0);
}
END_TEST

START_TEST(a_login_is_accepted_and_kept_nowhere)
{
	scene_tear_down();
	scene_set_up(with_auth);
	scene_say("set login 0 0 9\r\nuser pass\r\nget login\r\n"
	    "set login 0 0 1\r\nx\r\nget login\r\n");
	scene_expect("STORED\r\nEND\r\nSTORED\r\nVALUE login 0 1\r\nx\r\n"
	    "END\r\n");
	stage_enter(scene, 1);
	stage_say(scene, 1, span_str("set login 0 0 9 noreply\r\nuser"));
	stage_settle(scene);
	stage_say(scene, 1, span_str(" pass\r\nget login\r\n"));
	stage_settle(scene);
	scene_expect_of(1, "VALUE login 0 1\r\nx\r\nEND\r\n");
	/* Only the first command of a connection logs in. */
	stage_enter(scene, 2);
	stage_say(scene, 2, span_str("mn\r\nset login 0 0 1\r\ny\r\n"
	    "get login\r\n"));
	stage_settle(scene);
	scene_expect_of(2, "MN\r\nSTORED\r\nVALUE login 0 1\r\ny\r\nEND\r\n");
}
END_TEST

/* Workers reset statistics while others show them. */
#define RESETS 100

struct resetter {
	struct stats	*stats;
	atomic_bool	 is_over;
};

static void *
count_and_reset(void *arg)
{
	struct resetter *resetter = arg;

	for (int i = 0; i < RESETS; i++) {
		stats_bump(stats_cell(resetter->stats, 0), STATS_COMMANDS);
		stats_reset(resetter->stats);
	}
	atomic_store(&resetter->is_over, true);
	return NULL;
}

START_TEST(a_sum_is_true_while_another_thread_resets)
{
	struct resetter resetter = {.stats = stats_new(64)};
	pthread_t thread;

	ck_assert_ptr_nonnull(resetter.stats);
	ck_assert_int_eq(pthread_create(&thread, NULL, count_and_reset,
	    &resetter), 0);
	while (!atomic_load(&resetter.is_over))
		ck_assert_uint_le(stats_sum(resetter.stats, STATS_COMMANDS),
		    RESETS);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(stats_sum(resetter.stats, STATS_COMMANDS), 0);
	stats_free(&resetter.stats);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("local");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, each_has_its_answer_and_nobody_else_is_asked);
	tcase_add_test(tc, a_version_begins_as_memcacheds);
	tcase_add_test(tc, stats_count_what_was_asked);
	tcase_add_test(tc, stats_of_settings_and_of_the_proxy_end_well);
	tcase_add_test(tc, servers_and_pools_have_their_own);
	tcase_add_test(tc, a_login_is_accepted_and_kept_nowhere);
	tcase_add_test(tc, a_sum_is_true_while_another_thread_resets);
	return case_run("local", tc);
}
