/* What keys say about each other: the limits, and the order of the rest. */
#include "conf/link.h"

#include <string.h>

#include "conf/suggest.h"
#include "conf/value.h"

struct conf_place
link_place(const struct node *map, const char *key)
{
	const struct node *value = node_get(map, key);

	return value == NULL ? map->place : value->place;
}

static void
complain_pool(struct checker *c, const struct conf *conf, const char *name,
    struct conf_place place)
{
	struct suggest suggest = {.text = span_str(name)};
	char quoted[ERRORS_QUOTED_MAX];

	for (size_t i = 0; i < conf->npools && !errors_is_full(c->errors); i++)
		suggest_offer(&suggest, conf->pools[i].name);
	errors_add(c->errors, place, "there is no pool %s%s%s%s",
	    errors_quote(span_str(name), quoted),
	    suggest.nearest == NULL ? "" : " (did you mean \"",
	    suggest.nearest == NULL ? "" : suggest.nearest,
	    suggest.nearest == NULL ? "" : "\"?)");
}

size_t
link_pool(struct checker *c, const struct conf *conf, const char *name,
    struct conf_place place)
{
	for (size_t i = 0; i < conf->npools; i++) {
		if (strcmp(conf->pools[i].name, name) == 0)
			return i;
	}
	/* Without any pool, that is the one mistake there is. */
	if (conf->npools > 0)
		complain_pool(c, conf, name, place);
	return 0;
}

static const char *
format_size(uint64_t bytes, char out[VALUE_TEXT_MAX])
{
	return value_format(&(struct key){.type = KEY_SIZE}, bytes, out);
}

/* `inner` of the limits must fit into `outer`. */
struct nested_limits {
	const char	*inner, *outer;
	uint64_t	 inner_size, outer_size;
};

static void
link_limits(struct checker *c, const struct node *limits,
    const struct conf_limits *l)
{
	const struct nested_limits nested[] = {
		{"value_size", "client_buffer", l->value_size,
		    l->client_buffer},
		{"client_buffer", "memory", l->client_buffer, l->memory},
	};
	char inner[VALUE_TEXT_MAX], outer[VALUE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(nested) / sizeof(nested[0]); i++) {
		const struct nested_limits *n = &nested[i];

		if (n->inner_size <= n->outer_size)
			continue;
		errors_add(c->errors, link_place(limits,
		    node_get(limits, n->outer) != NULL ? n->outer : n->inner),
		    "\"%s\" in limits (%s) must not be less than \"%s\" (%s)",
		    n->outer, format_size(n->outer_size, outer), n->inner,
		    format_size(n->inner_size, inner));
	}
}

void
link_document(struct checker *c, const struct node *root, struct conf *conf)
{
	const struct node *limits = node_get(root, "limits");
	const struct node *pools = node_get(root, "pools");
	const struct node *listeners = node_get(root, "listeners");
	const struct node *admin = node_get(root, "admin");

	if (limits != NULL)
		link_limits(c, limits, &conf->limits);
	if (pools != NULL)
		link_pools(c, pools, conf);
	if (listeners != NULL)
		link_listeners(c, listeners, conf);
	if (admin != NULL)
		link_admin(c, admin, conf);
}
