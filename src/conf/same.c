/* Whether two configurations mean the same: key by key, as the table says. */
#include <string.h>

#include "conf/conf.h"
#include "conf/field.h"
#include "conf/keys.h"

static bool is_same_section(const struct section *section, const char *a,
    const char *b);

static bool
is_same_text(const struct key *key, const char *a, const char *b)
{
	const char *x = field_pointer(a, key->offset);
	const char *y = field_pointer(b, key->offset);

	return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

static bool
is_same_prefix(const struct key *key, const char *a, const char *b)
{
	size_t len = field_count(a, key->aux);

	return len == field_count(b, key->aux) &&
	    memcmp(field_pointer(a, key->offset),
	    field_pointer(b, key->offset), len) == 0;
}

static bool
is_same_list(const struct key *key, const char *a, const char *b)
{
	const struct section *section = section_by_id(key->section);
	const char *x = field_pointer(a, key->offset);
	const char *y = field_pointer(b, key->offset);
	size_t n = field_count(a, key->aux);

	if (n != field_count(b, key->aux))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (key->type == KEY_TABLE &&
		    strcmp(field_pointer(x, section->name),
		    field_pointer(y, section->name)) != 0)
			return false;
		if (!is_same_section(section, x, y))
			return false;
		x += section->size;
		y += section->size;
	}
	return true;
}

static bool
is_same_value(const struct key *key, const char *a, const char *b)
{
	switch (key->type) {
	case KEY_INTEGER:
	case KEY_DURATION:
	case KEY_SIZE:
	case KEY_PERCENT:
	case KEY_MODE:
	case KEY_BOOL:
	case KEY_CHOICE:
	case KEY_WEIGHT:
	case KEY_HASH_TAG:
	case KEY_TEXT:
	case KEY_SECRET:
		/* One value has one form: no -0, no bytes after a NUL. */
		return memcmp(a + key->offset, b + key->offset,
		    key->width) == 0;
	case KEY_TIME:
		/* It says when, not what. */
		return true;
	case KEY_NAME:
		return is_same_text(key, a, b) && a[key->aux] == b[key->aux];
	case KEY_POOL:
	case KEY_ADDRESS:
	case KEY_LISTEN:
		return is_same_text(key, a, b);
	case KEY_PREFIX:
		return is_same_prefix(key, a, b);
	case KEY_SECTION:
		return is_same_section(section_by_id(key->section),
		    a + key->offset, b + key->offset);
	case KEY_LIST:
	case KEY_TABLE:
		return is_same_list(key, a, b);
	}
	NEVER();
}

static bool
is_same_section(const struct section *section, const char *a, const char *b)
{
	for (size_t i = 0; i < section->nkeys; i++) {
		if (!is_same_value(&section->keys[i], a, b))
			return false;
	}
	return true;
}

bool
conf_is_same(const struct conf *a, const struct conf *b)
{
	return is_same_section(section_by_id(SECTION_ROOT), (const char *)a,
	    (const char *)b);
}
