/*
 * The reference of all keys. Words are written as in Markdown; for a man page
 * `code` turns bold and what roff would read as a command is escaped.
 */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

#include "conf/keys.h"
#include "conf/value.h"

/* A choice of more words than these is listed elsewhere. */
#define WORDS_SHOWN 8

#define PATH_SIZE 128

static const char *
type_name(enum key_type type)
{
	switch (type) {
	case KEY_INTEGER:
		return "whole number";
	case KEY_DURATION:
		return "duration";
	case KEY_SIZE:
		return "size";
	case KEY_PERCENT:
		return "percentage";
	case KEY_MODE:
		return "octal";
	case KEY_TIME:
		return "time";
	case KEY_BOOL:
		return "`true`, `false`";
	case KEY_CHOICE:
		return "word";
	case KEY_WEIGHT:
		return "number";
	case KEY_NAME:
	case KEY_PREFIX:
	case KEY_TEXT:
		return "text";
	case KEY_POOL:
		return "name of a pool";
	case KEY_HASH_TAG:
		return "2 characters";
	case KEY_SECRET:
		return "hexadecimal";
	case KEY_ADDRESS:
	case KEY_LISTEN:
		return "address";
	case KEY_SECTION:
		return "keys";
	case KEY_LIST:
		return "list";
	case KEY_TABLE:
		return "keys by name";
	}
	NEVER();
}

static void
write_default(FILE *out, const struct key *key)
{
	char text[VALUE_TEXT_MAX];

	if (key->is_required)
		fputs("required", out);
	else if (key->initial_words != NULL)
		fputs(key->initial_words, out);
	else if (key->type == KEY_CHOICE)
		fprintf(out, "`%s`", key->choices->word(key->initial));
	else if (key->type == KEY_WEIGHT)
		fprintf(out, "`%s`",
		    value_format_weight((double)key->initial, text));
	else if (key->type == KEY_LIST)
		fputs("none", out);
	else if (key->type != KEY_SECTION)
		fprintf(out, "`%s`", value_format(key, key->initial, text));
}

static void
write_words(FILE *out, const struct choices *choices)
{
	if (choices->n > WORDS_SHOWN) {
		fputs("see [placements](placements.md)", out);
		return;
	}
	/* One without a word cannot be written. */
	for (size_t i = 0; i < choices->n; i++) {
		if (choices->word(i) != NULL)
			fprintf(out, "%s`%s`", i == 0 ? "" : ", ",
			    choices->word(i));
	}
}

static void
write_bounds(FILE *out, const struct key *key)
{
	char min[VALUE_TEXT_MAX], max[VALUE_TEXT_MAX];

	switch (key->type) {
	case KEY_INTEGER:
	case KEY_DURATION:
	case KEY_SIZE:
	case KEY_PERCENT:
		fprintf(out, "`%s` to `%s`",
		    value_format(key, key->min, min),
		    value_format(key, key->max, max));
		return;
	case KEY_WEIGHT:
		fprintf(out, "above 0, to `%llu`, %d decimals",
		    (unsigned long long)key->max, VALUE_WEIGHT_DECIMALS);
		return;
	case KEY_CHOICE:
		write_words(out, key->choices);
		return;
	case KEY_NAME:
	case KEY_PREFIX:
		fprintf(out, "%llu to %llu bytes",
		    (unsigned long long)key->min,
		    (unsigned long long)key->max);
		return;
	case KEY_TEXT:
		fprintf(out, "to %zu bytes", key->width - 1);
		return;
	case KEY_SECRET:
		fprintf(out, "%zu digits", 2 * key->width);
		return;
	case KEY_LIST:
	case KEY_TABLE:
		fprintf(out, "%llu to %llu", (unsigned long long)key->min,
		    (unsigned long long)key->max);
		return;
	case KEY_MODE:
		fputs("`0001` to `0777`", out);
		return;
	case KEY_TIME:
		fputs("as in `2026-11-30T12:00:00Z`", out);
		return;
	case KEY_BOOL:
	case KEY_POOL:
	case KEY_HASH_TAG:
	case KEY_ADDRESS:
	case KEY_LISTEN:
	case KEY_SECTION:
		return;
	}
	NEVER();
}

