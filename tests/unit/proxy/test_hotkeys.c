/* Hot keys: what is found, what fades, what is hidden. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "case.h"
#include "proxy/hotkeys.h"

#define NPARTS 2

static struct hotkeys *hotkeys;
static struct hotkey found[HOTKEYS_SHOWN];
static uint64_t now_ms;
static uint32_t random_state;
static uint32_t gaps[NPARTS];

static void
set_up(void)
{
	hotkeys = hotkeys_new(NPARTS);
	ck_assert_ptr_nonnull(hotkeys);
	now_ms = 1000000;
	random_state = 12345;
	for (size_t i = 0; i < NPARTS; i++)
		gaps[i] = 1;
}

static void
tear_down(void)
{
	hotkeys_free(&hotkeys);
	ck_assert_ptr_null(hotkeys);
}

static uint32_t
draw(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 8;
}

/* A request at worker `part`, looked at when its turn has come. */
static void
ask(size_t part, const char *key)
{
	if (--gaps[part] == 0)
		gaps[part] = hotkeys_count(hotkeys_part(hotkeys, part),
		    span_str(key), now_ms, draw());
}

/* So many requests for one of so many keys, any of them. */
static void
ask_any(size_t n, uint32_t nkeys)
{
	char key[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "any:%u", draw() % nkeys);
		ask(i % NPARTS, key);
	}
}

static size_t
read_all(void)
{
	return hotkeys_read(hotkeys, now_ms, found);
}

static void
expect_key(size_t i, const char *key)
{
	ck_assert_uint_eq(found[i].key_len, strlen(key));
	ck_assert_int_eq(memcmp(found[i].key, key, strlen(key)), 0);
}

START_TEST(nothing_is_hot_when_nothing_was_asked)
{
	ck_assert_uint_eq(read_all(), 0);
}
END_TEST

START_TEST(few_requests_are_all_counted)
{
	ask(0, "a");
	ask(0, "a");
	ask(1, "a");
	ask(1, "b");
	ck_assert_uint_eq(read_all(), 2);
	expect_key(0, "a");
	expect_key(1, "b");
	ck_assert(found[0].share == 0.75);
	ck_assert(found[1].share == 0.25);
	ck_assert(found[0].requests == 3);
}
END_TEST

START_TEST(a_hot_key_is_found_among_a_million)
{
	for (int i = 0; i < 20000; i++) {
		ask(0, "hot");
		ask(1, "warm");
		ask(0, "hot");
		ask_any(17, 1000000);
	}
	ck_assert_uint_eq(read_all(), 2);
	expect_key(0, "hot");
	expect_key(1, "warm");
	ck_assert(found[0].share > 0.08 && found[0].share < 0.12);
	ck_assert(found[1].share > 0.03 && found[1].share < 0.07);
}
END_TEST

START_TEST(no_key_is_hot_where_all_are_alike)
{
	ask_any(200000, 1000000);
	ck_assert_uint_eq(read_all(), 0);
}
END_TEST

START_TEST(what_was_hot_fades)
{
	for (int i = 0; i < 5000; i++)
		ask(0, "old");
	now_ms += 5 * HOTKEYS_HALF_LIFE_MS;
	for (int i = 0; i < 5000; i++)
		ask(0, "new");
	ck_assert_uint_eq(read_all(), 2);
	expect_key(0, "new");
	ck_assert(found[1].share < 0.06);
	now_ms += 100 * HOTKEYS_HALF_LIFE_MS;
	ck_assert_uint_eq(read_all(), 0);
}
END_TEST

START_TEST(a_worker_that_rests_fades_when_it_is_read)
{
	for (int i = 0; i < 1000; i++) {
		ask(0, "resting");
		ask(1, "busy");
	}
	now_ms += 3 * HOTKEYS_HALF_LIFE_MS;
	for (int i = 0; i < 875; i++)
		ask(1, "busy");
	ck_assert_uint_eq(read_all(), 2);
	expect_key(0, "busy");
	ck_assert(found[0].share > 0.85);
}
END_TEST

START_TEST(a_clock_that_lags_behind_does_no_harm)
{
	ask(0, "a");
	now_ms -= 5000;
	ask(0, "a");
	ck_assert_uint_eq(read_all(), 1);
	ck_assert(found[0].requests == 2);
}
END_TEST

