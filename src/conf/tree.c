/*
 * YAML to nodes: libyaml's events, and a stack of the open lists and maps.
 *
 *	event -> node -> attach() to the innermost open container
 *	start of a container: push()	its end: pop(), then remember its anchor
 *
 * An anchor is remembered only when its node is complete, so no node can
 * contain itself. Errors that leave the shape in doubt end the parse; the
 * others are noted, and it goes on.
 */
#include "conf/tree.h"

#include <stdarg.h>
#include <sys/queue.h>
#include <yaml.h>

#include "conf/expand.h"
#include "conf/read.h"
#include "conf/syntax.h"
#include "conf/unique.h"

static const struct span byte_order_mark = SPAN_LIT("\xef\xbb\xbf");

struct anchor {
	SLIST_ENTRY(anchor)	 next;
	const char		*name;
	const struct node	*node;
};

/* One open list or map. */
struct frame {
	struct node		*node;
	const struct node	*key;		/* read, its value is due */
	const char		*anchor;	/* its name or NULL */
};

struct builder {
	struct arena		*arena;
	struct conf_errors	*errors;
	struct frame		 stack[TREE_DEPTH_MAX];
	size_t			 depth;
	size_t			 nnodes;	/* aliases count as copies */
	const struct node	*root;
	SLIST_HEAD(, anchor)	 anchors;	/* the latest first */
	size_t			 nanchors;
	bool			 is_done;	/* at the end, or broken */
	bool			 is_broken;
};

static struct conf_place
place_of(yaml_mark_t mark)
{
	return (struct conf_place){(uint32_t)mark.line + 1,
	    (uint32_t)mark.column + 1};
}

/* Ends the parse: what follows could not be understood rightly. */
static void
give_up(struct builder *b)
{
	b->is_broken = true;
	b->is_done = true;
}

static void give_up_saying(struct builder *b, struct conf_place place,
    const char *fmt, ...) PRINTF_LIKE(3, 4);

static void
give_up_saying(struct builder *b, struct conf_place place, const char *fmt,
    ...)
{
	va_list ap;

	va_start(ap, fmt);
	errors_vadd(b->errors, place, fmt, ap);
	va_end(ap);
	give_up(b);
}

static void
no_memory(struct builder *b)
{
	errors_out_of_memory(b->errors);
	give_up(b);
}

static struct frame *
innermost(struct builder *b)
{
	return b->depth == 0 ? NULL : &b->stack[b->depth - 1];
}

/* Whether the next node is a key of the innermost map. */
static bool
key_is_due(struct builder *b)
{
	struct frame *frame = innermost(b);

	return frame != NULL && frame->node->kind == NODE_MAP &&
	    frame->key == NULL;
}

static bool
count_nodes(struct builder *b, size_t n, struct conf_place place)
{
	b->nnodes += n;
	if (b->nnodes <= TREE_NODES_MAX)
		return true;
	give_up_saying(b, place, "the document has more than %d values, each "
	    "alias counted as the copy it stands for", TREE_NODES_MAX);
	return false;
}

static struct node *
node_new(struct builder *b, enum node_kind kind, struct conf_place place)
{
	struct node *node;

	if (!count_nodes(b, 1, place))
		return NULL;
	node = arena_alloc(b->arena, 1, sizeof(*node));
	if (node == NULL) {
		no_memory(b);
		return NULL;
	}
	node->kind = kind;
	node->place = place;
	node->size = 1;
	STAILQ_INIT(&node->entries);
	return node;
}

/* Puts a complete node where it belongs. */
static void
attach(struct builder *b, const struct node *node)
{
	struct frame *frame = innermost(b);
	struct node_entry *entry;

	if (frame == NULL) {
		b->root = node;
		return;
	}
	if (key_is_due(b)) {
		frame->key = node;
		return;
	}
	entry = arena_alloc(b->arena, 1, sizeof(*entry));
	if (entry == NULL) {
		no_memory(b);
		return;
	}
	entry->key = frame->key;
	entry->value = node;
	frame->key = NULL;
	STAILQ_INSERT_TAIL(&frame->node->entries, entry, next);
	frame->node->nentries++;
	frame->node->size += node->size + (entry->key != NULL ? 1 : 0);
}

static void
remember(struct builder *b, const char *name, const struct node *node)
{
	struct anchor *anchor;

	if (name == NULL)
		return;
	if (b->nanchors++ == TREE_ANCHORS_MAX) {
		give_up_saying(b, node->place, "the document has more than "
		    "%d anchors", TREE_ANCHORS_MAX);
		return;
	}
	anchor = arena_alloc(b->arena, 1, sizeof(*anchor));
	if (anchor == NULL) {
		no_memory(b);
		return;
	}
	anchor->name = name;
	anchor->node = node;
	SLIST_INSERT_HEAD(&b->anchors, anchor, next);
}

