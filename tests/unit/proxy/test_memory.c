/*
 * Want of memory: a request may fail and a client be closed for it; nothing
 * is lost, nothing freed twice, and no other client notices.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "scene.h"

static void
set_up(void)
{
	scene_set_up(SCENE_CONF("value_size: 64KiB",
	    "    timeouts: {request: 1s}\n"
	    "    flush_all: true\n"
	    "    health: {failures: 1000}\n"));
}

START_TEST(a_client_without_memory_for_its_misses_is_closed)
{
	const char *key = scene_key(0, 0);

	scene_by_hand();
	/* Their misses repeat what was asked: more than waits to be used. */
	for (int i = 0; i < 1000; i++)
		scene_say("mg %s k O1234567890123456\r\n",
		    key);
	atomic_store(&scene->budget.limit, 0);
	stage_set_open(scene, 0, false);
	stage_break(scene, 0);
	stage_settle(scene);
	scene_expect_closed(0);
	atomic_store(&scene->budget.limit, 1 << 28);
	stage_set_open(scene, 0, true);
	scene_expect_in_service(1);
}
END_TEST

/* Commands that want no answer. */
static void
say_noreply(int which)
{
	const char *a = scene_key(0, 0);

	switch (which) {
	case 0:
		scene_say("delete %s noreply\r\n", a);
		return;
	case 1:
		scene_say("set %s 0 0 1 noreply\r\nx\r\n", a);
		return;
	case 2:
		scene_say("set %s 0 0 9000 noreply\r\n%9000s\r\n", a, "");
		return;
	case 3:
		scene_say("set %s 0 0 70000 noreply\r\n", a);
		for (int i = 0; i < 7; i++)
			scene_say("%10000s", "");
		scene_say("\r\n");
		return;
	case 4:
		scene_say("set %s 0 0 4 noreply\r\nab", a);
		scene_say("cd\r\n");
		return;
	case 5:
		scene_say("flush_all noreply\r\n");
		return;
	}
	NEVER();
}

START_TEST(without_memory_what_wants_no_answer_gets_none)
{
	bool has_failed = true;

	for (int64_t n = 0; has_failed; n++) {
		stage_end(scene);
		stage_begin(scene);
		stage_enter(scene, 0);
		stage_settle(scene);
		mem_fail_after(n);
		say_noreply(_i);
		has_failed = mem_has_failed();
		mem_fail_after(-1);
		if (scene->actors[0].is_hung_up_on)
			continue;
		scene_say("mn\r\n");
		scene_expect("MN\r\n");
	}
}
END_TEST

START_TEST(a_value_without_memory_is_swallowed_and_refused)
{
	char body[5001];

	memset(body, 'v', sizeof(body) - 1);
	body[sizeof(body) - 1] = '\0';
	scene_say("set %s 0 0 20000\r\n%.5000s", scene_key(0, 0), body);
	/* What was read already fits, no more does. */
	atomic_store(&scene->budget.limit, atomic_load(&scene->budget.used));
	scene_say("%.5000s", body);
	scene_say("%.5000s", body);
	scene_say("%.5000s\r\nmn\r\n", body);
	scene_expect("SERVER_ERROR out of memory\r\nMN\r\n");
	atomic_store(&scene->budget.limit, 1 << 28);
	scene_expect_in_service(1);
}
END_TEST

/* From now on so much more memory than is used, and none that waits. */
static void
leave_memory(uint64_t more)
{
	atomic_store(&scene->budget.limit, 0);
	stage_turn(scene);
	atomic_store(&scene->budget.limit,
	    atomic_load(&scene->budget.used) + more);
}

START_TEST(a_reply_without_memory_is_dropped_and_keeps_its_place)
{
	const char *b = scene_key(1, 0);

	scene_by_hand();
	scene_say("get %s\r\ndelete %s\r\n", b, b);
	/* Two blocks: not enough for the value, but for a line that says so. */
	leave_memory(9000);
	scene_reply(1, "VALUE %s 0 8100\r\n%8100s\r\nEND\r\nNOT_FOUND\r\n",
	    b, "");
	scene_expect("SERVER_ERROR out of memory\r\nNOT_FOUND\r\n");
	ck_assert_ptr_nonnull(stage_seat(scene, 1));
	/* It is settled, and its end counts no more. */
	ck_assert_uint_eq(stats_sum(scene->proxy.stats,
	    STATS_SERVER_LATE_REPLIES), 1);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_GET_HITS), 0);
}
END_TEST

START_TEST(values_of_a_get_that_fails_make_room_for_its_error)
{
	const char *a = scene_key(0, 0), *b = scene_key(1, 0);

	scene_by_hand();
	scene_say("get %s %s\r\n", a, b);
	scene_reply(1, "VALUE %s 0 3000\r\n%3000s\r\n", b, "");
	leave_memory(0);
	scene_reply(0, "VALUE %s 0 7000\r\n%7000s\r\nEND\r\n", a, "");
	scene_expect_nothing();
	scene_reply(1, "END\r\n");
	scene_expect("SERVER_ERROR out of memory\r\n");
	ck_assert_ptr_nonnull(stage_seat(scene, 0));
	ck_assert_ptr_nonnull(stage_seat(scene, 1));
}
END_TEST

