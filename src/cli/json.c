/* JSON documents. */
#include "cli/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/session.h"
#include "ring/utf8.h"

void
json_doc_init(struct json_doc *doc)
{
	json_set_alloc_funcs(mem_alloc, mem_free);
	*doc = (struct json_doc){.root = json_object()};
	doc->is_broken = doc->root == NULL;
}

/* jansson takes `value` in any case, and does nothing without an object. */
static json_t *
put(struct json_doc *doc, json_t *object, const char *name, json_t *value)
{
	if (json_object_set_new(object, name, value) == 0)
		return value;
	doc->is_broken = true;
	return NULL;
}

static bool
is_utf8(const char *text)
{
	struct span rest = span_str(text);
	size_t n;

	for (; rest.len > 0; rest = span_of(rest.p + n, rest.len - n)) {
		/* A byte that begins nothing stands for itself. */
		if (utf8_first(rest, &n) >= 0x80 && n == 1)
			return false;
	}
	return true;
}

/*
 * Names come from files that are UTF-8, but a path may be anything: what is
 * not ASCII is then masked.
 */
static json_t *
make_text(const char *text)
{
	json_t *value;
	char *copy;

	if (is_utf8(text))
		return json_string(text);
	copy = mem_strndup(text, strlen(text));
	if (copy == NULL)
		return NULL;
	for (char *c = copy; *c != '\0'; c++) {
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	}
	value = json_string(copy);
	mem_free(copy);
	return value;
}

json_t *
json_doc_object(struct json_doc *doc, json_t *object, const char *name)
{
	return put(doc, object, name, json_object());
}

json_t *
json_doc_array(struct json_doc *doc, json_t *object, const char *name)
{
	return put(doc, object, name, json_array());
}

void
json_doc_text(struct json_doc *doc, json_t *object, const char *name,
    const char *text)
{
	put(doc, object, name, make_text(text));
}

void
json_doc_bool(struct json_doc *doc, json_t *object, const char *name,
    bool is_true)
{
	put(doc, object, name, json_boolean(is_true));
}

static json_t *
make_count(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

void
json_doc_count(struct json_doc *doc, json_t *object, const char *name,
    uint64_t n)
{
	put(doc, object, name, make_count(n));
}

void
json_doc_number(struct json_doc *doc, json_t *object, const char *name,
    double number)
{
	put(doc, object, name, isfinite(number) ? json_real(number) :
	    json_null());
}

void
json_doc_null(struct json_doc *doc, json_t *object, const char *name)
{
	put(doc, object, name, json_null());
}

json_t *
json_doc_append(struct json_doc *doc, json_t *array)
{
	json_t *object = json_object();

	if (json_array_append_new(array, object) == 0)
		return object;
	doc->is_broken = true;
	return NULL;
}

void
json_doc_append_text(struct json_doc *doc, json_t *array, const char *text)
{
	if (json_array_append_new(array, make_text(text)) != 0)
		doc->is_broken = true;
}

void
json_doc_append_count(struct json_doc *doc, json_t *array, uint64_t n)
{
	if (json_array_append_new(array, make_count(n)) != 0)
		doc->is_broken = true;
}

void
json_doc_append_number(struct json_doc *doc, json_t *array, double number)
{
	if (json_array_append_new(array, isfinite(number) ?
	    json_real(number) : json_null()) != 0)
		doc->is_broken = true;
}

char *
json_doc_take(struct json_doc *doc)
{
	char *text = doc->is_broken ? NULL :
	    json_dumps(doc->root, JSON_COMPACT | JSON_REAL_PRECISION(9));

	json_decref(doc->root);
	doc->root = NULL;
	return text;
}

int
json_doc_print(struct json_doc *doc, int status)
{
	if (doc->is_broken)
		status = session_no_memory();
	else if (json_dumpf(doc->root, stdout, JSON_INDENT(2)) != 0)
		/* Without memory as well: errors of writing are sticky. */
		status = ferror(stdout) ? status : session_no_memory();
	else
		putchar('\n');
	json_decref(doc->root);
	doc->root = NULL;
	return session_flush(status);
}
