/*
 * Random conversations: whatever clients say, in whatever pieces, over two
 * servers, each is answered to the byte as by one memcached alone.
 */
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "scene.h"

#define VALUE_SIZE (16 << 10)	/* the limit */
#define COMMANDS   200		/* in a conversation */

static uint64_t random_state;

static void
set_up(void)
{
	scene_set_up(SCENE_CONF("value_size: 16KiB", ""));
}

/* xorshift64. */
static uint32_t
draw(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 16) % below);
}

static const char *
draw_word(const char *const *words, size_t n)
{
	return words[draw((uint32_t)n)];
}

/* One of few keys of client `who`, so that they are met again; one is long. */
static void
say_key(struct bytes *out, unsigned who)
{
	uint32_t n = draw(12);

	bytes_say(out, " c%u:%0*u", who, n == 0 ? 200 : 4, n);
}

/* Mostly a few bytes, now and then more than is copied, or than is taken. */
static void
say_value(struct bytes *out, size_t len)
{
	char value[VALUE_SIZE + 64];

	for (size_t i = 0; i < len; i++)
		value[i] = draw(4) == 0 ? "\r\n\0 E"[draw(5)] :
		    (char)draw(256);
	bytes_add(out, span_of(value, len));
	bytes_say(out, "\r\n");
}

static size_t
draw_len(void)
{
	uint32_t dice = draw(40);

	if (dice == 0)
		return VALUE_SIZE + draw(64);
	if (dice < 4)
		return 6000 + draw(6000);
	return draw(dice < 10 ? 3 : 60);
}

static const char *
draw_noreply(void)
{
	return draw(6) == 0 ? " noreply" : "";
}

static void
say_get(struct bytes *out, unsigned who)
{
	static const char *const verbs[] = {"get", "gets", "gat 0", "gats 0",
	    "gat -1"};

	bytes_say(out, "%s", draw_word(verbs, LENGTH(verbs)));
	for (uint32_t n = draw(3) == 0 ? 1 + draw(9) : 1; n > 0; n--)
		say_key(out, who);
	bytes_say(out, "\r\n");
}

static void
say_store(struct bytes *out, unsigned who)
{
	static const char *const verbs[] = {"set", "set", "set", "add",
	    "replace", "append", "prepend"};
	size_t len = draw_len();

	bytes_say(out, "%s", draw_word(verbs, LENGTH(verbs)));
	say_key(out, who);
	bytes_say(out, " %u %d %zu%s\r\n", draw(1000), draw(20) == 0 ? -1 : 0,
	    len, draw_noreply());
	say_value(out, len);
}

static void
say_number(struct bytes *out, unsigned who)
{
	bytes_say(out, "set");
	say_key(out, who);
	bytes_say(out, " 0 0 2\r\n%02u\r\n%s", draw(100),
	    draw(2) == 0 ? "incr" : "decr");
	say_key(out, who);
	bytes_say(out, " %u%s\r\n", draw(100), draw_noreply());
}

static void
say_other(struct bytes *out, unsigned who)
{
	static const char *const verbs[] = {"delete", "touch", "cas"};
	uint32_t i = draw(3);

	bytes_say(out, "%s", verbs[i]);
	say_key(out, who);
	if (i == 1)
		bytes_say(out, " 0");
	else if (i == 2)
		bytes_say(out, " 0 0 1 %u", draw(3));
	bytes_say(out, "%s\r\n%s", draw_noreply(), i == 2 ? "x\r\n" : "");
}

static void
say_meta(struct bytes *out, unsigned who)
{
	static const char *const flags[] = {"", " k", " q", " v", " v k",
	    " v q k", " O123", " v O77 k s f c", " q O5"};
	static const char *const verbs[] = {"mg", "mg", "mg", "ms", "md",
	    "ma", "mn"};
	const char *verb = draw_word(verbs, LENGTH(verbs));
	size_t len = draw_len();

	bytes_say(out, "%s", verb);
	say_key(out, who);
	if (strcmp(verb, "ms") == 0)
		bytes_say(out, " %zu", len);
	bytes_say(out, "%s\r\n", draw_word(flags, LENGTH(flags)));
	if (strcmp(verb, "ms") == 0)
		say_value(out, len);
}

static void
say_wrong(struct bytes *out)
{
	static const char *const lines[] = {"get\r\n", "foo\r\n", "\r\n",
	    "set a b c 5\r\nhello\r\n", "set a 0 0 1\r\nxyz\r\n",
	    "mg a v v\r\n", "ms a 3 !\r\nabc\r\n", "incr a x\r\n",
	    "touch a x noreply\r\n", "delete a 1 2 3\r\n", "flush_all\r\n",
	    "cache_memlimit 5\r\n", "version\r\n", "verbosity 1\r\n",
	    "set a 0 0 1 noreply\r\nxy\r\n", "ms Zm9v 2 b q\r\nab\r\n",
	    "mg Zm9v b k v\r\n", "md Zm9v b k\r\n"};

	bytes_say(out, "%s", draw_word(lines, LENGTH(lines)));
}

static void
say_something(struct bytes *out, unsigned who)
{
	switch (draw(8)) {
	case 0:
	case 1:
		say_get(out, who);
		return;
	case 2:
	case 3:
		say_store(out, who);
		return;
	case 4:
		say_meta(out, who);
		return;
	case 5:
		say_number(out, who);
		return;
	case 6:
		say_other(out, who);
		return;
	default:
		say_wrong(out);
		return;
	}
}

