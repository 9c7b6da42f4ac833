/*
 * Keys of servers that are down, at another pool: where they go, and how long
 * they live there.
 *
 * s0 and s1 are the pool, the third and fourth server, g0 and g1, its gutter.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "scene.h"

#define GUTTER_CONF(main_keys, gutter_keys)                                    \
	"config_version: 1\n"                                                  \
	"listeners: [{listen: \"unix:${STAGE}/in\", pool: main}]\n"            \
	"pools:\n"                                                             \
	"  main:\n"                                                            \
	"    servers:\n"                                                       \
	"      - {name: s0, address: \"unix:${STAGE}/0\"}\n"                   \
	"      - {name: s1, address: \"unix:${STAGE}/1\"}\n"                   \
	"    on_down: gutter\n"                                                \
	"    gutter: spare\n"                                                  \
	"    health: {failures: 2, max_down: 100%}\n" main_keys                \
	"  spare:\n"                                                           \
	"    health: {failures: 2, max_down: 100%}\n"                          \
	"    servers:\n"                                                       \
	"      - {name: g0, address: \"unix:${STAGE}/2\"}\n"                   \
	"      - {name: g1, address: \"unix:${STAGE}/3\"}\n" gutter_keys

/* The number of the gutter's server, among all, that has the key. */
static size_t
gutter_of(const char *key)
{
	return 2 + placement_owner(scene->table->pools[1].placement,
	    span_str(key));
}

static void
take_down(size_t pool, size_t i)
{
	ck_assert(health_open(
	    &scene->table->pools[pool].servers[i]->health, scene->now_ms, 0));
}

/* A key of s0 whose place in the gutter is `house`. */
static const char *
key_at(size_t house)
{
	for (size_t i = 0;; i++) {
		const char *key = scene_key(0, i);

		if (gutter_of(key) == house)
			return key;
	}
}

START_TEST(the_keys_of_a_dead_server_go_where_the_gutter_places_them)
{
	const char *a, *b, *c;

	scene_set_up_of(4, GUTTER_CONF("", ""));
	a = key_at(2);
	b = key_at(3);
	c = scene_key(1, 0);
	take_down(0, 0);
	scene_say("set %s 0 0 1\r\nA\r\nset %s 0 0 1\r\nB\r\n"
	    "set %s 0 0 1\r\nC\r\n", a, b, c);
	scene_say("get %s %s %s\r\n", a, b, c);
	scene_expect("STORED\r\nSTORED\r\nSTORED\r\n"
	    "VALUE %s 0 1\r\nA\r\nVALUE %s 0 1\r\nB\r\n"
	    "VALUE %s 0 1\r\nC\r\nEND\r\n", a, b, c);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_GUTTER_KEYS), 4);
	ck_assert_uint_eq(scene->houses[0].nseats, 0);
	scene_by_hand();
	scene_say("get %s %s\r\n", a, b);
	scene_expect_asked(2, "get %s\r\n", a);
	scene_expect_asked(3, "get %s\r\n", b);
	scene_tear_down();
}
END_TEST

START_TEST(they_come_back_with_their_server)
{
	const char *a;

	scene_set_up_of(4, GUTTER_CONF("", ""));
	a = key_at(2);
	scene_say("set %s 0 0 3\r\nold\r\n", a);
	take_down(0, 0);
	scene_say("set %s 0 0 3\r\nnew\r\ndelete %s\r\nget %s\r\n", a, a, a);
	scene_expect("STORED\r\nSTORED\r\nDELETED\r\nEND\r\n");
	/* It has what it had: the docs warn of that. */
	stage_heal(scene);
	scene_say("get %s\r\n", a);
	scene_expect("VALUE %s 0 3\r\nold\r\nEND\r\n", a);
	scene_tear_down();
}
END_TEST

START_TEST(until_the_server_is_down_its_requests_miss_or_fail)
{
	const char *a;

	scene_set_up_of(4, GUTTER_CONF("", ""));
	a = key_at(2);
	stage_set_open(scene, 0, false);
	scene_say("get %s\r\ndelete %s\r\n", a, a);
	scene_say("delete %s\r\n", a);
	scene_say("delete %s\r\n", a);
	scene_expect("END\r\nSERVER_ERROR s0: cannot connect\r\n"
	    "SERVER_ERROR s0: cannot connect\r\nNOT_FOUND\r\n");
	scene_tear_down();
}
END_TEST

