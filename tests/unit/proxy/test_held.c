/*
 * What a client's answers weigh, those that wait and those to come: with too
 * much of it the client is not read, and what has left weighs no more.
 */
#include <stdio.h>
#include <string.h>

#include "scene.h"

#define LONG_VALUE 120000

/* A key of s0. */
static const char *a;
static char value[LONG_VALUE + 1];

static void
set_up(void)
{
	scene_set_up(SCENE_CONF("value_size: 64KiB, "
	    "client_buffer: 256KiB", ""));
	memset(value, 'v', LONG_VALUE);
	a = scene_key(0, 0);
	scene_by_hand();
}

/* How many values client 0 may ask s0 for at once. */
static size_t
count_asked(void)
{
	char request[32];
	size_t len;

	snprintf(request, sizeof(request), "mg %s v\r\n", a);
	for (int i = 0; i < 40; i++)
		stage_say(scene, 0, span_str(request));
	stage_settle(scene);
	len = stage_seat(scene, 0)->asked.len;
	ck_assert_uint_eq(len % strlen(request), 0);
	return len / strlen(request);
}

/* The server takes what it was asked, for its reply was said by hand. */
static void
forget_asked(void)
{
	struct bytes *asked = &stage_seat(scene, 0)->asked;

	bytes_drop(asked, asked->len);
}

/* Client 0 is sent a value of s0, whose reply comes in such pieces. */
static void
pass_value(int size, size_t piece)
{
	struct bytes reply = {0};
	struct bytes *got = &scene->actors[0].got;
	struct span rest;

	bytes_say(&reply, "VA %d\r\n", size);
	bytes_add(&reply, span_of(value, (size_t)size));
	bytes_say(&reply, "\r\n");
	scene_say("mg %s v\r\n", a);
	for (rest = bytes_span(&reply); rest.len > piece;
	    rest = span_of(rest.p + piece, rest.len - piece)) {
		stage_reply(scene, 0, span_of(rest.p, piece));
		stage_settle(scene);
	}
	stage_reply(scene, 0, rest);
	stage_settle(scene);
	ck_assert(span_eq(bytes_span(got), bytes_span(&reply)));
	bytes_drop(got, got->len);
	bytes_free(&reply);
	forget_asked();
}

START_TEST(an_unknown_client_may_ask_for_as_much_as_is_guessed)
{
	pass_value(65536 - 6, 65536);
	/* 64 KiB each. */
	ck_assert_uint_eq(count_asked(), 4);
}
END_TEST

START_TEST(long_values_are_asked_for_by_few_at_once)
{
	pass_value(LONG_VALUE, 30000);
	ck_assert_uint_eq(count_asked(), 3);
}
END_TEST

START_TEST(short_values_are_asked_for_by_more_at_once)
{
	for (int i = 0; i < 60; i++)
		pass_value(20000, 30000);
	ck_assert_uint_eq(count_asked(), 14);
}
END_TEST

START_TEST(a_miss_does_not_make_long_values_forgotten)
{
	pass_value(LONG_VALUE, 30000);
	scene_say("mg %s v\r\n", a);
	scene_reply(0, "EN\r\n");
	forget_asked();
	/* An eighth less, of the 256 KiB. */
	ck_assert_uint_eq(count_asked(), 3);
}
END_TEST

START_TEST(values_that_wait_for_their_turn_are_held)
{
	const char *keys[5];

	/* So that values are thought to be short. */
	for (int i = 0; i < 60; i++)
		pass_value(1, 100);
	scene_say("get %s", a);
	for (size_t i = 0; i < LENGTH(keys); i++) {
		keys[i] = scene_key(1, i);
		scene_say(" %s", keys[i]);
	}
	scene_say("\r\n");
	for (size_t i = 0; i < LENGTH(keys); i++)
		scene_reply(1, "VALUE %s 0 60000\r\n%.60000s\r\n", keys[i],
		    value);
	/* More than 256 KiB. */
	scene_say("mg %s v\r\n", a);
	scene_expect_asked(0, "get %s\r\n", a);
	scene_reply(0, "END\r\n");
	scene_reply(1, "END\r\n");
	scene_expect_asked(0, "mg %s v\r\n", a);
}
END_TEST

START_TEST(what_has_left_is_not_held_any_more)
{
	for (int i = 0; i < 6; i++)
		pass_value(LONG_VALUE, 30000);
}
END_TEST

START_TEST(what_is_asked_for_again_is_not_held_twice)
{
	for (int i = 0; i < 8; i++) {
		scene_say("get %s\r\n", a);
		scene_reply(0, "VALUE %s 0 50000\r\n%.40000s", a, value);
		stage_break(scene, 0);
		stage_settle(scene);
		scene_reply(0, "END\r\n");
		scene_expect("END\r\n");
		stage_heal(scene);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("held");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc,
	    an_unknown_client_may_ask_for_as_much_as_is_guessed);
	tcase_add_test(tc, long_values_are_asked_for_by_few_at_once);
	tcase_add_test(tc, short_values_are_asked_for_by_more_at_once);
	tcase_add_test(tc, a_miss_does_not_make_long_values_forgotten);
	tcase_add_test(tc, values_that_wait_for_their_turn_are_held);
	tcase_add_test(tc, what_has_left_is_not_held_any_more);
	tcase_add_test(tc, what_is_asked_for_again_is_not_held_twice);
	return case_run("held", tc);
}
