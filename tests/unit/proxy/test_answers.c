/*
 * Whatever fails, and for want of memory at any moment of a long and eventful
 * conversation: every command has its one answer, in its turn, and those that
 * want none have none. Or the client is closed, after whole answers.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "scene.h"

#define DUE_MAX 128

/*
 * What client 0 is due, a word for each command. Answers that may be are
 * separated by `|`, each told by the first word of its line.
 *
 *	HD|NF	one of these, or a SERVER_ERROR
 *	?HD	this or nothing, or a SERVER_ERROR
 *	=MN	this and no SERVER_ERROR
 *	-	nothing whatever happens
 */
static const char *due[DUE_MAX];
static size_t ndue;

#define KEYS                            \
	"    timeouts: {request: 1s}\n" \
	"    flush_all: true\n"         \
	"    health: {failures: 1000}\n"

/* The pools in which things fail; the first is that of the other tests. */
static const char *const confs[] = {
    SCENE_CONF("value_size: 64KiB", KEYS),
    SCENE_CONF("value_size: 64KiB", KEYS "    on_down: error\n"),
    SCENE_CONF("value_size: 64KiB", KEYS "    on_down: next\n"),
    SCENE_CONF("value_size: 64KiB", KEYS "    server_queue: 3\n"),
    "config_version: 1\n"
    "listeners: [{listen: \"unix:${STAGE}/in\", pool: main}]\n"
    "limits: {value_size: 64KiB}\n"
    "pools:\n"
    "  main:\n"
    "    servers:\n"
    "      - {name: s0, address: \"unix:${STAGE}/0\"}\n"
    "      - {name: s1, address: \"unix:${STAGE}/1\"}\n"
    "    on_down: gutter\n"
    "    gutter: spare\n" KEYS
    "  spare: {servers: [{name: g, address: \"unix:${STAGE}/1\"}]}\n",
};

static void
set_up(void)
{
	scene_set_up(confs[0]);
}

/* Such answers will be due, `n` times. */
static void
expect(const char *answers, size_t n)
{
	ck_assert_uint_le(ndue + n, DUE_MAX);
	while (n-- > 0)
		due[ndue++] = answers;
}

/* Something of everything. */
static void
say_much(void)
{
	const char *a = scene_key(0, 0), *b = scene_key(0, 1);
	const char *c = scene_key(1, 0);
	char body[9001];

	memset(body, 'v', sizeof(body) - 1);
	body[sizeof(body) - 1] = '\0';
	scene_say("set %s 1 0 2\r\nAA\r\nset %s 2 0 9000\r\n%s", a, b, body);
	expect("STORED", 2);
	scene_say("\r\nms %s 1 c O7\r\nC\r\n", c);
	expect("HD", 1);
	scene_say("get %s %s %s\r\nget %s\r\ngets %s\r\n", a, b, c, b, a);
	expect("VALUE|END", 3);
	scene_say("mg %s v k q\r\nmg nothing q\r\nmn\r\nmg %s v\r\n", a, c);
	expect("?VA", 1);
	expect("?SERVER_ERROR", 1);
	expect("=MN", 1);
	expect("VA|EN", 1);
	scene_say("gat 0 %s %s\r\nincr %s 1\r\n", c, a, a);
	expect("VALUE|END", 1);
	expect("CLIENT_ERROR|NOT_FOUND", 1);
	scene_say("set big 0 0 100000\r\n");
	for (int i = 0; i < 10; i++)
		scene_say("%.9000s", body);
	scene_say("%.9000s%.1000s\r\n", body, body);
	expect("SERVER_ERROR", 1);
	scene_say("delete %s noreply\r\nnonsense\r\nstats\r\nversion\r\n", a);
	expect("-", 1);
	expect("=ERROR", 1);
	expect("=STAT", 1);
	expect("=VERSION", 1);
}

/* What wants no answer, and what wants one of a failure only. */
static void
say_quietly(const char *a, const char *c)
{
	scene_say("set %s 0 0 1 noreply\r\nx\r\ndelete %s noreply\r\n", a, c);
	expect("-", 2);
	scene_say("set %s 0 0 9000 noreply\r\n%8000s", c, "");
	scene_say("%1000s\r\nincr %s 1 noreply\r\n", "", a);
	expect("-", 2);
	scene_say("touch %s 0 noreply\r\nflush_all noreply\r\n", c);
	expect("-", 2);
	scene_say("flush_all\r\n");
	expect("OK|CLIENT_ERROR", 1);
	scene_say("ms %s 1 q\r\nx\r\nmd %s q\r\nma %s q\r\n", a, c, a);
	expect("?HD", 1);
	expect("?NF", 1);
	expect("?NF|CLIENT_ERROR", 1);
	scene_say("mg %s v q\r\nmn\r\n", c);
	expect("?VA", 1);
	expect("=MN", 1);
}

