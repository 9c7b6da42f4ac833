/* Expectations about conversations. */
#include "scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define KEY_SIZE  16
#define KEYS_KEPT 64

struct stage *scene;

static char keys[KEYS_KEPT][KEY_SIZE];
static size_t nkeys;

void
scene_set_up(const char *conf)
{
	scene_set_up_of(2, conf);
}

void
scene_set_up_of(size_t nhouses, const char *conf)
{
	nkeys = 0;
	scene = stage_new(nhouses, conf);
	stage_begin(scene);
	stage_enter(scene, 0);
	stage_settle(scene);
}

void
scene_tear_down(void)
{
	stage_end(scene);
	stage_free(&scene);
}

void
scene_by_hand(void)
{
	for (size_t i = 0; i < scene->nhouses; i++)
		scene->houses[i].is_honest = false;
}

const char *
scene_key(size_t house, size_t i)
{
	const struct placement *placement = scene->table->pools[0].placement;
	char *key = keys[nkeys++ % KEYS_KEPT];

	for (unsigned n = 0;; n++) {
		snprintf(key, KEY_SIZE, "k%u", n);
		if (placement_owner(placement, span_str(key)) == house &&
		    i-- == 0)
			return key;
	}
}

/* The text of a format, for the expectations below. */
static void
format(struct bytes *text, const char *fmt, va_list ap)
{
	char buf[65536];
	int n = vsnprintf(buf, sizeof(buf), fmt, ap);

	ck_assert(n >= 0 && (size_t)n < sizeof(buf));
	bytes_add(text, span_of(buf, (size_t)n));
}

void
scene_say(const char *fmt, ...)
{
	struct bytes text = {0};
	va_list ap;

	va_start(ap, fmt);
	format(&text, fmt, ap);
	va_end(ap);
	stage_say(scene, 0, bytes_span(&text));
	bytes_free(&text);
	stage_settle(scene);
}

void
scene_reply(size_t house, const char *fmt, ...)
{
	struct bytes text = {0};
	va_list ap;

	va_start(ap, fmt);
	format(&text, fmt, ap);
	va_end(ap);
	ck_assert_msg(stage_seat(scene, house) != NULL,
	    "server %zu has no connection", house);
	stage_reply(scene, house, bytes_span(&text));
	bytes_free(&text);
	stage_settle(scene);
}

static void
expect(struct bytes *got, const struct bytes *wanted, const char *who,
    size_t i)
{
	ck_assert_msg(span_eq(bytes_span(got), bytes_span(wanted)),
	    "%s %zu got \"%.*s\", not \"%.*s\"", who, i, (int)got->len,
	    got->p, (int)wanted->len, wanted->p);
	bytes_drop(got, got->len);
}

void
scene_expect(const char *fmt, ...)
{
	struct bytes wanted = {0};
	va_list ap;

	va_start(ap, fmt);
	format(&wanted, fmt, ap);
	va_end(ap);
	expect(&scene->actors[0].got, &wanted, "client", 0);
	bytes_free(&wanted);
}

void
scene_expect_nothing(void)
{
	struct bytes nothing = {0};

	expect(&scene->actors[0].got, &nothing, "client", 0);
}

void
scene_expect_of(size_t i, const char *fmt, ...)
{
	struct bytes wanted = {0};
	va_list ap;

	va_start(ap, fmt);
	format(&wanted, fmt, ap);
	va_end(ap);
	expect(&scene->actors[i].got, &wanted, "client", i);
	bytes_free(&wanted);
}

void
scene_expect_asked(size_t house, const char *fmt, ...)
{
	struct seat *seat = stage_seat(scene, house);
	struct bytes wanted = {0}, nothing = {0};
	va_list ap;

	va_start(ap, fmt);
	format(&wanted, fmt, ap);
	va_end(ap);
	expect(seat != NULL ? &seat->asked : &nothing, &wanted, "server",
	    house);
	bytes_free(&wanted);
}

void
scene_expect_closed(size_t i)
{
	ck_assert_msg(scene->actors[i].is_hung_up_on, "client %zu is open", i);
}

void
scene_expect_in_service(size_t i)
{
	for (size_t j = 0; j < scene->nhouses; j++)
		scene->houses[j].is_honest = true;
	stage_settle(scene);
	stage_enter(scene, i);
	stage_say(scene, i, span_str("set other 5 0 3\r\nabc\r\n"
	    "get other nothing\r\nmn\r\n"));
	stage_settle(scene);
	scene_expect_of(i, "STORED\r\nVALUE other 5 3\r\nabc\r\nEND\r\n"
	    "MN\r\n");
	stage_leave(scene, i);
	stage_settle(scene);
}