START_TEST(a_client_whose_reply_has_no_memory_at_all_is_closed)
{
	const char *a = scene_key(0, 0), *b = scene_key(1, 0);

	scene_by_hand();
	scene_say("delete %s\r\nget %s\r\nget %s %s\r\n", a, b, b, a);
	leave_memory(0);
	scene_reply(1, "VALUE %s 0 7000\r\n%7000s\r\nEND\r\n", b, "");
	scene_expect_closed(0);
	scene_reply(1, "END\r\n");
	scene_reply(0, "DELETED\r\nEND\r\n");
	ck_assert_ptr_nonnull(stage_seat(scene, 0));
	ck_assert_ptr_nonnull(stage_seat(scene, 1));
	atomic_store(&scene->budget.limit, 1 << 28);
	scene_expect_in_service(1);
}
END_TEST

START_TEST(a_failure_that_is_not_told_needs_no_memory)
{
	const char *a = scene_key(0, 0);

	scene_by_hand();
	scene_say("delete %s noreply\r\nset %s 0 0 1 noreply\r\nx\r\n"
	    "flush_all noreply\r\n", a, a);
	leave_memory(0);
	stage_break(scene, 0);
	stage_break(scene, 1);
	stage_settle(scene);
	atomic_store(&scene->budget.limit, 1 << 28);
	scene_say("mn\r\n");
	scene_expect("MN\r\n");
	scene_expect_in_service(1);
}
END_TEST

/* One body that is shared with what was read, and one that is copied. */
static const int store_sizes[] = {9000, 7000};

START_TEST(a_store_is_sent_whole_or_not_at_all)
{
	const char *a = scene_key(0, 0);
	int size = store_sizes[_i];

	scene_say("get %s\r\n", a);
	scene_expect("END\r\n");
	for (uint64_t more = 0; more < 20000; more += 1000) {
		leave_memory(more);
		scene_say("set %s 0 0 %d\r\n%*s\r\n", a, size, size, "");
		if (scene->actors[0].is_hung_up_on) {
			stage_leave(scene, 0);
			stage_enter(scene, 0);
			stage_settle(scene);
		}
		bytes_drop(&scene->actors[0].got, scene->actors[0].got.len);
		atomic_store(&scene->budget.limit, 1 << 28);
		scene_say("delete %s\r\nmn\r\n", a);
		ck_assert_uint_ge(scene->actors[0].got.len,
		    strlen("DELETED\r\nMN\r\n"));
		bytes_drop(&scene->actors[0].got, scene->actors[0].got.len);
	}
	ck_assert_uint_eq(scene->houses[0].nseats, 1);
}
END_TEST

/* A line with `n` keys of 30 bytes, and its end. */
static void
say_many_keys(const char *verb, int n)
{
	struct bytes line = {0};

	bytes_say(&line, "%s", verb);
	for (int i = 0; i < n; i++)
		bytes_say(&line, " %030d", i);
	bytes_say(&line, "\r\n");
	stage_say(scene, 0, bytes_span(&line));
	bytes_free(&line);
}

/* Takes `bytes` off the start of `got`, if it begins with them. */
static bool
take(struct span *got, const char *bytes)
{
	size_t len = strlen(bytes);

	if (!span_starts(*got, span_str(bytes)))
		return false;
	*got = span_of(got->p + len, got->len - len);
	return true;
}

/* Takes one answer: what was asked for, or that memory is short. */
static bool
take_answer(struct span *got, const char *key)
{
	char value[9100];

	snprintf(value, sizeof(value), "VALUE %s 0 9000\r\n%9000s\r\n", key,
	    "");
	/* A value is followed by its END. */
	if (take(got, value))
		return take(got, "END\r\n");
	return take(got, "END\r\n") || take(got, "STORED\r\n") ||
	    take(got, "NOT_FOUND\r\n") ||
	    take(got, "SERVER_ERROR out of memory\r\n");
}

/* What waits for its turn, and long lines, with so much more than is used. */
static void
say_with_budget(uint64_t more)
{
	const char *a = scene_key(0, 0), *b = scene_key(1, 0);
	struct span got;
	size_t n = 0;

	atomic_store(&scene->budget.limit,
	    atomic_load(&scene->budget.used) + more);
	scene_by_hand();
	say_many_keys("get", 400);
	say_many_keys("gat 0", 200);
	scene_say("delete %s\r\nset %s 0 0 9000\r\n%9000s\r\n", b, b, "");
	scene_say("get %s\r\nget %s %s\r\n", a, b, a);
	stage_answer(scene, 1);
	stage_settle(scene);
	stage_answer(scene, 0);
	stage_settle(scene);
	scene->houses[0].is_honest = scene->houses[1].is_honest = true;
	stage_settle(scene);
	got = bytes_span(&scene->actors[0].got);
	if (scene->actors[0].is_hung_up_on)
		return;
	while (got.len > 0) {
		ck_assert_msg(take_answer(&got, b), "budget + %u: \"%.60s\"",
		    (unsigned)more, got.p);
		n++;
	}
	ck_assert_uint_eq(n, 6);
}

