/* Making a draft. */
#include "convert/draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Longer remarks are cut. */
#define NOTE_MAX 512

/* Names of pools are cut to this, so that a number fits behind them. */
#define POOL_NAME_MAX 56

bool
draft_init(struct draft *draft, struct conf_errors *errors)
{
	*draft = (struct draft){.arena = arena_new(), .errors = errors};
	STAILQ_INIT(&draft->notes);
	STAILQ_INIT(&draft->listeners);
	STAILQ_INIT(&draft->pools);
	return draft->arena != NULL;
}

void
draft_fini(struct draft *draft)
{
	arena_free(&draft->arena);
}

static void *
make(struct draft *draft, size_t size)
{
	void *p = arena_alloc(draft->arena, 1, size);

	if (p == NULL)
		errors_out_of_memory(draft->errors);
	return p;
}

struct draft_pool *
draft_add_pool(struct draft *draft)
{
	struct draft_pool *pool = make(draft, sizeof(*pool));

	if (pool == NULL)
		return NULL;
	STAILQ_INIT(&pool->notes);
	STAILQ_INIT(&pool->servers);
	STAILQ_INSERT_TAIL(&draft->pools, pool, next);
	return pool;
}

struct draft_server *
draft_add_server(struct draft *draft, struct draft_pool *pool)
{
	struct draft_server *server = make(draft, sizeof(*server));

	if (server == NULL)
		return NULL;
	STAILQ_INSERT_TAIL(&pool->servers, server, next);
	pool->nservers++;
	return server;
}

struct draft_listener *
draft_add_listener(struct draft *draft)
{
	struct draft_listener *listener = make(draft, sizeof(*listener));

	if (listener == NULL)
		return NULL;
	STAILQ_INIT(&listener->notes);
	STAILQ_INIT(&listener->routes);
	STAILQ_INSERT_TAIL(&draft->listeners, listener, next);
	return listener;
}

struct draft_route *
draft_add_route(struct draft *draft, struct draft_listener *listener)
{
	struct draft_route *route = make(draft, sizeof(*route));

	if (route != NULL)
		STAILQ_INSERT_TAIL(&listener->routes, route, next);
	return route;
}

void
draft_note(struct draft *draft, struct draft_notes *notes,
    const char *fmt, ...)
{
	struct draft_note *note = make(draft, sizeof(*note));
	char text[NOTE_MAX];
	va_list ap;

	if (note == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	note->text = draft_copy(draft, span_str(text));
	if (note->text != NULL)
		STAILQ_INSERT_TAIL(notes, note, next);
}

const char *
draft_copy(struct draft *draft, struct span text)
{
	const char *copy = arena_copy(draft->arena, text);

	if (copy == NULL)
		errors_out_of_memory(draft->errors);
	return copy;
}

static bool
may_be_in_a_name(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' ||
	    (!is_first && (c == '-' || c == '.'));
}

static bool
is_taken(const struct draft *draft, const struct draft_pool *but,
    const char *name)
{
	const struct draft_pool *pool;

	STAILQ_FOREACH(pool, &draft->pools, next) {
		if (pool != but && pool->name != NULL &&
		    strcmp(pool->name, name) == 0)
			return true;
	}
	return false;
}

void
draft_name_pool(struct draft *draft, struct draft_pool *pool,
    struct span text)
{
	char name[POOL_NAME_MAX + 16];
	char quoted[ERRORS_QUOTED_MAX];
	size_t len = text.len < POOL_NAME_MAX ? text.len : POOL_NAME_MAX;

	for (size_t i = 0; i < len; i++)
		name[i] = may_be_in_a_name(text.p[i], i == 0) ? text.p[i] :
		    '_';
	if (len == 0)
		name[len++] = '_';
	name[len] = '\0';
	for (int n = 2; is_taken(draft, pool, name); n++)
		snprintf(name + len, sizeof(name) - len, "-%d", n);
	pool->name = draft_copy(draft, span_str(name));
	if (!span_eq(text, span_str(name)))
		draft_note(draft, &pool->notes, "was called %s",
		    errors_quote(text, quoted));
}
