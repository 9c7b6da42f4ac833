/*
 * The effective configuration as YAML.
 *
 * The table gives the order and the form of everything; text is quoted, so
 * that it comes back as it was whatever bytes it has. A comment stands in the
 * place of a default that depends on other keys, and of a secret; options of
 * other placements are left out.
 */
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/field.h"
#include "conf/keys.h"
#include "conf/value.h"
#include "ring/utf8.h"

#define INDENT 2

/* Where the keys being written stand. */
struct printer {
	FILE		*out;
	int		 indent;
	bool		 is_first_of_item;	/* "- " goes before the key */
};

static void print_section(struct printer p, const struct section *section,
    const char *base);

static void
print_key(struct printer *p, const char *name)
{
	if (p->is_first_of_item)
		fprintf(p->out, "%*s- %s:", p->indent - INDENT, "", name);
	else
		fprintf(p->out, "%*s%s:", p->indent, "", name);
	p->is_first_of_item = false;
}

/*
 * In double quotes; '$' doubled, for variables are replaced on reading. What
 * is not ASCII is escaped, as YAML folds or refuses some of it.
 */
static void
print_text(FILE *out, const char *text, size_t len)
{
	struct span rest = span_of(text, len);
	uint32_t code;
	size_t n;

	fputs(" \"", out);
	for (; rest.len > 0; rest = span_of(rest.p + n, rest.len - n)) {
		code = utf8_first(rest, &n);
		if (code >= 0x80)
			fprintf(out, "\\U%08X", code);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else
			fputs(code == '$' ? "$$" : (char[]){(char)code, '\0'},
			    out);
	}
	fputs("\"\n", out);
}

/* What stands for a value that cannot be written. */
static void
print_comment(struct printer *p, const struct key *key, const char *words)
{
	/* An item always starts with a key that has a value. */
	MUST(!p->is_first_of_item);
	fprintf(p->out, "%*s# %s: %s\n", p->indent, "", key->name, words);
}

static void
print_number(struct printer *p, const struct key *key, const char *base)
{
	uint64_t n = field_number(key, base);
	char text[VALUE_TEXT_MAX];

	if (n == 0 && key->initial_words != NULL) {
		print_comment(p, key, key->initial_words);
		return;
	}
	print_key(p, key->name);
	fprintf(p->out, key->type == KEY_MODE ? " \"%s\"\n" : " %s\n",
	    value_format(key, n, text));
}

static void
print_choice(struct printer *p, const struct key *key, const char *base)
{
	const char *word = key->choices->word((size_t)field_number(key, base));

	if (word == NULL) {
		print_comment(p, key, key->initial_words);
		return;
	}
	print_key(p, key->name);
	fprintf(p->out, " %s\n", word);
}

static void
print_weight(struct printer *p, const struct key *key, const char *base)
{
	char text[VALUE_TEXT_MAX];
	double weight;

	memcpy(&weight, base + key->offset, sizeof(weight));
	print_key(p, key->name);
	fprintf(p->out, " %s\n", value_format_weight(weight, text));
}

static void
print_string(struct printer *p, const struct key *key, const char *base)
{
	const char *text = field_pointer(base, key->offset);

	if (text == NULL) {
		print_comment(p, key, key->initial_words);
		return;
	}
	print_key(p, key->name);
	print_text(p->out, text, strlen(text));
}

static void
print_name(struct printer *p, const struct key *key, const char *base)
{
	if (*(const bool *)(base + key->aux))
		print_string(p, key, base);
	else
		print_comment(p, key, key->initial_words);
}

static void
print_secret(struct printer *p, const struct key *key, const char *base)
{
	int any = 0;

	for (size_t i = 0; i < key->width; i++)
		any |= base[key->offset + i];
	print_comment(p, key, any != 0 ? "a secret, not shown" :
	    key->initial_words);
}

static void
print_members(struct printer *p, const struct key *key, const char *base)
{
	const struct section *section = section_by_id(key->section);
	const char *member = field_pointer(base, key->offset);
	size_t n = field_count(base, key->aux);
	struct printer inner = {p->out, p->indent + INDENT, false};

	print_key(p, key->name);
	fputs(n == 0 ? " []\n" : "\n", p->out);
	for (size_t i = 0; i < n; i++, member += section->size) {
		if (key->type == KEY_TABLE) {
			print_key(&inner, field_pointer(member,
			    section->name));
			fputc('\n', p->out);
		}
		print_section((struct printer){p->out,
		    inner.indent + INDENT, key->type == KEY_LIST}, section,
		    member);
	}
}

static void
print_value(struct printer *p, const struct key *key, const char *base)
{
	switch (key->type) {
	case KEY_INTEGER:
	case KEY_DURATION:
	case KEY_SIZE:
	case KEY_PERCENT:
	case KEY_MODE:
	case KEY_TIME:
	case KEY_BOOL:
		print_number(p, key, base);
		return;
	case KEY_CHOICE:
		print_choice(p, key, base);
		return;
	case KEY_WEIGHT:
		print_weight(p, key, base);
		return;
	case KEY_NAME:
		print_name(p, key, base);
		return;
	case KEY_POOL:
	case KEY_ADDRESS:
	case KEY_LISTEN:
		print_string(p, key, base);
		return;
	case KEY_PREFIX:
		print_key(p, key->name);
		print_text(p->out, field_pointer(base, key->offset),
		    field_count(base, key->aux));
		return;
	case KEY_HASH_TAG:
		print_key(p, key->name);
		print_text(p->out, base + key->offset,
		    base[key->offset] == '\0' ? 0 : key->width);
		return;
	case KEY_TEXT:
		print_key(p, key->name);
		print_text(p->out, base + key->offset,
		    strlen(base + key->offset));
		return;
	case KEY_SECRET:
		print_secret(p, key, base);
		return;
	case KEY_SECTION:
		print_key(p, key->name);
		fputc('\n', p->out);
		print_section((struct printer){p->out, p->indent + INDENT,
		    false}, section_by_id(key->section), base + key->offset);
		return;
	case KEY_LIST:
	case KEY_TABLE:
		print_members(p, key, base);
		return;
	}
	NEVER();
}

/* Whether it is an option of other placements than this pool's. */
static bool
is_idle(const struct key *key, const char *base)
{
	struct placement_spec spec;

	if (key->placements == NULL)
		return false;
	memcpy(&spec, base + offsetof(struct conf_pool, placement),
	    sizeof(spec));
	return !key_is_for_placement(key, spec.kind);
}

static void
print_section(struct printer p, const struct section *section,
    const char *base)
{
	for (size_t i = 0; i < section->nkeys; i++) {
		if (!is_idle(&section->keys[i], base))
			print_value(&p, &section->keys[i], base);
	}
}

void
conf_print(const struct conf *conf, FILE *out)
{
	print_section((struct printer){out, 0, false},
	    section_by_id(SECTION_ROOT), (const char *)conf);
}
