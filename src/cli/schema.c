/*
 * `fairlead schema`: the JSON Schema (draft 7) of a configuration, from the
 * table of keys, for editors and pipelines.
 *
 * It says what a schema can say. Quotes make no difference to us, so a number
 * may be text as well; and any value may be, or hold, a ${VARIABLE}. What
 * needs arithmetic or two places of the file is left to `fairlead -t`: bounds
 * of durations and sizes, names that are given twice, pools that are missing.
 * A secret of digits alone needs its quotes, or it is a number to YAML.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/session.h"
#include "conf/keys.h"
#include "conf/value.h"

#define PATTERN_MAX 256

#define ADDRESS_UNIX "unix:/.+"
#define ADDRESS_IPV6 "\\[[0-9A-Fa-f:.]+\\]:[0-9]+"

static const char usage[] =
"usage: fairlead schema\n"
"\n"
"Prints the JSON Schema (draft 7) of the configuration, for editors that know\n"
"the yaml-language-server: conf/fairlead.schema.json is the same.\n"
"\n"
"  -h, --help   print this and exit\n";

/* What is being written, and one of the forms that a value may have. */
struct writer {
	struct json_doc	doc;
	json_t		*forms;		/* the "anyOf" of the current key */
};

static json_t *
add_form(struct writer *w, const char *type)
{
	json_t *form = json_doc_append(&w->doc, w->forms);

	json_doc_text(&w->doc, form, "type", type);
	return form;
}

static void
add_pattern(struct writer *w, const char *pattern)
{
	json_doc_text(&w->doc, add_form(w, "string"), "pattern", pattern);
}

static void
add_reference(struct writer *w, const char *name)
{
	char path[PATTERN_MAX];

	snprintf(path, sizeof(path), "#/definitions/%s", name);
	json_doc_text(&w->doc, json_doc_append(&w->doc, w->forms), "$ref",
	    path);
}

static void
add_integer(struct writer *w, const struct key *key)
{
	json_t *form = add_form(w, "integer");

	json_doc_count(&w->doc, form, "minimum", key->min);
	json_doc_count(&w->doc, form, "maximum", key->max);
	add_pattern(w, "^[0-9]+$");
}

/* A number with a unit; the unit goes only with 0. */
static void
add_measure(struct writer *w, const struct key *key, const char *pattern)
{
	add_pattern(w, pattern);
	if (key->min == 0)
		json_doc_count(&w->doc, add_form(w, "integer"), "const", 0);
}

static void
add_words(struct writer *w, const struct choices *choices)
{
	json_t *words = json_doc_array(&w->doc, add_form(w, "string"), "enum");

	for (size_t i = 0; i < choices->n; i++) {
		if (choices->word(i) != NULL)
			json_doc_append_text(&w->doc, words, choices->word(i));
	}
}

static void
add_bool(struct writer *w)
{
	json_t *words;

	add_form(w, "boolean");
	words = json_doc_array(&w->doc, add_form(w, "string"), "enum");
	json_doc_append_text(&w->doc, words, "true");
	json_doc_append_text(&w->doc, words, "false");
}

static void
add_weight(struct writer *w, const struct key *key)
{
	json_t *form = add_form(w, "number");

	json_doc_count(&w->doc, form, "exclusiveMinimum", 0);
	json_doc_count(&w->doc, form, "maximum", key->max);
	add_pattern(w, "^[0-9]+(\\.[0-9]{1,6})?$");
}

/* Any text; YAML takes some of it for a number or a truth. */
static void
add_text(struct writer *w, size_t min, size_t max)
{
	json_t *form = add_form(w, "string");

	json_doc_count(&w->doc, form, "minLength", min);
	json_doc_count(&w->doc, form, "maxLength", max);
	add_form(w, "number");
	add_form(w, "boolean");
}

static void
add_secret(struct writer *w, const struct key *key)
{
	char pattern[PATTERN_MAX];

	snprintf(pattern, sizeof(pattern), "^[0-9A-Fa-f]{%zu}$",
	    2 * key->width);
	add_pattern(w, pattern);
}

static void
add_mode(struct writer *w)
{
	add_pattern(w, "^[0-7]{3,4}$");
	add_form(w, "integer");
}

static void
add_members(struct writer *w, const struct key *key, const char *min,
    const char *max, json_t *form)
{
	json_doc_count(&w->doc, form, min, key->min);
	json_doc_count(&w->doc, form, max, key->max);
}

