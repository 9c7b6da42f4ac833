/* Questions about a parsed document. */
#include "conf/node.h"

bool
node_is_null(const struct node *node)
{
	static const struct span words[] = {
		SPAN_LIT(""), SPAN_LIT("~"), SPAN_LIT("null"),
		SPAN_LIT("Null"), SPAN_LIT("NULL"),
	};

	if (node->kind != NODE_SCALAR || !node->is_plain)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (span_eq(node->text, words[i]))
			return true;
	}
	return false;
}

const struct node *
node_get(const struct node *node, const char *key)
{
	const struct node_entry *entry;

	if (node == NULL || node->kind != NODE_MAP)
		return NULL;
	STAILQ_FOREACH(entry, &node->entries, next) {
		if (span_eq(entry->key->text, span_str(key)))
			return entry->value;
	}
	return NULL;
}
