/* What only a restart can change: the keys that the table marks so. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/errors.h"
#include "conf/field.h"
#include "conf/keys.h"
#include "conf/value.h"

/* Keys so marked are plain numbers, and at the top level. */
static uint64_t
number_of(const struct conf *conf, const struct key *key)
{
	return field_number(key, (const char *)conf);
}

static struct conf_place
place_of(const struct conf *conf, const struct key *key)
{
	struct conf_place place;

	memcpy(&place, (const char *)conf + key->aux, sizeof(place));
	return place;
}

bool
conf_restart_only_changes(const struct conf *old, const struct conf *new,
    struct conf_errors **errors_r)
{
	const struct section *root = section_by_id(SECTION_ROOT);
	char before[VALUE_TEXT_MAX], after[VALUE_TEXT_MAX];
	bool is_changed = false;

	*errors_r = NULL;
	for (size_t i = 0; i < root->nkeys; i++) {
		const struct key *key = &root->keys[i];

		if (!key->is_restart_only ||
		    number_of(old, key) == number_of(new, key))
			continue;
		is_changed = true;
		conf_errors_add(errors_r, new, place_of(new, key),
		    "\"%s\" changes from %s to %s, which needs a restart",
		    key->name, value_format(key, number_of(old, key), before),
		    value_format(key, number_of(new, key), after));
	}
	return is_changed;
}