/* The name of a section among the definitions. */
static const char *
definition(const struct key *key)
{
	return section_by_id(key->section)->noun;
}

static void
add_list(struct writer *w, const struct key *key)
{
	json_t *form = add_form(w, "array");

	add_members(w, key, "minItems", "maxItems", form);
	w->forms = json_doc_array(&w->doc,
	    json_doc_object(&w->doc, form, "items"), "anyOf");
	add_reference(w, definition(key));
}

static void
add_table(struct writer *w, const struct key *key)
{
	json_t *form = add_form(w, "object");

	add_members(w, key, "minProperties", "maxProperties", form);
	json_doc_text(&w->doc,
	    json_doc_object(&w->doc, form, "propertyNames"), "pattern",
	    "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$");
	w->forms = json_doc_array(&w->doc, json_doc_object(&w->doc, form,
	    "additionalProperties"), "anyOf");
	add_reference(w, definition(key));
}

static void
add_forms(struct writer *w, const struct key *key)
{
	switch (key->type) {
	case KEY_INTEGER:
		add_integer(w, key);
		return;
	case KEY_DURATION:
		add_measure(w, key, "^([0-9]+(ms|s|m|h)|0+)$");
		return;
	case KEY_SIZE:
		add_measure(w, key, "^([0-9]+(B|KiB|MiB|GiB)|0+)$");
		return;
	case KEY_PERCENT:
		add_pattern(w, "^[0-9]+%$");
		return;
	case KEY_MODE:
		add_mode(w);
		return;
	case KEY_BOOL:
		add_bool(w);
		return;
	case KEY_CHOICE:
		add_words(w, key->choices);
		return;
	case KEY_TIME:
		add_pattern(w, "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ]");
		return;
	case KEY_WEIGHT:
		add_weight(w, key);
		return;
	case KEY_NAME:
	case KEY_PREFIX:
		add_text(w, key->min, key->max);
		return;
	case KEY_POOL:
		add_text(w, 1, 64);
		return;
	case KEY_TEXT:
		add_text(w, 0, key->width - 1);
		return;
	case KEY_HASH_TAG:
		add_pattern(w, "^(..)?$");
		return;
	case KEY_SECRET:
		add_secret(w, key);
		return;
	case KEY_ADDRESS:
		add_pattern(w, "^(" ADDRESS_UNIX "|" ADDRESS_IPV6
		    "|[A-Za-z0-9_][A-Za-z0-9_.-]*:[0-9]+)$");
		return;
	case KEY_LISTEN:
		add_pattern(w, "^(" ADDRESS_UNIX "|" ADDRESS_IPV6
		    "|[0-9.]+:[0-9]+)$");
		return;
	case KEY_SECTION:
		add_reference(w, definition(key));
		return;
	case KEY_LIST:
		add_list(w, key);
		return;
	case KEY_TABLE:
		add_table(w, key);
		return;
	}
	NEVER();
}

static bool
is_scalar(const struct key *key)
{
	return key->type != KEY_SECTION && key->type != KEY_LIST &&
	    key->type != KEY_TABLE;
}

/* The help without the marks of Markdown. */
static void
describe(struct writer *w, json_t *object, const char *help)
{
	char text[1024];
	size_t n = 0;

	for (; *help != '\0' && n < sizeof(text) - 1; help++) {
		if (*help != '`')
			text[n++] = *help;
	}
	text[n] = '\0';
	json_doc_text(&w->doc, object, "description", text);
}

static void
set_default(struct writer *w, json_t *object, const struct key *key)
{
	char text[VALUE_TEXT_MAX];

	if (key->initial_words != NULL || key->is_required)
		return;
	if (key->type == KEY_INTEGER)
		json_doc_count(&w->doc, object, "default", key->initial);
	else if (key->type == KEY_BOOL)
		json_doc_bool(&w->doc, object, "default", key->initial != 0);
	else if (key->type == KEY_CHOICE)
		json_doc_text(&w->doc, object, "default",
		    key->choices->word(key->initial));
	else if (key->type == KEY_DURATION || key->type == KEY_SIZE ||
	    key->type == KEY_PERCENT)
		json_doc_text(&w->doc, object, "default",
		    value_format(key, key->initial, text));
}