START_TEST(where_the_gutter_is_down_too_its_own_policy_answers)
{
	const char *a;

	scene_set_up_of(4, GUTTER_CONF("", ""));
	a = key_at(2);
	take_down(0, 0);
	take_down(1, 0);
	scene_say("get %s\r\ndelete %s\r\n", a, a);
	scene_expect("END\r\nSERVER_ERROR g0: the server is down\r\n");
	scene_tear_down();
	scene_set_up_of(4, GUTTER_CONF("", "    on_down: error\n"));
	a = key_at(2);
	take_down(0, 0);
	take_down(1, 0);
	scene_say("get %s\r\n", a);
	scene_expect("SERVER_ERROR g0: the server is down\r\n");
	scene_tear_down();
	scene_set_up_of(4, GUTTER_CONF("", "    on_down: next\n"));
	a = key_at(2);
	take_down(0, 0);
	take_down(1, 0);
	scene_by_hand();
	scene_say("get %s\r\n", a);
	scene_expect_asked(3, "get %s\r\n", a);
	scene_tear_down();
}
END_TEST

/* What is said of a key of s0, and what the gutter's server is asked. */
static const struct {
	const char	*said, *asked;
} lives[] = {
	{"set %s 5 0 1\r\nx\r\n", "set %s 5 30 1\r\nx\r\n"},
	{"set %s 5 29 1\r\nx\r\n", "set %s 5 29 1\r\nx\r\n"},
	{"set %s 5 31 1 noreply\r\nx\r\n", "set %s 5 30 1\r\nx\r\n"},
	{"set %s 0 -1 1\r\nx\r\n", "set %s 0 -1 1\r\nx\r\n"},
	{"set %s 0 2147483647 1\r\nx\r\n", "set %s 0 30 1\r\nx\r\n"},
	{"add %s 0 0 1\r\nx\r\n", "add %s 0 30 1\r\nx\r\n"},
	{"replace %s 0 100 1\r\nx\r\n", "replace %s 0 30 1\r\nx\r\n"},
	{"cas %s 0 0 1 7\r\nx\r\n", "cas %s 0 30 1 7\r\nx\r\n"},
	{"touch %s 0\r\n", "touch %s 30\r\n"},
	{"touch %s 5\r\n", "touch %s 5\r\n"},
	{"gat 0 %s\r\n", "gat 30 %s\r\n"},
	{"gats -1 %s\r\n", "gats -1 %s\r\n"},
	{"mg %s v T0 t\r\n", "mg %s v T30 t\r\n"},
	{"mg %s v N+1000 k\r\n", "mg %s v N30 k\r\n"},
	{"mg %s v N5 T29\r\n", "mg %s v N5 T29\r\n"},
	{"mg %s v t k\r\n", "mg %s v t k\r\n"},
	{"ms %s 1\r\nx\r\n", "ms %s 1 T30\r\nx\r\n"},
	{"ms %s 1 T0 q\r\nx\r\n", "ms %s 1 T30\r\nx\r\n"},
	{"ms %s 1 F5 T7\r\nx\r\n", "ms %s 1 F5 T7\r\nx\r\n"},
	{"ms %s 1 MA N0\r\nx\r\n", "ms %s 1 MA N30 T30\r\nx\r\n"},
	{"ms %s 1 T-1\r\nx\r\n", "ms %s 1 T-1\r\nx\r\n"},
	{"ma %s N0 J1\r\n", "ma %s N30 J1\r\n"},
	{"ma %s N9 T90\r\n", "ma %s N9 T30\r\n"},
	{"md %s I T90\r\n", "md %s I T30\r\n"},
	{"md %s q\r\n", "md %s\r\n"},
	/* It makes an empty item. */
	{"md %s q x\r\n", "md %s x T30\r\n"},
	{"md %s T0 x\r\n", "md %s T30 x\r\n"},
	{"mg %s x\r\n", "mg %s x\r\n"},
	/* What is no exptime is refused by the server, in its words. */
	{"mg %s Tx\r\n", "mg %s T\r\n"},
	{"mg %s N\r\n", "mg %s N\r\n"},
	{"mg %s T4294967296\r\n", "mg %s T\r\n"},
	{"mg %s N2147483648\r\n", "mg %s N\r\n"},
	{"mg %s N-2147483648\r\n", "mg %s N-2147483648\r\n"},
	{"mg %s N-2147483649\r\n", "mg %s N\r\n"},
	{"ma %s N0\t\r\n", "ma %s N\r\n"},
	{"ma %s N\t0\r\n", "ma %s N\r\n"},
	{"mg %s T-\r\n", "mg %s T\r\n"},
	{"ms %s 1 T+\r\nx\r\n", "ms %s 1 T\r\nx\r\n"},
	{"delete %s\r\n", "delete %s\r\n"},
	{"incr %s 1\r\n", "incr %s 1\r\n"},
	{"get %s\r\n", "get %s\r\n"},
};

