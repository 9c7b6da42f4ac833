/* The hashes that a rule offers. */
#include "ring/hashes_choice.h"

#include <stdio.h>
#include <string.h>

/* Writes the names on offer, comma and blank between them. */
static void
list_names(const struct hashes_offer *offer, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < offer->n && len < size; i++) {
		snprintf(out + len, size - len, "%s%s", i > 0 ? ", " : "",
		    hash_kind_name(offer->choices[i].kind));
		len += strlen(out + len);
	}
}

hashes_fn *
hashes_choose(const struct rule_build *build,
    const struct hashes_offer *offer, enum hash_kind fallback)
{
	enum hash_kind kind = build->spec->hash;
	char names[256];

	if (kind == HASH_DEFAULT)
		kind = fallback;
	for (size_t i = 0; i < offer->n; i++) {
		const struct hashes_choice *choice = &offer->choices[i];

		if (choice->kind == kind)
			return build->spec->is_char_unsigned
			    ? choice->by_unsigned
			    : choice->by_signed;
	}
	list_names(offer, names, sizeof(names));
	(void)rule_refuse(build, PLACEMENT_UNSUPPORTED,
	    "there is no hash \"%s\" here, its hashes are %s",
	    hash_kind_name(kind), names);
	return NULL;
}
