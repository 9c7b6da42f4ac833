/* YAML to nodes: shapes, places, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/tree.h"
#include "support.h"

/* One parse; its arena and errors live until finish(). */
struct parse {
	struct arena		*arena;
	struct conf_errors	*errors;
	const struct node	*root;
};

static struct parse
start(const char *text)
{
	struct parse parse = {arena_new(), errors_new("f"), NULL};

	parse.root = tree_parse(span_str(text), parse.arena, parse.errors);
	return parse;
}

static void
finish(struct parse *parse)
{
	arena_free(&parse->arena);
	conf_errors_free(&parse->errors);
}

/* A node as text: kinds, places and texts, in one line. */
static void
put_node(FILE *out, const struct node *node)
{
	const struct node_entry *entry;

	fprintf(out, "%u:%u", node->place.line, node->place.column);
	if (node->kind == NODE_SCALAR) {
		ck_assert_uint_eq(strlen(node->text.p), node->text.len);
		fprintf(out, node->is_plain ? "%s" : "\"%s\"", node->text.p);
		return;
	}
	fputs(node->kind == NODE_LIST ? "[" : "{", out);
	STAILQ_FOREACH(entry, &node->entries, next) {
		fputs(entry == STAILQ_FIRST(&node->entries) ? "" : " ", out);
		if (entry->key != NULL) {
			put_node(out, entry->key);
			fputs("=", out);
		}
		put_node(out, entry->value);
	}
	fputs(node->kind == NODE_LIST ? "]" : "}", out);
}

struct shape_row {
	const char	*text;
	const char	*shape;
};

static const struct shape_row shape_rows[] = {
	{"a", "1:1a"},
	{"'a'", "1:1\"a\""},
	{"a: 1\nb: [x, 'y']\n", "1:1{1:1a=1:41 2:1b=2:4[2:5x 2:8\"y\"]}"},
	{"- a\n-  b: c\n", "1:1[1:3a 2:4{2:4b=2:7c}]"},
	{"a:\n", "1:1{1:1a=1:3}"},
	{"a: ~\n", "1:1{1:1a=1:4~}"},
	{"a: {}\nb: []\n", "1:1{1:1a=1:4{} 2:1b=2:4[]}"},
	/* A column counts characters, and a byte order mark is none. */
	{"\xc3\xa9: \xc3\xa9 \n", "1:1{1:1\xc3\xa9=1:4\xc3\xa9}"},
	{"\xef\xbb\xbf" "a: 1", "1:1{1:1a=1:41}"},
	{"a: 1\r\nb: 2\r\n", "1:1{1:1a=1:41 2:1b=2:42}"},
	{"--- # only one\na: 1\n...\n", "2:1{2:1a=2:41}"},
	{"%YAML 1.1\n---\na: 1\n", "3:1{3:1a=3:41}"},
	/* An alias is the node it names, with that place. */
	{"a: &x 1\nb: *x\n", "1:1{1:1a=1:41 2:1b=1:41}"},
	{"- &x [1]\n- &y {k: *x}\n- *y\n",
	    "1:1[1:3[1:71] 2:3{2:7k=1:3[1:71]} 2:3{2:7k=1:3[1:71]}]"},
	{"- &x 1\n- &x 2\n- *x\n", "1:1[1:31 2:32 2:32]"},
	/* Keys stay as they are written; values have variables. */
	{"${A}: ${A}\n", "1:1{1:1${A}=1:7one}"},
	{"'<<': 1", "1:1{1:1\"<<\"=1:71}"},
};

START_TEST(documents_become_nodes_with_places)
{
	const struct shape_row *row = &shape_rows[_i];
	struct parse parse;
	size_t size;
	char *shape;
	FILE *out = open_memstream(&shape, &size);

	setenv("A", "one", 1);
	parse = start(row->text);
	ck_assert_ptr_nonnull(parse.root);
	ck_assert(errors_is_empty(parse.errors));
	put_node(out, parse.root);
	fclose(out);
	ck_assert_str_eq(shape, row->shape);
	free(shape);
	finish(&parse);
}
END_TEST

START_TEST(sizes_count_an_alias_as_a_copy)
{
	struct parse parse = start("a: &x [1, 2]\nb: [*x, *x]\n");

	/* The map, two keys, [1, 2], and a list of two copies of it. */
	ck_assert_uint_eq(parse.root->size, 1 + 2 + 3 + 1 + 2 * 3);
	ck_assert_uint_eq(parse.root->nentries, 2);
	finish(&parse);
}
END_TEST

struct refused_row {
	const char	*text;
	const char	*lines;
};

#define TAG "the tag \"tag:yaml.org,2002:bool\" is not supported; write " \
	"the value without it"