static void
say_much_and_fail(void)
{
	const char *a = scene_key(0, 0), *c = scene_key(1, 0);

	ndue = 0;
	say_much();
	say_quietly(a, c);
	scene_by_hand();
	scene_say("get %s %s\r\nget %s\r\nset %s 0 0 1\r\nx\r\nmg %s v\r\n", a,
	    c, a, a, a);
	expect("VALUE|END", 2);
	expect("STORED", 1);
	expect("VA|EN", 1);
	say_quietly(c, a);
	stage_reply(scene, 1, span_str("NONSENSE\r\n"));
	stage_settle(scene);
	stage_break(scene, 0);
	stage_settle(scene);
	stage_pass(scene, 1100);
	scene_say("get %s %s\r\nget %s\r\n", a, c, c);
	expect("VALUE|END", 2);
	say_quietly(a, a);
	stage_set_open(scene, 0, false);
	stage_break(scene, 0);
	stage_settle(scene);
	stage_pass(scene, 1100);
	stage_set_open(scene, 0, true);
	scene_say("mn\r\n");
	expect("=MN", 1);
}

/* What wants one answer each. */
static void
say_plainly(const char *a, const char *c)
{
	scene_say("get %s\r\ngets %s %s\r\ngat 0 %s\r\ngats 0 %s %s\r\n", a, a,
	    c, c, c, a);
	expect("VALUE|END", 4);
	scene_say("set %s 0 0 1\r\n1\r\nadd %s 0 0 1\r\n1\r\n", a, c);
	expect("STORED|NOT_STORED", 2);
	scene_say("append %s 0 0 9000\r\n%8000s", a, "");
	scene_say("%1000s\r\ncas %s 0 0 1 5\r\n1\r\n", "", c);
	expect("STORED|NOT_STORED", 1);
	expect("STORED|EXISTS|NOT_FOUND", 1);
	scene_say("ma %s k O7\r\nme %s\r\ntouch %s 0\r\n", a, c, a);
	expect("HD|NF|CLIENT_ERROR", 1);
	expect("ME|EN", 1);
	expect("TOUCHED|NOT_FOUND", 1);
	scene_say("mg %s v k O7\r\nms %s 1\r\n1\r\nmd %s\r\n", a, c, a);
	expect("VA|EN", 1);
	expect("HD", 1);
	expect("HD|NF", 1);
	scene_say("delete %s\r\nset %s 0 0 70000\r\n", a, c);
	for (int i = 0; i < 10; i++)
		scene_say("%7000s", "");
	scene_say("\r\nnonsense\r\nget\r\n");
	expect("DELETED|NOT_FOUND", 1);
	expect("SERVER_ERROR", 1);
	expect("=ERROR", 2);
}

static void
break_connections(void)
{
	for (size_t i = 0; i < scene->nhouses; i++)
		stage_break(scene, i);
}

static void
refuse_connections(void)
{
	for (size_t i = 0; i < scene->nhouses; i++)
		stage_set_open(scene, i, false);
	break_connections();
}

static void
take_down(void)
{
	const struct pool *pool = &scene->table->pools[0];

	for (size_t i = 0; i < pool->nservers; i++)
		ck_assert(
		    health_open(&pool->servers[i]->health, scene->now_ms, 0));
}

static void
talk_nonsense(void)
{
	for (size_t i = 0; i < scene->nhouses; i++)
		stage_reply(scene, i, span_str("NONSENSE\r\n"));
}

/* Right for one request or another, and wrong for the next. */
static void
end_again_and_again(void)
{
	for (size_t i = 0; i < scene->nhouses; i++)
		stage_reply(scene, i,
		    span_str("END\r\nEND\r\nEND\r\n"
			     "STORED\r\nEND\r\n"));
}

static void
fail_each(void)
{
	for (size_t i = 0; i < scene->nhouses; i++) {
		for (int j = 0; j < 100; j++)
			stage_reply(
			    scene, i, span_str("SERVER_ERROR busy\r\n"));
	}
}

/* The answers come, but too late. */
static void
be_late(void)
{
	stage_pass(scene, 1100);
}

static void
move_away(void)
{
	stage_reload(scene,
	    "config_version: 1\n"
	    "listeners: [{listen: \"unix:${STAGE}/else\"}]\n"
	    "pools:\n"
	    "  other: {servers: [{name: s, address: \"unix:${STAGE}/0\"}]}\n");
}

/* What goes wrong. */
static void (*const failures[])(void) = {
    break_connections,
    refuse_connections,
    take_down,
    talk_nonsense,
    end_again_and_again,
    fail_each,
    be_late,
    move_away,
};

#define NFAILURES ((int)(sizeof(failures) / sizeof(*failures)))
#define NCONFS	  ((int)(sizeof(confs) / sizeof(*confs)))

/* Whether the line that `got` begins with starts with that word. */
static bool
begins_with(struct span got, const char *word, size_t len)
{
	return got.len > len && memcmp(got.p, word, len) == 0 &&
	    strchr(" \r", got.p[len]) != NULL;
}

/* Whether it is one of the answers, which are separated by `|`. */
static bool
is_among(struct span got, const char *answers)
{
	for (;;) {
		size_t len = strcspn(answers, "|");

		if (begins_with(got, answers, len))
			return true;
		if (answers[len] == '\0')
			return false;
		answers += len + 1;
	}
}

