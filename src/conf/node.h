/*
 * A parsed document: scalars, lists and maps, each with its place. What the
 * keys mean is not known here. Immutable once built; an alias is the very
 * node it names, so nodes may be shared, but never in a circle.
 */
#ifndef CONF_NODE_H
#define CONF_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "base/span.h"
#include "conf/conf.h"

enum node_kind {
	NODE_SCALAR,
	NODE_LIST,
	NODE_MAP,
};

struct node_entry {
	STAILQ_ENTRY(node_entry)	 next;
	const struct node		*key;	/* a scalar; NULL in a list */
	const struct node		*value;
};

STAILQ_HEAD(node_entries, node_entry);

struct node {
	enum node_kind		kind;
	struct conf_place	place;
	/* Scalars: the text with variables replaced, NUL-terminated too. */
	struct span		text;
	bool			is_plain;	/* written without quotes */
	bool			is_bad;		/* complained about already */
	/* Lists and maps, in the order of the file. */
	struct node_entries	entries;
	size_t			nentries;
	/* Nodes in all when every alias counts as a copy, itself included. */
	size_t			size;
};

/* Whether it is a scalar that says nothing: empty, ~ or null, unquoted. */
bool node_is_null(const struct node *node);

/* The value of `key` in a map, the first one, or NULL; NULL for others. */
const struct node *node_get(const struct node *node, const char *key);

#endif