/* A copy of an anchor's name (which may be NULL), since events are freed. */
static const char *
keep_name(struct builder *b, const yaml_char_t *name)
{
	const char *copy;

	if (name == NULL)
		return NULL;
	copy = arena_copy(b->arena, span_str((const char *)name));
	if (copy == NULL)
		no_memory(b);
	return copy;
}

static void
refuse_tag(struct builder *b, const yaml_char_t *tag, struct conf_place place)
{
	char quoted[ERRORS_QUOTED_MAX];

	if (tag != NULL)
		errors_add(b->errors, place, "the tag %s is not supported; "
		    "write the value without it",
		    errors_quote(span_str((const char *)tag), quoted));
}

/* A copy of what is written: for keys, and where expanding failed. */
static bool
set_text_as_is(struct builder *b, struct node *node, struct span text)
{
	node->text = span_of(arena_copy(b->arena, text), text.len);
	if (node->text.p == NULL)
		no_memory(b);
	return node->text.p != NULL;
}

/* The text of a value, its variables replaced. */
static bool
set_text(struct builder *b, struct node *node, struct span text)
{
	struct err err;

	if (!expand_is_needed(text))
		return set_text_as_is(b, node, text);
	switch (expand(text, b->arena, &node->text, &err)) {
	case EXPAND_OK:
		return true;
	case EXPAND_BAD:
		errors_add(b->errors, node->place, "%s", err.text);
		node->is_bad = true;
		return set_text_as_is(b, node, text);
	case EXPAND_NO_MEMORY:
		no_memory(b);
		return false;
	}
	NEVER();
}

static bool
is_merge_key(struct span text, bool is_plain)
{
	return is_plain && span_eq(text, span_str("<<"));
}

static void
on_scalar(struct builder *b, const yaml_event_t *event)
{
	struct conf_place place = place_of(event->start_mark);
	struct span text = span_of((const char *)event->data.scalar.value,
	    event->data.scalar.length);
	bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	bool is_key = key_is_due(b);
	const char *anchor = keep_name(b, event->data.scalar.anchor);
	struct node *node;

	refuse_tag(b, event->data.scalar.tag, place);
	if (is_key && is_merge_key(text, is_plain))
		give_up_saying(b, place, "merge keys (<<) are not supported; "
		    "use an alias for each value");
	if (b->is_done)
		return;
	node = node_new(b, NODE_SCALAR, place);
	if (node == NULL)
		return;
	node->is_plain = is_plain;
	if (!(is_key ? set_text_as_is(b, node, text) : set_text(b, node, text)))
		return;
	attach(b, node);
	remember(b, anchor, node);
}

/* The start of a list or map. */
static void
push(struct builder *b, enum node_kind kind, const yaml_event_t *event)
{
	bool is_list = kind == NODE_LIST;
	struct conf_place place = place_of(event->start_mark);
	struct frame *frame;

	refuse_tag(b, is_list ? event->data.sequence_start.tag :
	    event->data.mapping_start.tag, place);
	if (key_is_due(b)) {
		give_up_saying(b, place, "a key must be plain text, not a %s",
		    is_list ? "list" : "map");
		return;
	}
	if (b->depth == TREE_DEPTH_MAX) {
		give_up_saying(b, place, "lists and maps are nested deeper "
		    "than %d levels", TREE_DEPTH_MAX);
		return;
	}
	frame = &b->stack[b->depth];
	frame->key = NULL;
	frame->anchor = keep_name(b, is_list ?
	    event->data.sequence_start.anchor :
	    event->data.mapping_start.anchor);
	if (b->is_done)
		return;
	frame->node = node_new(b, kind, place);
	if (frame->node != NULL)
		b->depth++;
}

static void
add_duplicate(void *arg, const struct unique_item *first,
    const struct unique_item *again)
{
	struct builder *b = arg;
	char quoted[ERRORS_QUOTED_MAX];

	errors_add(b->errors, again->place, "the key %s was given at line %u "
	    "already", errors_quote(again->text, quoted), first->place.line);
}

static void
check_keys(struct builder *b, const struct node *map)
{
	struct unique_item *keys;
	struct node_entry *entry;
	size_t n = 0;

	keys = arena_alloc(b->arena, map->nentries, sizeof(keys[0]));
	if (keys == NULL) {
		no_memory(b);
		return;
	}
	STAILQ_FOREACH(entry, &map->entries, next)
		keys[n++] = (struct unique_item){entry->key->text,
		    entry->key->place};
	unique_check(keys, n, add_duplicate, b);
}

