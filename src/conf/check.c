/*
 * Sections, lists and tables of keys.
 *
 * Every field first gets its default, so that a value which is wrong leaves
 * something sane for the checks that follow: one mistake, one complaint.
 */
#include "conf/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conf/suggest.h"

static void fill_section(struct checker *c, const struct scope *scope,
    const struct node *node);

static const char *
kind_name(enum node_kind kind)
{
	switch (kind) {
	case NODE_SCALAR:
		return "a single value";
	case NODE_LIST:
		return "a list";
	case NODE_MAP:
		return "a map";
	}
	NEVER();
}

void
check_complain(struct checker *c, const struct scope *scope,
    const struct key *key, struct conf_place place, const char *fmt, ...)
{
	struct err err;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err.text, sizeof(err.text), fmt, ap);
	va_end(ap);
	if (scope->where == NULL)
		errors_add(c->errors, place, "\"%s\" %s", key->name, err.text);
	else
		errors_add(c->errors, place, "\"%s\" in %s %s", key->name,
		    scope->where, err.text);
}

void *
check_field(const struct scope *scope, const struct key *key)
{
	return (char *)scope->base + key->offset;
}

static void
store_count(const struct scope *scope, const struct key *key, size_t n)
{
	memcpy((char *)scope->base + key->aux, &n, sizeof(n));
}

static void
store_array(const struct scope *scope, const struct key *key, void *array)
{
	memcpy(check_field(scope, key), &array, sizeof(array));
}

static void
store_place(const struct scope *scope, struct conf_place place)
{
	memcpy((char *)scope->base + scope->section->place, &place,
	    sizeof(place));
}

static void
set_initial(struct checker *c, const struct scope *scope,
    const struct key *key)
{
	switch (key->type) {
	case KEY_INTEGER:
	case KEY_DURATION:
	case KEY_SIZE:
	case KEY_PERCENT:
	case KEY_MODE:
	case KEY_TIME:
	case KEY_BOOL:
	case KEY_CHOICE:
		check_store(scope, key, key->initial);
		return;
	case KEY_WEIGHT:
		*(double *)check_field(scope, key) = (double)key->initial;
		return;
	case KEY_SECTION:
		fill_section(c, &(struct scope){section_by_id(key->section),
		    check_field(scope, key), NULL}, NULL);
		return;
	case KEY_NAME:
	case KEY_POOL:
	case KEY_PREFIX:
	case KEY_HASH_TAG:
	case KEY_TEXT:
	case KEY_SECRET:
	case KEY_ADDRESS:
	case KEY_LISTEN:
	case KEY_LIST:
	case KEY_TABLE:
		/* All zero from the arena: absent, none, empty. */
		return;
	}
	NEVER();
}

/* "server 2 of pool \"main\"", or NULL without memory, which is noted. */
static const char *
name_member(struct checker *c, const struct scope *scope,
    const struct section *section, const char *which)
{
	const char *where = scope->where == NULL ?
	    arena_printf(c->arena, "%s%s", section->noun, which) :
	    arena_printf(c->arena, "%s%s of %s", section->noun, which,
		scope->where);

	if (where == NULL)
		errors_out_of_memory(c->errors);
	return where;
}

/* Fills a member of a list or a table, or a section of its own. */
static void
fill_member(struct checker *c, const struct scope *scope,
    const struct node *node)
{
	const struct section *section = scope->section;

	if (section->has_place)
		store_place(scope, node->place);
	fill_section(c, scope, node);
}

/* Room for the members of a list or table, once there are as many as may be. */
static char *
add_members(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	char *array;

	MUST(key->min <= 1);
	if (node->nentries < key->min) {
		check_complain(c, scope, key, node->place,
		    "must not be empty");
		return NULL;
	}
	if (node->nentries > key->max) {
		check_complain(c, scope, key, node->place, "must have at most "
		    "%llu members, not %zu", (unsigned long long)key->max,
		    node->nentries);
		return NULL;
	}
	array = arena_alloc(c->arena, node->nentries,
	    section_by_id(key->section)->size);
	if (array == NULL) {
		errors_out_of_memory(c->errors);
		return NULL;
	}
	store_array(scope, key, array);
	store_count(scope, key, node->nentries);
	return array;
}

static void
fill_list(struct checker *c, const struct scope *scope, const struct key *key,
    const struct node *node)
{
	const struct section *section = section_by_id(key->section);
	char *at = add_members(c, scope, key, node);
	const struct node_entry *entry;
	struct scope member = {section, at, NULL};
	char which[32];
	size_t i = 0;

	if (at == NULL)
		return;
	STAILQ_FOREACH(entry, &node->entries, next) {
		snprintf(which, sizeof(which), " %zu", ++i);
		member.where = name_member(c, scope, section, which);
		if (member.where == NULL)
			return;
		fill_member(c, &member, entry->value);
		member.base = (char *)member.base + section->size;
	}
}