/* The meaning, and what limits it. */
static void
write_help(FILE *out, const struct key *key)
{
	fputs(key->help, out);
	if (key->is_restart_only)
		fputs(" Only a restart can change it.", out);
	for (size_t i = 0; key->placements != NULL &&
	    key->placements[i] != NULL; i++)
		fprintf(out, "%s`%s*`%s", i == 0 ? " Only for " : ", ",
		    key->placements[i],
		    key->placements[i + 1] == NULL ? "." : "");
}

static bool
has_section(const struct key *key)
{
	return key->type == KEY_SECTION || key->type == KEY_LIST ||
	    key->type == KEY_TABLE;
}

/* "pools.<name>" and the like, for the section inside the one at `path`. */
static void
put_path(char out[PATH_SIZE], const char *path, const struct key *key)
{
	snprintf(out, PATH_SIZE, "%s%s%s%s", path,
	    path[0] == '\0' ? "" : ".", key->name,
	    key->type == KEY_LIST ? "[]" :
	    key->type == KEY_TABLE ? ".<name>" : "");
}

static void
write_markdown_row(FILE *out, const struct key *key)
{
	fprintf(out, "| `%s` | %s | ", key->name, type_name(key->type));
	write_default(out, key);
	fputs(" | ", out);
	write_bounds(out, key);
	fputs(" | ", out);
	write_help(out, key);
	fputs(" |\n", out);
}

/* The section at `path`, then those inside it. */
static void
write_markdown(FILE *out, const struct section *section, const char *path)
{
	char inner[PATH_SIZE];

	if (path[0] == '\0')
		fputs("### Top level\n\n", out);
	else
		fprintf(out, "\n### `%s`\n\n", path);
	fputs("| Key | Type | Default | Bounds | Meaning |\n"
	    "|---|---|---|---|---|\n", out);
	for (size_t i = 0; i < section->nkeys; i++)
		write_markdown_row(out, &section->keys[i]);
	for (size_t i = 0; i < section->nkeys; i++) {
		const struct key *key = &section->keys[i];

		if (!has_section(key))
			continue;
		put_path(inner, path, key);
		write_markdown(out, section_by_id(key->section), inner);
	}
}

void
reference_write_markdown(FILE *out)
{
	write_markdown(out, section_by_id(SECTION_ROOT), "");
}

/* Text in the manner of Markdown as roff has it. */
static void
write_roff(FILE *out, const char *text)
{
	bool is_bold = false;

	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '`') {
			is_bold = !is_bold;
			fputs(is_bold ? "\\fB" : "\\fR", out);
		} else if (*p == '-') {
			fputs("\\-", out);
		} else if (*p == '\\') {
			fputs("\\e", out);
		} else {
			fputc(*p, out);
		}
	}
}

/* What `write` writes about `key`, as roff, after `before` if any. */
static void
write_cell(FILE *out, const char *before,
    void (*write)(FILE *out, const struct key *key), const struct key *key)
{
	size_t size;
	char *text;
	FILE *cell = open_memstream(&text, &size);

	MUST(cell != NULL);
	write(cell, key);
	MUST(fclose(cell) == 0);
	if (size > 0) {
		fputs(before, out);
		write_roff(out, text);
	}
	free(text);
}

static void
write_man_row(FILE *out, const struct key *key)
{
	bool is_elsewhere = key->type == KEY_CHOICE &&
	    key->choices->n > WORDS_SHOWN;

	fprintf(out, ".TP\n.B %s\n", key->name);
	write_roff(out, type_name(key->type));
	write_cell(out, key->is_required ? "; " : "; default: ",
	    write_default, key);
	if (!is_elsewhere)
		write_cell(out, "; ", write_bounds, key);
	fputs(".\n", out);
	write_cell(out, "", write_help, key);
	fputs("\n", out);
}

static void
write_man(FILE *out, const struct section *section, const char *path)
{
	char inner[PATH_SIZE];

	fprintf(out, ".SS %s\n", path[0] == '\0' ? "Top level" : path);
	for (size_t i = 0; i < section->nkeys; i++)
		write_man_row(out, &section->keys[i]);
	for (size_t i = 0; i < section->nkeys; i++) {
		const struct key *key = &section->keys[i];

		if (!has_section(key))
			continue;
		put_path(inner, path, key);
		write_man(out, section_by_id(key->section), inner);
	}
}

void
reference_write_man(FILE *out)
{
	write_man(out, section_by_id(SECTION_ROOT), "");
}