/* The end of the innermost list or map. */
static void
pop(struct builder *b)
{
	struct frame *frame = innermost(b);

	b->depth--;
	if (frame->node->kind == NODE_MAP)
		check_keys(b, frame->node);
	if (b->is_done)
		return;
	attach(b, frame->node);
	remember(b, frame->anchor, frame->node);
}

static void
on_alias(struct builder *b, const yaml_event_t *event)
{
	struct span name = span_str((const char *)event->data.alias.anchor);
	struct conf_place place = place_of(event->start_mark);
	char quoted[ERRORS_QUOTED_MAX];
	struct anchor *anchor;

	if (key_is_due(b)) {
		give_up_saying(b, place, "a key must be plain text, not an "
		    "alias");
		return;
	}
	SLIST_FOREACH(anchor, &b->anchors, next) {
		if (span_eq(span_str(anchor->name), name))
			break;
	}
	if (anchor == NULL) {
		give_up_saying(b, place, "the alias %s names no anchor that "
		    "was complete before it", errors_quote(name, quoted));
		return;
	}
	if (count_nodes(b, anchor->node->size, place))
		attach(b, anchor->node);
}

static void
on_document_start(struct builder *b, const yaml_event_t *event)
{
	if (b->root != NULL)
		give_up_saying(b, place_of(event->start_mark), "a second "
		    "document starts here; a configuration is only one");
}

static void
on_event(struct builder *b, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return;
	case YAML_STREAM_END_EVENT:
		b->is_done = true;
		return;
	case YAML_DOCUMENT_START_EVENT:
		on_document_start(b, event);
		return;
	case YAML_ALIAS_EVENT:
		on_alias(b, event);
		return;
	case YAML_SCALAR_EVENT:
		on_scalar(b, event);
		return;
	case YAML_SEQUENCE_START_EVENT:
		push(b, NODE_LIST, event);
		return;
	case YAML_MAPPING_START_EVENT:
		push(b, NODE_MAP, event);
		return;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		pop(b);
		return;
	}
	NEVER();
}

/* `workers:2`, or `-10.0.0.1:11211`: libyaml looks on for a colon. */
static bool
lacks_a_blank(const yaml_parser_t *parser)
{
	return parser->error == YAML_SCANNER_ERROR &&
	    strcmp(parser->problem, "could not find expected ':'") == 0;
}

/* What libyaml says about broken syntax, mostly in its words and place. */
static void
add_syntax_error(struct builder *b, const yaml_parser_t *parser,
    struct span text)
{
	struct conf_place place = place_of(parser->problem_mark);

	if (parser->error == YAML_MEMORY_ERROR) {
		no_memory(b);
		return;
	}
	give_up(b);
	if (parser->error == YAML_READER_ERROR)
		place = read_place(text, parser->problem_offset);
	if (parser->error == YAML_SCANNER_ERROR &&
	    syntax_is_tab_at(text, parser->problem_mark.index))
		errors_add(b->errors, place, "a tab stands where YAML allows "
		    "only blanks");
	else if (lacks_a_blank(parser))
		errors_add(b->errors, place_of(parser->context_mark),
		    "neither \"key: value\" nor \"- item\"; a blank stands "
		    "behind \":\" and \"-\"");
	else if (syntax_has_bare_ipv6(text, parser->problem_mark.line))
		errors_add(b->errors, place, "an address in brackets needs "
		    "quotes, as in \"[::1]:11211\"");
	else if (parser->context != NULL)
		errors_add(b->errors, place, "not valid YAML: %s (%s that "
		    "starts at line %zu)", parser->problem, parser->context,
		    parser->context_mark.line + 1);
	else
		errors_add(b->errors, place, "not valid YAML: %s",
		    parser->problem);
}

const struct node *
tree_parse(struct span text, struct arena *arena, struct conf_errors *errors)
{
	struct builder b = {.arena = arena, .errors = errors};
	yaml_parser_t parser;
	yaml_event_t event;

	SLIST_INIT(&b.anchors);
	if (span_starts(text, byte_order_mark))
		text = span_of(text.p + byte_order_mark.len,
		    text.len - byte_order_mark.len);
	if (yaml_parser_initialize(&parser) == 0) {
		errors_out_of_memory(errors);
		return NULL;
	}
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)
	    (text.len == 0 ? "" : text.p), text.len);
	while (!b.is_done) {
		if (yaml_parser_parse(&parser, &event) == 0) {
			add_syntax_error(&b, &parser, text);
			break;
		}
		on_event(&b, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return b.is_broken ? NULL : b.root;
}
