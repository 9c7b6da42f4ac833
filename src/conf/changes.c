/* Which settings differ between two configurations, in words. */
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/field.h"
#include "conf/keys.h"
#include "conf/value.h"

/* Longest text of a value, a file's name in quotes, with its NUL. */
#define TEXT_MAX 320

/* Longest path: keys of three levels, and a pool's name. */
#define PATH_MAX_LEN 512

struct visitor {
	void	(*visit)(void *arg, const struct conf_change *change);
	void	*arg;
	char	 path[PATH_MAX_LEN];	/* of the section, with a last dot */
};

static void visit_section(const struct visitor *v,
    const struct section *section, const char *a, const char *b);

/* A default that no value stands for, or the value. */
static const char *
number_text(const struct key *key, const char *base, char out[TEXT_MAX])
{
	uint64_t n = field_number(key, base);

	if (n == 0 && key->initial_words != NULL)
		return key->initial_words;
	return value_format(key, n, out);
}

static const char *
choice_text(const struct key *key, const char *base)
{
	const char *word = key->choices->word((size_t)field_number(key, base));

	return word == NULL ? key->initial_words : word;
}

static const char *
bytes_text(const struct key *key, const char *base, char out[TEXT_MAX])
{
	const char *text = base + key->offset;
	size_t len = strnlen(text, key->width);

	if (len == 0)
		return key->initial_words;
	/* Whole, for the difference may be at its end. */
	MUST(len + sizeof("\"\"") <= TEXT_MAX);
	snprintf(out, TEXT_MAX, "\"%.*s\"", (int)len, text);
	return out;
}

/* Of the admin listener, or a gutter: those in lists are not visited. */
static const char *
name_text(const struct key *key, const char *base)
{
	const char *name = field_pointer(base, key->offset);

	return name == NULL ? key->initial_words : name;
}

/* A plain value in words; NULL for what is none, and for secrets. */
static const char *
value_text(const struct key *key, const char *base, char out[TEXT_MAX])
{
	double weight;

	switch (key->type) {
	case KEY_INTEGER:
	case KEY_DURATION:
	case KEY_SIZE:
	case KEY_PERCENT:
	case KEY_MODE:
	case KEY_TIME:
	case KEY_BOOL:
		return number_text(key, base, out);
	case KEY_CHOICE:
		return choice_text(key, base);
	case KEY_WEIGHT:
		memcpy(&weight, base + key->offset, sizeof(weight));
		return value_format_weight(weight, out);
	case KEY_HASH_TAG:
	case KEY_TEXT:
		return bytes_text(key, base, out);
	case KEY_LISTEN:
	case KEY_POOL:
		return name_text(key, base);
	case KEY_NAME:
	case KEY_PREFIX:
	case KEY_ADDRESS:
	case KEY_SECRET:
	case KEY_SECTION:
	case KEY_LIST:
	case KEY_TABLE:
		return NULL;
	}
	NEVER();
}

static void
visit_change(const struct visitor *v, const struct key *key,
    const char *before, const char *after)
{
	struct conf_change change = {
		.before = before,
		.after = after,
		.is_restart_only = key->is_restart_only,
	};
	char path[2 * PATH_MAX_LEN];

	snprintf(path, sizeof(path), "%s%s", v->path, key->name);
	change.path = path;
	v->visit(v->arg, &change);
}

/* The section below, called `name`. */
static struct visitor
inside(const struct visitor *v, const char *name)
{
	struct visitor inner = *v;
	size_t len = strlen(inner.path);

	snprintf(inner.path + len, sizeof(inner.path) - len, "%s.", name);
	return inner;
}

/* Members that both have, by name; the others are not settings. */
static void
visit_table(const struct visitor *v, const struct key *key, const char *a,
    const char *b)
{
	const struct section *section = section_by_id(key->section);
	struct visitor table = inside(v, key->name), inner;
	const char *x = field_pointer(a, key->offset), *y, *name;

	for (size_t i = 0; i < field_count(a, key->aux); i++) {
		name = field_pointer(x, section->name);
		inner = inside(&table, name);
		y = field_pointer(b, key->offset);
		for (size_t j = 0; j < field_count(b, key->aux); j++) {
			if (strcmp(name, field_pointer(y, section->name)) == 0)
				visit_section(&inner, section, x, y);
			y += section->size;
		}
		x += section->size;
	}
}

static void
visit_key(const struct visitor *v, const struct key *key, const char *a,
    const char *b)
{
	char a_text[TEXT_MAX], b_text[TEXT_MAX];
	const char *before = value_text(key, a, a_text);
	const char *after = value_text(key, b, b_text);
	struct visitor inner;

	if (key->type == KEY_SECTION) {
		inner = inside(v, key->name);
		visit_section(&inner, section_by_id(key->section),
		    a + key->offset, b + key->offset);
	} else if (key->type == KEY_TABLE) {
		visit_table(v, key, a, b);
	} else if (key->type == KEY_SECRET) {
		if (memcmp(a + key->offset, b + key->offset, key->width) != 0)
			visit_change(v, key, "a secret", "another secret");
	} else if (before != NULL && strcmp(before, after) != 0) {
		visit_change(v, key, before, after);
	}
}

static void
visit_section(const struct visitor *v, const struct section *section,
    const char *a, const char *b)
{
	for (size_t i = 0; i < section->nkeys; i++)
		visit_key(v, &section->keys[i], a, b);
}

void
conf_visit_changes(const struct conf *old, const struct conf *new,
    void (*visit)(void *arg, const struct conf_change *change), void *arg)
{
	struct visitor v = {.visit = visit, .arg = arg};

	visit_section(&v, section_by_id(SECTION_ROOT), (const char *)old,
	    (const char *)new);
}
