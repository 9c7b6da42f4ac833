/*
 * Whole conversations: what arbitrary clients say and arbitrary servers
 * answer, at any time, with any failure in between.
 *
 * The input is a play: its first byte chooses the configuration, then come
 * acts. Each is one byte, an act in its lower five bits and a server in the
 * others, then a length and so many bytes (fewer at the end). plays.py writes
 * some.
 *
 * What must hold: nothing crashes or leaks; the witness is never told what is
 * not its own; afterwards the service is as good as new. And as long as no
 * server lies and nothing fails, every client gets to the byte what one
 * memcached alone would have answered.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "model.h"
#include "stage.h"
#include "witness.h"

#define CONF(limits, keys)                                                     \
	"config_version: 1\n"                                                  \
	"listeners: [{listen: \"unix:${STAGE}/in\"}]\n"                        \
	"limits: {" limits "}\n"                                               \
	"pools:\n"                                                             \
	"  main:\n"                                                            \
	"    servers:\n"                                                       \
	"      - {name: s0, address: \"unix:${STAGE}/0\"}\n"                   \
	"      - {name: s1, address: \"unix:${STAGE}/1\"}\n"                   \
	"      - {name: s2, address: \"unix:${STAGE}/2\"}\n"                   \
	"    timeouts: {connect: 100ms, request: 200ms}\n" keys

struct setting {
	const char	*conf;
	uint64_t	 value_size;
	bool		 is_ample;	/* no limit is met by what fits here */
};

static const struct setting settings[] = {
	{CONF("", ""), 1 << 20, true},
	{CONF("value_size: 32KiB", "    on_down: error\n"), 32768, true},
	{CONF("", "    on_down: next\n    server_connections: 2\n"), 1 << 20,
	    true},
	{CONF("value_size: 16KiB, client_buffer: 64KiB, request_line: 2KiB, "
	    "memory: 1MiB", "    server_queue: 8\n    health: {failures: 2}\n"),
	    16384, false},
};

#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

/* The same pool without s2. */
static const char reduced[] =
    "config_version: 1\n"
    "listeners: [{listen: \"unix:${STAGE}/in\"}]\n"
    "pools:\n"
    "  main:\n"
    "    servers:\n"
    "      - {name: s0, address: \"unix:${STAGE}/0\"}\n"
    "      - {name: s1, address: \"unix:${STAGE}/1\"}\n";

enum act {
	ACT_SAY,		/* client 0 says the bytes */
	ACT_SAY_OTHER,		/* client 2 */
	ACT_ASK,		/* the witness asks, so many questions */
	ACT_TURN,
	ACT_SETTLE,
	ACT_REPLY,		/* server: the bytes, whatever was asked */
	ACT_ANSWER,		/* server: takes it and answers */
	ACT_HONESTY,		/* server: changes between honest and by hand */
	ACT_BREAK,		/* server: its connections break */
	ACT_DOOR,		/* server: refuses connections, or does not */
	ACT_TIME,		/* passes */
	ACT_LEAVE,		/* client 0 goes, another comes */
	ACT_SHUT,		/* client 0 says no more */
	ACT_FAIL,		/* an allocation will */
	ACT_BUDGET,		/* of memory changes */
	ACT_RELOAD,
	ACT_DEAF,		/* client 0 reads nothing, or does again */
};

#define ACT_BITS 5

struct play {
	struct stage		*stage;
	const struct setting	*setting;
	struct span		 rest;
	struct model		 model;		/* of client 0 */
	struct cache		*cache;		/* of the model */
	struct bytes		 heard;		/* by client 0 */
	struct witness		 witness;
	bool			 is_pristine;	/* nobody lied or failed */
	bool			 is_reduced;
};

static struct stage *stages[NSETTINGS];

/* FNV-1a: keys that the input cannot name, as it would change them. */
static uint64_t
nonce_of(const uint8_t *data, size_t size)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < size; i++)
		h = (h ^ data[i]) * 1099511628211u;
	return h;
}

