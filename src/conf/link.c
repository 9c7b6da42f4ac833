/* What keys say about each other: the limits, and the order of the rest. */
#include "conf/link.h"

#include "conf/value.h"

struct conf_place
link_place(const struct node *map, const char *key)
{
	const struct node *value = node_get(map, key);

	return value == NULL ? map->place : value->place;
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