static void
expect_life(size_t i, bool is_in_pieces)
{
	const char *key = key_at(2);
	char said[128], asked[128];

	snprintf(said, sizeof(said), lives[i].said, key);
	snprintf(asked, sizeof(asked), lives[i].asked, key);
	if (is_in_pieces) {
		char *body = strstr(said, "\r\n") + 2;

		scene_say("%.*s", (int)(body - said), said);
		scene_say("%s", body);
	} else {
		scene_say("%s", said);
	}
	scene_expect_asked(2, "%s", asked);
}

START_TEST(items_live_as_long_there_as_gutter_ttl_at_most)
{
	scene_set_up_of(4, GUTTER_CONF("    gutter_ttl: 30s\n", ""));
	take_down(0, 0);
	scene_by_hand();
	expect_life((size_t)_i, false);
	expect_life((size_t)_i, true);
	scene_tear_down();
}
END_TEST

START_TEST(a_time_since_1970_counts_from_now)
{
	const char *key;
	long now = (long)time(NULL);

	scene_set_up_of(4, GUTTER_CONF("    gutter_ttl: 24h\n", ""));
	key = key_at(2);
	take_down(0, 0);
	scene_by_hand();
	scene_say("touch %s %ld\r\ntouch %s %ld\r\n", key, now + 3600, key,
	    now + 3 * 86400);
	scene_expect_asked(2, "touch %s %ld\r\ntouch %s 86400\r\n", key,
	    now + 3600, key);
	scene_tear_down();
}
END_TEST

START_TEST(other_servers_keys_live_as_long_as_they_like)
{
	const char *a, *b;

	scene_set_up_of(4, GUTTER_CONF("", ""));
	a = key_at(2);
	b = scene_key(1, 0);
	take_down(0, 0);
	scene_by_hand();
	scene_say("gat 0 %s %s\r\nset %s 0 0 1\r\nx\r\n", a, b, b);
	scene_expect_asked(2, "gat 60 %s\r\n", a);
	scene_expect_asked(1, "gat 0 %s\r\nset %s 0 0 1\r\nx\r\n", b, b);
	scene_tear_down();
}
END_TEST

START_TEST(a_body_that_began_before_the_fall_is_capped_at_its_end)
{
	const char *key;

	scene_set_up_of(4, GUTTER_CONF("", ""));
	key = key_at(2);
	scene_by_hand();
	scene_say("set %s 0 0 5\r\nab", key);
	take_down(0, 0);
	scene_say("cde\r\n");
	scene_expect_asked(2, "set %s 0 60 5\r\nabcde\r\n", key);
	scene_reply(2, "STORED\r\n");
	scene_expect("STORED\r\n");
	scene_tear_down();
}
END_TEST

START_TEST(what_is_too_large_is_deleted_in_the_gutter)
{
	const char *key;

	scene_set_up_of(4, GUTTER_CONF("", ""));
	key = key_at(2);
	take_down(0, 0);
	scene_by_hand();
	scene_say("set %s 0 0 2000000\r\n", key);
	scene_expect_asked(2, "delete %s\r\n", key);
	scene_tear_down();
}
END_TEST

START_TEST(a_base64_key_is_placed_by_the_bytes_it_stands_for)
{
	const char *key = "Zm9v";
	size_t house;

	scene_set_up_of(4, GUTTER_CONF("", ""));
	house = gutter_of("foo");
	take_down(0, 0);
	take_down(0, 1);
	scene_by_hand();
	scene_say("ms %s 1 b\r\nx\r\n", key);
	scene_expect_asked(house, "ms %s 1 b T60\r\nx\r\n", key);
	scene_tear_down();
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("gutter");

	tcase_add_test(tc,
	    the_keys_of_a_dead_server_go_where_the_gutter_places_them);
	tcase_add_test(tc, they_come_back_with_their_server);
	tcase_add_test(tc, until_the_server_is_down_its_requests_miss_or_fail);
	tcase_add_test(tc,
	    where_the_gutter_is_down_too_its_own_policy_answers);
	tcase_add_loop_test(tc,
	    items_live_as_long_there_as_gutter_ttl_at_most, 0, LENGTH(lives));
	tcase_add_test(tc, a_time_since_1970_counts_from_now);
	tcase_add_test(tc, other_servers_keys_live_as_long_as_they_like);
	tcase_add_test(tc,
	    a_body_that_began_before_the_fall_is_capped_at_its_end);
	tcase_add_test(tc, what_is_too_large_is_deleted_in_the_gutter);
	tcase_add_test(tc,
	    a_base64_key_is_placed_by_the_bytes_it_stands_for);
	return case_run("gutter", tc);
}