static const struct refused_row refused_rows[] = {
	{"a: 1\nb: [\n", "f:3:1: not valid YAML: did not find expected node "
	    "content (while parsing a flow node that starts at line 3)\n"},
	{"a: 1\n  b: 2\n", "f:2:4: not valid YAML: mapping values are not "
	    "allowed in this context\n"},
	{"a:\n\tb: 1\n", "f:2:1: a tab stands where YAML allows only "
	    "blanks\n"},
	{"\xc3\xa9\xc3\xa9:\n\tb: 1\n", "f:2:1: a tab stands where YAML "
	    "allows only blanks\n"},
	{"\xc3\xa9: @\t\n", "f:1:4: not valid YAML: found character that "
	    "cannot start any token (while scanning for the next token that "
	    "starts at line 1)\n"},
	{"a: 1\nb:2\n", "f:2:1: neither \"key: value\" nor \"- item\"; a "
	    "blank stands behind \":\" and \"-\"\n"},
	{"a:\n  - x\n  -y\nb: 1\n", "f:3:3: neither \"key: value\" nor \"- "
	    "item\"; a blank stands behind \":\" and \"-\"\n"},
	{"a:\n  - [::1]:11211\n", "f:2:6: an address in brackets needs quotes, "
	    "as in \"[::1]:11211\"\n"},
	{"a: {b: [2001:DB8::1]:2, c: 1}\n", "f:1:21: an address in brackets "
	    "needs quotes, as in \"[::1]:11211\"\n"},
	{"a: [1:2]:3\n", "f:1:9: not valid YAML: did not find expected key "
	    "(while parsing a block mapping that starts at line 1)\n"},
	{"a: [::1\n", "f:1:5: not valid YAML: did not find expected node "
	    "content (while parsing a flow node that starts at line 1)\n"},
	{"a: \"\\xZZ\"\n", "f:1:7: not valid YAML: did not find expected "
	    "hexdecimal number (while parsing a quoted scalar that starts at "
	    "line 1)\n"},
	{"a: \x01\n", "f:1:4: not valid YAML: control characters are not "
	    "allowed\n"},
	{"a: 1\n---\nb: 2\n", "f:2:1: a second document starts here; a "
	    "configuration is only one\n"},
	/* Broken after a whole document. */
	{"a: 1\n...\n}\n", "f:3:1: not valid YAML: did not find expected "
	    "<document start>\n"},
	{"a: 1\n...\n---\nb: 2\n", "f:3:1: a second document starts here; a "
	    "configuration is only one\n"},
	{"a: *x\n", "f:1:4: the alias \"x\" names no anchor that was complete "
	    "before it\n"},
	{"a: &x [*x]\n", "f:1:8: the alias \"x\" names no anchor that was "
	    "complete before it\n"},
	{"a: &x {b: *x}\n", "f:1:11: the alias \"x\" names no anchor that was "
	    "complete before it\n"},
	{"- &x a\n- {*x : 1}\n", "f:2:4: a key must be plain text, not an "
	    "alias\n"},
	{"? [a]\n: b\n", "f:1:3: a key must be plain text, not a list\n"},
	{"{{a: 1}: b}\n", "f:1:2: a key must be plain text, not a map\n"},
	{"a: &d {b: 1}\nc:\n  <<: *d\n", "f:3:3: merge keys (<<) are not "
	    "supported; use an alias for each value\n"},
};

START_TEST(broken_shapes_end_the_parse)
{
	const struct refused_row *row = &refused_rows[_i];
	struct parse parse = start(row->text);
	char *lines = join_lines(parse.errors);

	ck_assert_ptr_null(parse.root);
	ck_assert_str_eq(lines, row->lines);
	free(lines);
	finish(&parse);
}
END_TEST

static const struct refused_row noted_rows[] = {
	{"a: 1\nb: 2\na: 3\na: 4\n",
	    "f:3:1: the key \"a\" was given at line 1 already\n"
	    "f:4:1: the key \"a\" was given at line 1 already\n"},
	{"x: {a: 1, \"a\": 2}\n",
	    "f:1:11: the key \"a\" was given at line 1 already\n"},
	{"a: !!bool true\nb: !x [1]\nc: !y {}\n",
	    "f:1:4: " TAG "\n"
	    "f:2:4: the tag \"!x\" is not supported; write the value without "
	    "it\n"
	    "f:3:4: the tag \"!y\" is not supported; write the value without "
	    "it\n"},
	{"a: ${NOPE}\nb: ${\n",
	    "f:1:4: the variable NOPE is not set; ${NOPE:-default} would "
	    "give it a default\n"
	    "f:2:4: ${ has no closing }; write $$ for a dollar sign\n"},
};

START_TEST(other_mistakes_are_noted_and_it_goes_on)
{
	const struct refused_row *row = &noted_rows[_i];
	struct parse parse;
	char *lines;

	unsetenv("NOPE");
	parse = start(row->text);
	lines = join_lines(parse.errors);
	ck_assert_ptr_nonnull(parse.root);
	ck_assert_str_eq(lines, row->lines);
	free(lines);
	finish(&parse);
}
END_TEST

START_TEST(nothing_has_no_root)
{
	static const char *const texts[] = {"", " ", "\n\n", "# x\n",
		"\xef\xbb\xbf"};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		struct parse parse = start(texts[i]);

		ck_assert_ptr_null(parse.root);
		ck_assert(errors_is_empty(parse.errors));
		finish(&parse);
	}
}
END_TEST

