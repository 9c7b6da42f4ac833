/* The table of commands. */
#include "case.h"
#include "proto/verb.h"

static const struct {
	enum verb	verb;
	const char	*name;
	enum verb_shape	shape;
} verbs[] = {
	{VERB_GET, "get", VERB_SHAPE_GET},
	{VERB_GETS, "gets", VERB_SHAPE_GET},
	{VERB_GAT, "gat", VERB_SHAPE_GAT},
	{VERB_GATS, "gats", VERB_SHAPE_GAT},
	{VERB_SET, "set", VERB_SHAPE_STORE},
	{VERB_ADD, "add", VERB_SHAPE_STORE},
	{VERB_REPLACE, "replace", VERB_SHAPE_STORE},
	{VERB_APPEND, "append", VERB_SHAPE_STORE},
	{VERB_PREPEND, "prepend", VERB_SHAPE_STORE},
	{VERB_CAS, "cas", VERB_SHAPE_CAS},
	{VERB_DELETE, "delete", VERB_SHAPE_DELETE},
	{VERB_INCR, "incr", VERB_SHAPE_COUNT},
	{VERB_DECR, "decr", VERB_SHAPE_COUNT},
	{VERB_TOUCH, "touch", VERB_SHAPE_TOUCH},
	{VERB_MG, "mg", VERB_SHAPE_META},
	{VERB_MS, "ms", VERB_SHAPE_META_SET},
	{VERB_MD, "md", VERB_SHAPE_META},
	{VERB_MA, "ma", VERB_SHAPE_META},
	{VERB_ME, "me", VERB_SHAPE_META},
	{VERB_MN, "mn", VERB_SHAPE_META_NOOP},
	{VERB_VERSION, "version", VERB_SHAPE_PLAIN},
	{VERB_FLUSH_ALL, "flush_all", VERB_SHAPE_PLAIN},
};

START_TEST(each_command_has_its_name_and_shape)
{
	ck_assert_str_eq(verb_name(verbs[_i].verb), verbs[_i].name);
	ck_assert_int_eq(verb_shape(verbs[_i].verb), verbs[_i].shape);
	ck_assert_int_eq(verb_is_get(verbs[_i].verb),
	    verbs[_i].shape == VERB_SHAPE_GET ||
	    verbs[_i].shape == VERB_SHAPE_GAT);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("verb");

	tcase_add_loop_test(tc, each_command_has_its_name_and_shape, 0,
	    LENGTH(verbs));
	return case_run("verb", tc);
}