/* Letters, digits, '_', '-' and '.', so that it may go into any metric. */
static bool
is_table_name(struct span s)
{
	if (s.len == 0 || s.len > 64 || s.p[0] == '-' || s.p[0] == '.')
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.p[i];

		if (!(c == '_' || c == '-' || c == '.' ||
		    (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z')))
			return false;
	}
	return true;
}

static void
fill_table(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	const struct section *section = section_by_id(key->section);
	char *at = add_members(c, scope, key, node);
	const struct node_entry *entry;
	struct scope member = {section, at, NULL};
	char quoted[ERRORS_QUOTED_MAX], which[ERRORS_QUOTED_MAX + 1];
	const char *name;

	if (at == NULL)
		return;
	STAILQ_FOREACH(entry, &node->entries, next) {
		errors_quote(entry->key->text, quoted);
		if (!is_table_name(entry->key->text))
			errors_add(c->errors, entry->key->place, "the name "
			    "%s of a %s must be 1 to 64 letters, digits, "
			    "\"_\", \"-\" and \".\", the first no \"-\" or "
			    "\".\"", quoted, section->noun);
		snprintf(which, sizeof(which), " %s", quoted);
		member.where = name_member(c, scope, section, which);
		name = arena_copy(c->arena, entry->key->text);
		if (member.where == NULL || name == NULL) {
			errors_out_of_memory(c->errors);
			return;
		}
		memcpy((char *)member.base + section->name, &name,
		    sizeof(name));
		fill_member(c, &member, entry->value);
		/* "main:" is said at the name, not where its keys begin. */
		store_place(&member, entry->key->place);
		member.base = (char *)member.base + section->size;
	}
}

static void
fill_subsection(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	struct scope inner = {section_by_id(key->section),
	    check_field(scope, key), NULL};

	inner.where = name_member(c, scope, inner.section, "");
	if (inner.where != NULL)
		fill_member(c, &inner, node);
}

static enum node_kind
wanted_kind(const struct key *key)
{
	if (key->type == KEY_LIST)
		return NODE_LIST;
	return key->type == KEY_SECTION || key->type == KEY_TABLE ? NODE_MAP :
	    NODE_SCALAR;
}

static void
fill_key(struct checker *c, const struct scope *scope, const struct key *key,
    const struct node *node)
{
	if (node->is_bad)
		return;
	if (node_is_null(node)) {
		check_complain(c, scope, key, node->place, "has no value%s",
		    key->is_required ? "" :
		    "; leave the key out to have its default");
		return;
	}
	if (node->kind != wanted_kind(key)) {
		check_complain(c, scope, key, node->place,
		    "must be %s, not %s", kind_name(wanted_kind(key)),
		    kind_name(node->kind));
		return;
	}
	if (key->type == KEY_LIST)
		fill_list(c, scope, key, node);
	else if (key->type == KEY_TABLE)
		fill_table(c, scope, key, node);
	else if (key->type == KEY_SECTION)
		fill_subsection(c, scope, key, node);
	else
		check_scalar(c, scope, key, node);
	if (key->is_restart_only)
		memcpy((char *)scope->base + key->aux, &node->place,
		    sizeof(node->place));
}

static void
complain_unknown(struct checker *c, const struct scope *scope,
    const struct node *key)
{
	struct suggest suggest = {.text = key->text};
	char quoted[ERRORS_QUOTED_MAX];

	for (size_t i = 0; i < scope->section->nkeys; i++)
		suggest_offer(&suggest, scope->section->keys[i].name);
	errors_add(c->errors, key->place, "unknown key %s %s%s%s%s%s",
	    errors_quote(key->text, quoted),
	    scope->where == NULL ? "at the top level" : "in ",
	    scope->where == NULL ? "" : scope->where,
	    suggest.nearest == NULL ? "" : " (did you mean \"",
	    suggest.nearest == NULL ? "" : suggest.nearest,
	    suggest.nearest == NULL ? "" : "\"?)");
}

static void
fill_from_map(struct checker *c, const struct scope *scope,
    const struct node *map)
{
	const struct section *section = scope->section;
	bool is_given[KEYS_MAX] = {false};
	const struct node_entry *entry;
	const struct key *key;

	STAILQ_FOREACH(entry, &map->entries, next) {
		key = section_key(section, entry->key->text);
		if (key == NULL) {
			complain_unknown(c, scope, entry->key);
			continue;
		}
		is_given[key - section->keys] = true;
		fill_key(c, scope, key, entry->value);
	}
	for (size_t i = 0; i < section->nkeys; i++) {
		if (section->keys[i].is_required && !is_given[i])
			check_complain(c, scope, &section->keys[i],
			    map->place, "is missing");
	}
}

/* `node` NULL: the defaults only. */
static void
fill_section(struct checker *c, const struct scope *scope,
    const struct node *node)
{
	const struct section *section = scope->section;

	for (size_t i = 0; i < section->nkeys; i++)
		set_initial(c, scope, &section->keys[i]);
	if (node == NULL || node->is_bad)
		return;
	if (node->kind == NODE_MAP)
		fill_from_map(c, scope, node);
	else if (node_is_null(node))
		errors_add(c->errors, node->place, "%s has no value",
		    scope->where);
	else if (node->kind == NODE_SCALAR && section->short_key != NULL)
		check_scalar(c, scope, section_key(section,
		    span_str(section->short_key)), node);
	else
		errors_add(c->errors, node->place, "%s must be a map of keys, "
		    "not %s", scope->where == NULL ? "the configuration" :
		    scope->where, kind_name(node->kind));
}

void
check_document(struct checker *c, const struct node *root, struct conf *conf)
{
	struct scope scope = {section_by_id(SECTION_ROOT), conf, NULL};

	if (node_is_null(root))
		errors_add(c->errors, root->place, "the configuration is "
		    "empty; it needs at least \"listeners\" and \"pools\"");
	else
		fill_section(c, &scope, root);
}