static uint8_t
take_byte(struct play *play)
{
	uint8_t byte;

	if (play->rest.len == 0)
		return 0;
	byte = (uint8_t)play->rest.p[0];
	play->rest = span_of(play->rest.p + 1, play->rest.len - 1);
	return byte;
}

static struct span
take_bytes(struct play *play)
{
	size_t n = take_byte(play);
	struct span bytes;

	if (n > play->rest.len)
		n = play->rest.len;
	bytes = span_of(play->rest.p, n);
	play->rest = span_of(play->rest.p + n, play->rest.len - n);
	return bytes;
}

static uint8_t
first_byte(struct span bytes)
{
	return bytes.len == 0 ? 0 : (uint8_t)bytes.p[0];
}

static void
listen_to_client(struct play *play)
{
	struct bytes *got = &play->stage->actors[0].got;

	bytes_add(&play->heard, bytes_span(got));
	bytes_drop(got, got->len);
	bytes_drop(&play->stage->actors[2].got,
	    play->stage->actors[2].got.len);
	witness_check(&play->witness, play->stage);
}

static void
replace_client(struct play *play)
{
	stage_leave(play->stage, 0);
	stage_enter(play->stage, 0);
	play->is_pristine = false;
}

static void
reload(struct play *play)
{
	stage_reload(play->stage, play->is_reduced ? play->setting->conf :
	    reduced);
	play->is_reduced = !play->is_reduced;
	play->is_pristine = false;
}

static void
change_budget(struct play *play, uint8_t n)
{
	uint64_t limit = play->stage->table->conf->limits.memory;

	if (n > 0)
		limit = (uint64_t)n * 4096;
	atomic_store(&play->stage->budget.limit, limit);
	play->is_pristine = false;
}

static void
act_on_server(struct play *play, enum act act, size_t house, struct span bytes)
{
	struct stage *stage = play->stage;
	struct house *h = &stage->houses[house];

	if (act == ACT_REPLY)
		stage_reply(stage, house, bytes);
	else if (act == ACT_ANSWER)
		stage_answer(stage, house);
	else if (act == ACT_HONESTY)
		h->is_honest = !h->is_honest;
	else if (act == ACT_BREAK)
		stage_break(stage, house);
	else
		stage_set_open(stage, house, h->listen_fd == -1);
	if (act != ACT_ANSWER && act != ACT_HONESTY)
		play->is_pristine = false;
}

static void
perform(struct play *play, enum act act, size_t house, struct span bytes)
{
	switch (act) {
	case ACT_SAY:
		stage_say(play->stage, 0, bytes);
		model_feed(&play->model, bytes);
		return;
	case ACT_SAY_OTHER:
		stage_say(play->stage, 2, bytes);
		play->is_pristine = false;
		return;
	case ACT_ASK:
		for (size_t i = 0; i <= bytes.len; i++)
			witness_ask(&play->witness, play->stage);
		return;
	case ACT_TURN:
		stage_turn(play->stage);
		return;
	case ACT_SETTLE:
		stage_settle(play->stage);
		return;
	case ACT_REPLY:
	case ACT_ANSWER:
	case ACT_HONESTY:
	case ACT_BREAK:
	case ACT_DOOR:
		act_on_server(play, act, house, bytes);
		return;
	case ACT_TIME:
		play->stage->now_ms += 1 + 4u * first_byte(bytes);
		play->is_pristine = false;
		return;
	case ACT_LEAVE:
		replace_client(play);
		return;
	case ACT_SHUT:
		stage_shut(play->stage, 0);
		play->is_pristine = false;
		return;
	case ACT_FAIL:
		mem_fail_after(first_byte(bytes));
		play->is_pristine = false;
		return;
	case ACT_BUDGET:
		change_budget(play, first_byte(bytes));
		return;
	case ACT_RELOAD:
		/* A table that cannot be built is another fuzzer's business. */
		mem_fail_after(-1);
		reload(play);
		return;
	case ACT_DEAF:
		play->stage->actors[0].is_deaf =
		    !play->stage->actors[0].is_deaf;
		return;
	}
	/* A number without an act: nothing happens. */
}