static void
write_key(struct writer *w, json_t *properties, const struct key *key)
{
	json_t *object = json_doc_object(&w->doc, properties, key->name);

	describe(w, object, key->help);
	set_default(w, object, key);
	w->forms = json_doc_array(&w->doc, object, "anyOf");
	add_forms(w, key);
	if (is_scalar(key))
		add_reference(w, "variable");
}

/* "Only with a placement of these." */
static void
write_condition(struct writer *w, json_t *all, const struct key *key)
{
	json_t *rule = json_doc_append(&w->doc, all), *then, *placement;
	char pattern[PATTERN_MAX] = "^(";
	size_t len = strlen(pattern);

	json_doc_append_text(&w->doc, json_doc_array(&w->doc,
	    json_doc_object(&w->doc, rule, "if"), "required"), key->name);
	then = json_doc_object(&w->doc, rule, "then");
	json_doc_append_text(&w->doc, json_doc_array(&w->doc, then,
	    "required"), "placement");
	placement = json_doc_object(&w->doc, json_doc_object(&w->doc, then,
	    "properties"), "placement");
	for (size_t i = 0; key->placements[i] != NULL; i++)
		len += (size_t)snprintf(pattern + len, sizeof(pattern) - len,
		    "%s|", key->placements[i]);
	snprintf(pattern + len, sizeof(pattern) - len, ".*\\$\\{)");
	json_doc_text(&w->doc, placement, "pattern", pattern);
}

static void
write_conditions(struct writer *w, json_t *object,
    const struct section *section)
{
	json_t *all = NULL;

	for (size_t i = 0; i < section->nkeys; i++) {
		if (section->keys[i].placements == NULL)
			continue;
		if (all == NULL)
			all = json_doc_array(&w->doc, object, "allOf");
		write_condition(w, all, &section->keys[i]);
	}
}

static void
write_section(struct writer *w, json_t *object, const struct section *section)
{
	json_t *properties, *required = NULL;

	json_doc_text(&w->doc, object, "type", "object");
	json_doc_bool(&w->doc, object, "additionalProperties", false);
	for (size_t i = 0; i < section->nkeys; i++) {
		if (!section->keys[i].is_required)
			continue;
		if (required == NULL)
			required = json_doc_array(&w->doc, object, "required");
		json_doc_append_text(&w->doc, required,
		    section->keys[i].name);
	}
	properties = json_doc_object(&w->doc, object, "properties");
	for (size_t i = 0; i < section->nkeys; i++)
		write_key(w, properties, &section->keys[i]);
	write_conditions(w, object, section);
}

/* A section, or what may stand for it in short. */
static void
write_definition(struct writer *w, json_t *definitions,
    const struct section *section)
{
	json_t *object = json_doc_object(&w->doc, definitions, section->noun);
	const struct key *key;
	json_t *forms;

	if (section->short_key == NULL) {
		write_section(w, object, section);
		return;
	}
	key = section_key(section, span_str(section->short_key));
	forms = json_doc_array(&w->doc, object, "anyOf");
	write_section(w, json_doc_append(&w->doc, forms), section);
	w->forms = forms;
	add_forms(w, key);
	add_reference(w, "variable");
}

static int
write_schema(void)
{
	struct writer w = {.forms = NULL};
	json_t *definitions;

	json_doc_init(&w.doc);
	json_doc_text(&w.doc, w.doc.root, "$schema",
	    "http://json-schema.org/draft-07/schema#");
	json_doc_text(&w.doc, w.doc.root, "title",
	    "Configuration of Fairlead, a proxy for memcached");
	write_section(&w, w.doc.root, section_by_id(SECTION_ROOT));
	definitions = json_doc_object(&w.doc, w.doc.root, "definitions");
	for (int id = 0; id < SECTION_COUNT; id++) {
		if (id != SECTION_ROOT)
			write_definition(&w, definitions,
			    section_by_id((enum section_id)id));
	}
	w.forms = json_doc_array(&w.doc, json_doc_object(&w.doc, definitions,
	    "variable"), "anyOf");
	add_pattern(&w, "\\$\\{");
	return json_doc_print(&w.doc, EX_OK);
}

int
cli_schema(int argc, char **argv)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};

	switch (getopt_long(argc, argv, "h", options, NULL)) {
	case -1:
		if (optind == argc)
			return write_schema();
		fputs(usage, stderr);
		return EX_USAGE;
	case 'h':
		fputs(usage, stdout);
		return EX_OK;
	default:
		fputs(usage, stderr);
		return EX_USAGE;
	}
}