START_TEST(what_waits_its_turn_needs_memory_or_fails_alone)
{
	for (uint64_t more = 0; more < 200000; more += 2000) {
		if (scene->actors[0].fd == -1)
			stage_enter(scene, 0);
		say_with_budget(more);
		stage_leave(scene, 0);
		stage_settle(scene);
		atomic_store(&scene->budget.limit, 1 << 28);
		scene_expect_in_service(1);
		stage_end(scene);
		stage_begin(scene);
	}
}
END_TEST

START_TEST(a_slow_reader_is_shed_before_others_do_without)
{
	const char *a = scene_key(0, 0);
	char value[60001];

	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	scene_say("set %s 0 0 60000\r\n%s\r\n", a, value);
	scene->actors[0].is_deaf = true;
	for (int i = 0; i < 60; i++)
		scene_say("get %s\r\n", a);
	/* Less than an eighth of the limit is left now. */
	atomic_store(&scene->budget.limit, atomic_load(&scene->budget.used));
	stage_settle(scene);
	ck_assert_uint_eq(atomic_load(&scene->proxy.nclients), 0);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_CLIENTS_SHED),
	    1);
	atomic_store(&scene->budget.limit, 1 << 28);
	scene_expect_in_service(1);
}
END_TEST

/* Client `i` asks so often for the value of a key. */
static void
ask_often(size_t i, const char *key, int n)
{
	char line[64];

	snprintf(line, sizeof(line), "get %s\r\n", key);
	while (n-- > 0)
		stage_say(scene, i, span_str(line));
	stage_settle(scene);
}

START_TEST(the_slowest_reader_is_shed_and_nobody_who_waits)
{
	const char *a = scene_key(0, 0), *b = scene_key(1, 0);

	scene_say("set %s 0 0 60000\r\n%60000s\r\n", a, "");
	scene->houses[1].is_honest = false;
	for (size_t i = 1; i < 3; i++)
		stage_enter(scene, i);
	for (size_t i = 0; i < 2; i++)
		scene->actors[i].is_deaf = true;
	ask_often(0, a, 12);
	ask_often(1, a, 20);
	/* It has more than both, behind an answer that is not there yet. */
	ask_often(2, b, 1);
	ask_often(2, a, 30);
	atomic_store(&scene->budget.limit, atomic_load(&scene->budget.used));
	stage_settle(scene);
	ck_assert_uint_eq(stats_sum(scene->proxy.stats, STATS_CLIENTS_SHED),
	    1);
	scene->actors[0].is_deaf = scene->actors[1].is_deaf = false;
	stage_settle(scene);
	scene_expect_closed(1);
	ck_assert(!scene->actors[0].is_hung_up_on);
	scene_reply(1, "END\r\n");
	ck_assert_uint_gt(scene->actors[2].got.len, 30 * 60000);
}
END_TEST

START_TEST(answers_that_wait_their_turn_share_their_memory)
{
	const char *a = scene_key(0, 0), *b = scene_key(1, 0);
	uint64_t before;

	scene->houses[0].is_honest = false;
	scene_say("get %s\r\n", a);
	before = atomic_load(&scene->budget.used);
	for (int i = 0; i < 900; i++)
		scene_say(i % 2 == 0 ? "get %s\r\n" : "nosuch %s\r\n", b);
	/* Five to nine bytes each. */
	ck_assert_uint_le(atomic_load(&scene->budget.used) - before, 65536);
	scene_reply(0, "END\r\n");
	ck_assert_uint_eq(scene->actors[0].got.len,
	    strlen("END\r\n") + 450 * strlen("END\r\nERROR\r\n"));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("memory");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, a_client_without_memory_for_its_misses_is_closed);
	tcase_add_loop_test(tc,
	    without_memory_what_wants_no_answer_gets_none, 0, 6);
	tcase_add_test(tc, a_value_without_memory_is_swallowed_and_refused);
	tcase_add_test(tc,
	    a_reply_without_memory_is_dropped_and_keeps_its_place);
	tcase_add_test(tc,
	    values_of_a_get_that_fails_make_room_for_its_error);
	tcase_add_test(tc,
	    a_client_whose_reply_has_no_memory_at_all_is_closed);
	tcase_add_test(tc, a_failure_that_is_not_told_needs_no_memory);
	tcase_add_loop_test(tc, a_store_is_sent_whole_or_not_at_all, 0,
	    LENGTH(store_sizes));
	tcase_add_test(tc, what_waits_its_turn_needs_memory_or_fails_alone);
	tcase_add_test(tc, a_slow_reader_is_shed_before_others_do_without);
	tcase_add_test(tc, the_slowest_reader_is_shed_and_nobody_who_waits);
	tcase_add_test(tc, answers_that_wait_their_turn_share_their_memory);
	return case_run("memory", tc);
}
