/*
 * Holds one conversation, over and over, with a worker in this process, so
 * that its instructions can be counted: see `instructions`.
 *
 *	talk NAME ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "stage.h"

#define CLIENTS 4
#define KEYS 50

static const char conf[] =
    "config_version: 1\n"
    "listeners: [{listen: \"unix:${STAGE}/in\"}]\n"
    "pools:\n"
    "  main:\n"
    "    servers:\n"
    "      - {name: s0, address: \"unix:${STAGE}/0\"}\n"
    "      - {name: s1, address: \"unix:${STAGE}/1\"}\n"
    "      - {name: s2, address: \"unix:${STAGE}/2\"}\n";

static void
add_value(struct bytes *said, const char *line)
{
	char value[100];

	memset(value, 'v', sizeof(value));
	bytes_say(said, "%s", line);
	bytes_add(said, span_of(value, sizeof(value)));
	bytes_say(said, "\r\n");
}

static void
add_get(struct bytes *said, int i)
{
	bytes_say(said, "get key:%08d\r\n", i);
}

static void
add_set(struct bytes *said, int i)
{
	char line[64];

	snprintf(line, sizeof(line), "set key:%08d 0 0 100\r\n", i);
	add_value(said, line);
}

static void
add_pipeline(struct bytes *said, int i)
{
	for (int j = 0; j < 32; j++)
		add_get(said, (i + j) % KEYS);
}

static void
add_keys(struct bytes *said, int i)
{
	(void)i;
	bytes_say(said, "get");
	for (int j = 0; j < KEYS; j++)
		bytes_say(said, " key:%08d", j);
	bytes_say(said, "\r\n");
}

static void
add_mg(struct bytes *said, int i)
{
	bytes_say(said, "mg key:%08d v t f\r\n", i);
}

static void
add_ms(struct bytes *said, int i)
{
	char line[64];

	snprintf(line, sizeof(line), "ms key:%08d 100 T0\r\n", i);
	add_value(said, line);
}

static const struct talk {
	const char	*name;
	void		(*add)(struct bytes *said, int i);
} talks[] = {
	{"get", add_get},
	{"set", add_set},
	{"pipeline", add_pipeline},
	{"keys", add_keys},
	{"mg", add_mg},
	{"ms", add_ms},
};

static void
fill(struct stage *stage)
{
	struct bytes said = {0};

	for (int i = 0; i < KEYS; i++)
		add_set(&said, i);
	stage_say(stage, 0, bytes_span(&said));
	stage_settle(stage);
	bytes_free(&said);
}

/* Every client says the same at once, and all are answered. */
static void
hold_round(struct stage *stage, const struct talk *talk, int round)
{
	struct bytes said = {0};

	talk->add(&said, round % KEYS);
	for (size_t i = 0; i < CLIENTS; i++)
		stage_say(stage, i, bytes_span(&said));
	stage_settle(stage);
	for (size_t i = 0; i < CLIENTS; i++) {
		MUST(stage->actors[i].got.len > 0);
		bytes_drop(&stage->actors[i].got, stage->actors[i].got.len);
	}
	bytes_free(&said);
}

static void
hold(const struct talk *talk, int nrounds)
{
	struct stage *stage = stage_new(3, conf);

	stage_begin(stage);
	for (size_t i = 0; i < CLIENTS; i++)
		stage_enter(stage, i);
	fill(stage);
	for (int i = 0; i < nrounds; i++)
		hold_round(stage, talk, i);
	stage_end(stage);
	stage_free(&stage);
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(talks) / sizeof(*talks);
	    i++) {
		if (strcmp(talks[i].name, argv[1]) == 0) {
			hold(&talks[i], atoi(argv[2]));
			return EXIT_SUCCESS;
		}
	}
	fprintf(stderr, "usage: talk get|set|pipeline|keys|mg|ms ROUNDS\n");
	return EXIT_FAILURE;
}
