/*
 * A draft as YAML, remarks as comments above what they are about.
 *
 * Text is written plain where no reader could take it for anything else, and
 * in double quotes otherwise; '$' is doubled, for variables are replaced on
 * reading.
 */
#include <string.h>

#include "convert/draft.h"
#include "ring/utf8.h"

#define COLUMNS 79

/* A word that neither YAML nor we would read as anything but itself. */
static bool
is_plain(const char *text)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	static const char others[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:";
	size_t len = strlen(text);

	return len > 0 && strspn(text, others) == len &&
	    strchr(first, text[0]) != NULL && text[len - 1] != ':' &&
	    strcmp(text, "null") != 0 && strcmp(text, "Null") != 0 &&
	    strcmp(text, "NULL") != 0;
}

/* What is not ASCII is escaped, as YAML folds or refuses some of it. */
static void
write_quoted(FILE *out, const char *text)
{
	struct span rest = span_str(text);
	uint32_t code;
	size_t n;

	fputc('"', out);
	for (; rest.len > 0; rest = span_of(rest.p + n, rest.len - n)) {
		code = utf8_first(rest, &n);
		if (code >= 0x7f || code < 0x20)
			fprintf(out, "\\U%08X", code);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else
			fputs(code == '$' ? "$$" : (char[]){(char)code, '\0'},
			    out);
	}
	fputc('"', out);
}

static void
write_text(FILE *out, const char *text)
{
	if (is_plain(text))
		fputs(text, out);
	else
		write_quoted(out, text);
}

/* "key: text" on a line of its own, if there is a text. */
static void
write_key(FILE *out, int indent, const char *key, const char *text)
{
	if (text == NULL)
		return;
	fprintf(out, "%*s%s: ", indent, "", key);
	write_text(out, text);
	fputc('\n', out);
}

/* One remark, broken at blanks. */
static void
write_note(FILE *out, int indent, const char *text)
{
	size_t room = (size_t)(COLUMNS - indent - 2);

	while (*text != '\0') {
		size_t len = strlen(text), end = len;

		if (len > room) {
			end = room;
			while (end > 0 && text[end] != ' ')
				end--;
			if (end == 0)
				end = strcspn(text, " ");
		}
		fprintf(out, "%*s# %.*s\n", indent, "", (int)end, text);
		text += end;
		text += strspn(text, " ");
	}
}

static void
write_notes(FILE *out, int indent, const struct draft_notes *notes)
{
	const struct draft_note *note;

	STAILQ_FOREACH(note, notes, next)
		write_note(out, indent, note->text);
}

static void
write_listener(FILE *out, const struct draft_listener *listener)
{
	const struct draft_route *route;

	write_notes(out, 2, &listener->notes);
	fputs("  - listen: ", out);
	write_text(out, listener->listen);
	fputc('\n', out);
	if (listener->mode != NULL)
		fprintf(out, "    mode: \"%s\"\n", listener->mode);
	write_key(out, 4, "pool", listener->pool);
	if (!STAILQ_EMPTY(&listener->routes))
		fputs("    routes:\n", out);
	STAILQ_FOREACH(route, &listener->routes, next) {
		fputs("      - {prefix: ", out);
		write_quoted(out, route->prefix);
		fputs(", pool: ", out);
		write_text(out, route->pool);
		fputs("}\n", out);
	}
}

static void
write_server(FILE *out, const struct draft_server *server)
{
	fputs("      - ", out);
	if (server->name == NULL && server->weight == NULL) {
		write_text(out, server->address);
		fputc('\n', out);
		return;
	}
	fputs("{", out);
	if (server->name != NULL) {
		fputs("name: ", out);
		write_quoted(out, server->name);
		fputs(", ", out);
	}
	fputs("address: ", out);
	write_quoted(out, server->address);
	if (server->weight != NULL)
		fprintf(out, ", weight: %s", server->weight);
	fputs("}\n", out);
}

static void
write_timeouts(FILE *out, const struct draft_pool *pool)
{
	if (pool->connect_ms == 0 && pool->request_ms == 0)
		return;
	fputs("    timeouts: {", out);
	if (pool->connect_ms != 0)
		fprintf(out, "connect: %llums%s",
		    (unsigned long long)pool->connect_ms,
		    pool->request_ms != 0 ? ", " : "");
	if (pool->request_ms != 0)
		fprintf(out, "request: %llums",
		    (unsigned long long)pool->request_ms);
	fputs("}\n", out);
}

static void
write_health(FILE *out, const struct draft_pool *pool)
{
	unsigned long long retry = pool->retry_ms;

	if (pool->failures == 0 && retry == 0)
		return;
	fputs("    health: {", out);
	if (pool->failures != 0)
		fprintf(out, "failures: %llu%s",
		    (unsigned long long)pool->failures,
		    retry != 0 ? ", " : "");
	if (retry != 0)
		fprintf(out, "retry: %llums, retry_max: %llums", retry, retry);
	fputs("}\n", out);
}

static void
write_pool(FILE *out, const struct draft_pool *pool)
{
	const struct draft_server *server;

	fputs("  ", out);
	write_text(out, pool->name);
	fputs(":\n", out);
	write_notes(out, 4, &pool->notes);
	write_key(out, 4, "placement", pool->placement);
	write_key(out, 4, "hash", pool->hash);
	if (pool->hash_tag != NULL) {
		fputs("    hash_tag: ", out);
		write_quoted(out, pool->hash_tag);
		fputc('\n', out);
	}
	write_key(out, 4, "hash_seed", pool->hash_seed);
	write_timeouts(out, pool);
	write_key(out, 4, "on_down", pool->on_down);
	write_health(out, pool);
	fputs("    servers:\n", out);
	STAILQ_FOREACH(server, &pool->servers, next)
		write_server(out, server);
}

void
draft_write(const struct draft *draft, FILE *out)
{
	const struct draft_listener *listener;
	const struct draft_pool *pool;

	write_notes(out, 0, &draft->notes);
	fputs("config_version: 1\n\nlisteners:\n", out);
	STAILQ_FOREACH(listener, &draft->listeners, next)
		write_listener(out, listener);
	fputs("\npools:\n", out);
	STAILQ_FOREACH(pool, &draft->pools, next) {
		if (pool != STAILQ_FIRST(&draft->pools))
			fputc('\n', out);
		write_pool(out, pool);
	}
}