static void
die(const char *what, struct span got, struct span due)
{
	fprintf(stderr, "%s\n--- got:\n%.*s\n--- due:\n%.*s\n", what,
	    (int)got.len, got.p, (int)due.len, due.p);
	abort();
}

/* What was heard must be what was due; its start, where more is not known. */
static void
compare(const struct model *model, struct span heard, const char *who)
{
	struct span due = bytes_span(&model->due);

	if (model->state == MODEL_LOST ? !span_starts(heard, due) :
	    !span_eq(heard, due))
		die(who, heard, due);
}

static void
check_pristine(struct play *play)
{
	struct model model;

	compare(&play->model, bytes_span(&play->heard), "client 0 differs");
	model_init(&model, play->cache, play->setting->value_size);
	model_feed(&model, bytes_span(&play->witness.said));
	compare(&model, bytes_span(&play->witness.heard), "witness differs");
	model_fini(&model);
}

/* All well again: whoever comes now is served as if nothing had been. */
static void
check_service(struct play *play)
{
	static const char say[] = "set after 1 0 2\r\nok\r\nget after none\r\n"
	    "mn\r\n";
	static const char due[] = "STORED\r\nVALUE after 1 2\r\nok\r\nEND\r\n"
	    "MN\r\n";
	struct stage *stage = play->stage;

	mem_fail_after(-1);
	change_budget(play, 0);
	for (size_t i = 0; i < stage->nhouses; i++) {
		stage_break(stage, i);
		stage_set_open(stage, i, true);
		stage->houses[i].is_honest = true;
	}
	stage_leave(stage, 0);
	stage_leave(stage, 2);
	stage_settle(stage);
	stage_pass(stage, 60000);
	stage_heal(stage);
	stage_enter(stage, 3);
	stage_say(stage, 3, span_str(say));
	stage_settle(stage);
	if (!span_eq(bytes_span(&stage->actors[3].got), span_str(due)))
		die("no service", bytes_span(&stage->actors[3].got),
		    span_str(due));
}

static void
start(struct play *play, const uint8_t *data, size_t size)
{
	size_t i = data[0] % NSETTINGS;

	play->rest = span_of((const char *)data + 1, size - 1);
	play->setting = &settings[i];
	if (stages[i] == NULL)
		stages[i] = stage_new(3, play->setting->conf);
	else if (setenv("STAGE", stages[i]->dir, 1) != 0)
		abort();
	play->stage = stages[i];
	play->is_pristine = play->setting->is_ample;
	stage_begin(play->stage);
	stage_enter(play->stage, 0);
	stage_enter(play->stage, 1);
	stage_enter(play->stage, 2);
	play->cache = cache_new();
	model_init(&play->model, play->cache, play->setting->value_size);
	witness_init(&play->witness, 1, nonce_of(data, size));
}

static void
finish(struct play *play)
{
	for (size_t i = 0; i < play->stage->nhouses; i++)
		play->stage->houses[i].is_honest = true;
	play->stage->actors[0].is_deaf = false;
	stage_settle(play->stage);
	listen_to_client(play);
	if (play->is_pristine)
		check_pristine(play);
	check_service(play);
	if (play->is_reduced) {
		stage_reload(play->stage, play->setting->conf);
		stage_settle(play->stage);
	}
	stage_end(play->stage);
	witness_fini(&play->witness);
	model_fini(&play->model);
	bytes_free(&play->heard);
	cache_free(&play->cache);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct play play = {.is_reduced = false};

	if (size == 0)
		return 0;
	log_set_level(LOG_LEVEL_ERROR);
	start(&play, data, size);
	while (play.rest.len > 0) {
		uint8_t byte = take_byte(&play);

		perform(&play, (enum act)(byte & ((1 << ACT_BITS) - 1)),
		    (byte >> ACT_BITS) % 3, take_bytes(&play));
		listen_to_client(&play);
	}
	finish(&play);
	return 0;
}