/* Takes so many bytes off `got`, or all. */
static void
take(struct span *got, size_t n)
{
	if (n > got->len)
		n = got->len;
	*got = span_of(got->p + n, got->len - n);
}

static void
take_line(struct span *got)
{
	const char *end = memchr(got->p, '\n', got->len);

	take(got, end == NULL ? got->len : (size_t)(end + 1 - got->p));
}

/* The bytes of the value that follows this line, its end included, or 0. */
static size_t
value_size(struct span line)
{
	unsigned size;

	if (sscanf(line.p, "VA %u", &size) == 1 ||
	    sscanf(line.p, "VALUE %*s %*u %u", &size) == 1)
		return size + 2;
	return 0;
}

/* Takes the answer that `got` begins with, as much as there is of it. */
static void
take_answer(struct span *got)
{
	bool has_end =
	    begins_with(*got, "VALUE", 5) || begins_with(*got, "STAT", 4);
	size_t size;

	do {
		size = value_size(*got);
		take_line(got);
		take(got, size);
	} while (has_end && got->len > 0 && !begins_with(*got, "END", 3));
	if (has_end)
		take_line(got);
}

/* What is not taken yet begins with an answer to a command that may be so. */
static void
take_due(struct span *got, const char *answers)
{
	bool is_optional = answers[0] == '?', is_exact = answers[0] == '=';

	if (strcmp(answers, "-") == 0)
		return;
	if (is_optional || is_exact)
		answers++;
	if (is_among(*got, answers) ||
	    (!is_exact && begins_with(*got, "SERVER_ERROR", 12)))
		take_answer(got);
	else
		ck_assert_msg(is_optional, "due is %s, told is \"%.60s\"",
		    answers, got->p);
}

/* A client that was closed may lack the last answers, or the end of one. */
static void
expect_answered_or_closed(void)
{
	const struct actor *client = &scene->actors[0];
	struct span got = bytes_span(&client->got);

	for (size_t i = 0; i < ndue; i++) {
		if (client->is_hung_up_on &&
		    (got.len == 0 || memchr(got.p, '\n', got.len) == NULL))
			return;
		take_due(&got, due[i]);
	}
	ck_assert_msg(got.len == 0, "nothing is due, told is \"%.60s\"", got.p);
}

START_TEST(each_command_has_its_answer)
{
	say_much_and_fail();
	ck_assert(!scene->actors[0].is_hung_up_on);
	expect_answered_or_closed();
}
END_TEST

START_TEST(whatever_fails_each_command_has_its_answer)
{
	const char *a, *c;

	scene_tear_down();
	scene_set_up(confs[_i / NFAILURES]);
	a = scene_key(0, 0);
	c = scene_key(1, 0);
	ndue = 0;
	scene_by_hand();
	say_plainly(a, c);
	say_quietly(a, c);
	failures[_i % NFAILURES]();
	stage_settle(scene);
	say_quietly(c, a);
	say_plainly(c, a);
	scene->houses[0].is_honest = scene->houses[1].is_honest = true;
	stage_settle(scene);
	stage_pass(scene, 1100);
	scene_say("mn\r\n");
	expect("=MN", 1);
	ck_assert(!scene->actors[0].is_hung_up_on);
	expect_answered_or_closed();
}
END_TEST

START_TEST(each_allocation_may_fail)
{
	int64_t n = 0;

	do {
		if (scene->actors[0].fd == -1)
			stage_enter(scene, 0);
		mem_fail_after(n++);
		say_much_and_fail();
		expect_answered_or_closed();
		stage_leave(scene, 0);
		stage_settle(scene);
		if (!mem_has_failed())
			break;
		mem_fail_after(-1);
		scene_expect_in_service(1);
		/* From the start: what waits for its next use is freed. */
		stage_end(scene);
		stage_begin(scene);
	} while (n < 10000);
	mem_fail_after(-1);
	ck_assert_int_gt(n, 10);
	ck_assert_int_lt(n, 10000);
}
END_TEST

START_TEST(any_budget_will_do)
{
	for (uint64_t limit = 0; limit < 400000; limit += 1500) {
		if (scene->actors[0].fd == -1)
			stage_enter(scene, 0);
		atomic_store(&scene->budget.limit, limit);
		say_much_and_fail();
		/* And one block to read into, so that all can go on. */
		ck_assert_uint_le(
		    atomic_load(&scene->budget.used), limit + BLOCK_LARGE_SIZE);
		expect_answered_or_closed();
		stage_leave(scene, 0);
		stage_settle(scene);
		atomic_store(&scene->budget.limit, 1 << 28);
		scene_expect_in_service(1);
		stage_end(scene);
		stage_begin(scene);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("answers");

	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, each_command_has_its_answer);
	tcase_add_loop_test(tc, whatever_fails_each_command_has_its_answer, 0,
	    NCONFS * NFAILURES);
	tcase_add_test(tc, each_allocation_may_fail);
	tcase_add_test(tc, any_budget_will_do);
	return case_run("answers", tc);
}