/* `n` times `piece` between `head` and `tail`. */
static char *
repeat(const char *head, const char *piece, size_t n, const char *tail)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	fputs(head, out);
	for (size_t i = 0; i < n; i++)
		fputs(piece, out);
	fputs(tail, out);
	fclose(out);
	return text;
}

/* Fails the test unless the only complaint about `text` (freed) is `line`. */
static void
expect_only(char *text, const char *line)
{
	struct parse parse = start(text);

	if (line == NULL) {
		ck_assert(errors_is_empty(parse.errors));
		ck_assert_ptr_nonnull(parse.root);
	} else {
		ck_assert_ptr_null(parse.root);
		ck_assert_uint_eq(conf_errors_count(parse.errors), 1);
		ck_assert_str_eq(conf_errors_line(parse.errors, 0), line);
	}
	finish(&parse);
	free(text);
}

START_TEST(depth_has_a_limit)
{
	expect_only(repeat("", "[", TREE_DEPTH_MAX,
	    "]]]]]]]]]]]]]]]]"), NULL);
	expect_only(repeat("", "[", TREE_DEPTH_MAX + 1, ""),
	    "f:1:17: lists and maps are nested deeper than 16 levels");
	expect_only(repeat("", "[", 100000, ""),
	    "f:1:17: lists and maps are nested deeper than 16 levels");
	expect_only(repeat("", "- ", 100000, "x"),
	    "f:1:33: lists and maps are nested deeper than 16 levels");
}
END_TEST

START_TEST(nodes_have_a_limit)
{
	expect_only(repeat("[", "a,", TREE_NODES_MAX - 1, "]"), NULL);
	expect_only(repeat("[", "a,", TREE_NODES_MAX, "]"),
	    "f:1:524288: the document has more than 262144 values, each "
	    "alias counted as the copy it stands for");
}
END_TEST

START_TEST(ten_aliases_of_ten_aliases_are_no_bomb)
{
	char *text = strdup("- &a [x,x,x,x,x,x,x,x,x,x]\n");

	for (char c = 'b'; c < 'k'; c++) {
		char line[128], *longer;
		int len = snprintf(line, sizeof(line), "- &%c [", c);

		for (int i = 0; i < 10; i++)
			len += snprintf(line + len,
			    sizeof(line) - (size_t)len, "*%c,", c - 1);
		snprintf(line + len, sizeof(line) - (size_t)len, "]\n");
		longer = repeat(text, line, 1, "");
		free(text);
		text = longer;
	}
	/* f's second copy of e, which stands for 111,111 nodes. */
	expect_only(text, "f:6:10: the document has more than 262144 values, "
	    "each alias counted as the copy it stands for");
}
END_TEST

START_TEST(anchors_have_a_limit)
{
	expect_only(repeat("", "- &a x\n", TREE_ANCHORS_MAX, "- *a\n"),
	    NULL);
	expect_only(repeat("", "- &a x\n", TREE_ANCHORS_MAX + 1, ""),
	    "f:257:3: the document has more than 256 anchors");
}
END_TEST

START_TEST(values_that_say_nothing_are_null)
{
	struct parse parse = start("[~, null, Null, NULL, '', '~', nil, "
	    "[], \"null\"]");
	static const bool want[] = {true, true, true, true, false, false,
		false, false, false};
	const struct node_entry *entry;
	size_t i = 0;

	STAILQ_FOREACH(entry, &parse.root->entries, next) {
		ck_assert_msg(node_is_null(entry->value) == want[i],
		    "value %zu", i);
		i++;
	}
	ck_assert_uint_eq(i, LENGTH(want));
	finish(&parse);
}
END_TEST

START_TEST(the_first_of_a_key_is_found)
{
	struct parse parse = start("{a: 1, b: 2}");

	ck_assert_str_eq(node_get(parse.root, "b")->text.p, "2");
	ck_assert_ptr_null(node_get(parse.root, "c"));
	ck_assert_ptr_null(node_get(node_get(parse.root, "a"), "c"));
	ck_assert_ptr_null(node_get(NULL, "a"));
	finish(&parse);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("tree");

	tcase_add_loop_test(tc, documents_become_nodes_with_places, 0,
	    LENGTH(shape_rows));
	tcase_add_test(tc, sizes_count_an_alias_as_a_copy);
	tcase_add_loop_test(tc, broken_shapes_end_the_parse, 0,
	    LENGTH(refused_rows));
	tcase_add_loop_test(tc, other_mistakes_are_noted_and_it_goes_on, 0,
	    LENGTH(noted_rows));
	tcase_add_test(tc, nothing_has_no_root);
	tcase_add_test(tc, depth_has_a_limit);
	tcase_add_test(tc, nodes_have_a_limit);
	tcase_add_test(tc, ten_aliases_of_ten_aliases_are_no_bomb);
	tcase_add_test(tc, anchors_have_a_limit);
	tcase_add_test(tc, values_that_say_nothing_are_null);
	tcase_add_test(tc, the_first_of_a_key_is_found);
	return run_case("tree", tc);
}