/* Sends the bytes in random pieces, with turns in between. */
static void
send_in_pieces(size_t client, struct span bytes, uint32_t longest)
{
	while (bytes.len > 0) {
		size_t n = 1 + draw(longest);

		if (n > bytes.len)
			n = bytes.len;
		stage_say(scene, client, span_of(bytes.p, n));
		stage_turn(scene);
		bytes = span_of(bytes.p + n, bytes.len - n);
	}
}

static void
expect_due(size_t client, const struct model *model)
{
	const struct bytes *got = &scene->actors[client].got;
	struct span due = bytes_span(&model->due);
	size_t at = 0;

	ck_assert_int_eq(model->state, MODEL_OPEN);
	if (span_eq(bytes_span(got), due))
		return;
	while (at < got->len && at < due.len && got->p[at] == due.p[at])
		at++;
	ck_abort_msg("byte %zu of %zu, %zu due: \"%.*s\", not \"%.*s\"", at,
	    got->len, due.len, (int)(got->len - at > 80 ? 80 : got->len - at),
	    got->p + at, (int)(due.len - at > 80 ? 80 : due.len - at),
	    due.p + at);
}

/* The longest piece, by test: bytes one by one, small, all at once. */
static const uint32_t pieces[] = {1, 7, 100, 3000, 1 << 20};

START_TEST(one_client_is_answered_as_by_one_memcached)
{
	struct cache *cache = cache_new();
	struct bytes said = {0};
	struct model model;

	random_state = 0x9e3779b97f4a7c15u + (uint64_t)_i;
	model_init(&model, cache, VALUE_SIZE);
	/* Bytes one by one take a turn each. */
	for (int i = 0; i < (pieces[_i] == 1 ? COMMANDS / 10 : COMMANDS); i++)
		say_something(&said, 0);
	model_feed(&model, bytes_span(&said));
	send_in_pieces(0, bytes_span(&said), pieces[_i]);
	stage_settle(scene);
	expect_due(0, &model);
	ck_assert_uint_gt(model.due.len, 100);
	model_fini(&model);
	bytes_free(&said);
	cache_free(&cache);
}
END_TEST

START_TEST(a_line_of_many_keys_may_come_in_pieces)
{
	struct cache *cache = cache_new();
	struct bytes said = {0};
	struct model model;

	random_state = 0x2545f4914f6cdd1du;
	model_init(&model, cache, VALUE_SIZE);
	bytes_say(&said, "set key:1999 0 0 1\r\nx\r\nget");
	for (int i = 0; i < 4000; i++)
		bytes_say(&said, " key:%d", i);
	bytes_say(&said, "\r\n");
	model_feed(&model, bytes_span(&said));
	send_in_pieces(0, bytes_span(&said), 3000);
	stage_settle(scene);
	expect_due(0, &model);
	model_fini(&model);
	bytes_free(&said);
	cache_free(&cache);
}
END_TEST

START_TEST(many_clients_are_answered_as_if_alone)
{
	struct cache *cache = cache_new();
	struct model models[STAGE_ACTORS];
	struct bytes said = {0};

	random_state = 0xbf58476d1ce4e5b9u + (uint64_t)_i;
	for (size_t i = 0; i < STAGE_ACTORS; i++) {
		model_init(&models[i], cache, VALUE_SIZE);
		if (i > 0)
			stage_enter(scene, i);
	}
	for (int n = 0; n < 4 * COMMANDS; n++) {
		size_t i = draw(STAGE_ACTORS);

		/* Keys that all of them use would depend on the order. */
		if (draw(8) == 0)
			say_get(&said, (unsigned)i);
		else if (draw(2) == 0)
			say_store(&said, (unsigned)i);
		else
			say_meta(&said, (unsigned)i);
		model_feed(&models[i], bytes_span(&said));
		stage_say(scene, i, bytes_span(&said));
		bytes_drop(&said, said.len);
		if (draw(5) == 0)
			stage_turn(scene);
	}
	stage_settle(scene);
	for (size_t i = 0; i < STAGE_ACTORS; i++) {
		expect_due(i, &models[i]);
		model_fini(&models[i]);
	}
	bytes_free(&said);
	cache_free(&cache);
}
END_TEST

START_TEST(answers_come_in_order_however_servers_are_late)
{
	struct cache *cache = cache_new();
	struct bytes said = {0};
	struct model model;

	random_state = 0x94d049bb133111ebu + (uint64_t)_i;
	model_init(&model, cache, VALUE_SIZE);
	scene_by_hand();
	for (int i = 0; i < COMMANDS; i++) {
		say_something(&said, 0);
		stage_say(scene, 0, bytes_span(&said));
		model_feed(&model, bytes_span(&said));
		bytes_drop(&said, said.len);
		stage_turn(scene);
		if (draw(4) == 0)
			stage_answer(scene, draw(2));
	}
	scene->houses[0].is_honest = scene->houses[1].is_honest = true;
	stage_settle(scene);
	expect_due(0, &model);
	model_fini(&model);
	bytes_free(&said);
	cache_free(&cache);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("conversation");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_loop_test(tc, one_client_is_answered_as_by_one_memcached, 0,
	    LENGTH(pieces));
	tcase_add_test(tc, a_line_of_many_keys_may_come_in_pieces);
	tcase_add_loop_test(tc, many_clients_are_answered_as_if_alone, 0, 3);
	tcase_add_loop_test(tc,
	    answers_come_in_order_however_servers_are_late, 0, 3);
	return case_run("conversation", tc);
}