START_TEST(a_busy_worker_looks_at_fewer_and_a_calm_one_at_all_again)
{
	uint32_t gap = 1, longest = 0;

	for (int i = 0; i < 20000; i++) {
		gap = hotkeys_count(hotkeys_part(hotkeys, 0), span_str("k"),
		    now_ms, draw());
		ck_assert_uint_ge(gap, 1);
		ck_assert_uint_lt(gap, 2 * HOTKEYS_GAP_MAX);
		if (gap > longest)
			longest = gap;
	}
	ck_assert_uint_gt(longest, HOTKEYS_GAP_MAX);
	for (int i = 0; i < 20; i++) {
		now_ms += 2000;
		gap = hotkeys_count(hotkeys_part(hotkeys, 0), span_str("k"),
		    now_ms, draw());
	}
	ck_assert_uint_eq(gap, 1);
}
END_TEST

START_TEST(a_hidden_key_has_a_hash_and_nothing_else)
{
	char text[HOTKEYS_TEXT_SIZE];

	ask(0, "secret");
	hotkeys_hide(hotkeys, true);
	ck_assert_uint_eq(read_all(), 0);
	ask(0, "secret");
	ask(1, "secret");
	ck_assert_uint_eq(read_all(), 1);
	ck_assert_uint_eq(found[0].key_len, 0);
	ck_assert_ptr_null(memmem(&found[0], sizeof(found[0]), "secret", 6));
	ck_assert_uint_eq(found[0].hash,
	    hotkeys_hash(hotkeys, span_str("secret")));
	hotkeys_show(&found[0], text);
	ck_assert_uint_eq(strlen(text), 16);
	ck_assert_uint_eq(strspn(text, "0123456789abcdef"), 16);
	hotkeys_hide(hotkeys, false);
	ck_assert_uint_eq(read_all(), 0);
}
END_TEST

START_TEST(a_hash_means_nothing_to_another_process)
{
	struct hotkeys *other = hotkeys_new(1);

	ck_assert_ptr_nonnull(other);
	ck_assert_uint_eq(hotkeys_hash(hotkeys, span_str("a")),
	    hotkeys_hash(hotkeys, span_str("a")));
	ck_assert_uint_ne(hotkeys_hash(hotkeys, span_str("a")),
	    hotkeys_hash(other, span_str("a")));
	hotkeys_free(&other);
}
END_TEST

START_TEST(a_key_is_shown_in_one_printable_word)
{
	char text[HOTKEYS_TEXT_SIZE];
	struct hotkey hotkey = {.key_len = HOTKEYS_KEY_MAX};

	hotkeys_show_key(span_of("a b%\r\n\xff\x7f~", 9), HOTKEYS_KEY_MAX,
	    text);
	ck_assert_str_eq(text, "a%20b%25%0D%0A%FF%7F~");
	hotkeys_show_key(span_str("abcdef"), 3, text);
	ck_assert_str_eq(text, "abc");
	memset(hotkey.key, '\n', sizeof(hotkey.key));
	hotkeys_show(&hotkey, text);
	ck_assert_uint_eq(strlen(text), 3 * HOTKEYS_KEY_MAX);
}
END_TEST

START_TEST(each_allocation_may_fail)
{
	struct hotkeys *made;
	int64_t n = 0;

	for (;; n++) {
		mem_fail_after(n);
		made = hotkeys_new(2);
		if (!mem_has_failed())
			break;
		ck_assert_ptr_null(made);
	}
	mem_fail_after(-1);
	ck_assert_int_eq(n, 2);
	hotkeys_free(&made);
	ask(0, "a");
	mem_fail_after(0);
	ck_assert_uint_eq(read_all(), 0);
	mem_fail_after(-1);
	ck_assert_uint_eq(read_all(), 1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("hotkeys");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, nothing_is_hot_when_nothing_was_asked);
	tcase_add_test(tc, few_requests_are_all_counted);
	tcase_add_test(tc, a_hot_key_is_found_among_a_million);
	tcase_add_test(tc, no_key_is_hot_where_all_are_alike);
	tcase_add_test(tc, what_was_hot_fades);
	tcase_add_test(tc, a_worker_that_rests_fades_when_it_is_read);
	tcase_add_test(tc, a_clock_that_lags_behind_does_no_harm);
	tcase_add_test(tc,
	    a_busy_worker_looks_at_fewer_and_a_calm_one_at_all_again);
	tcase_add_test(tc, a_hidden_key_has_a_hash_and_nothing_else);
	tcase_add_test(tc, a_hash_means_nothing_to_another_process);
	tcase_add_test(tc, a_key_is_shown_in_one_printable_word);
	tcase_add_test(tc, each_allocation_may_fail);
	return case_run("hotkeys", tc);
}
