/* Finding the same text twice. */
#include <stdlib.h>

#include "conf/unique.h"
#include "support.h"

#define FOUND_MAX 16

/* The lines that were told, first and again. */
struct found {
	size_t		n;
	uint32_t	lines[FOUND_MAX][2];
};

static void
note(void *arg, const struct unique_item *first,
    const struct unique_item *again)
{
	struct found *found = arg;

	ck_assert(span_eq(first->text, again->text));
	ck_assert_uint_lt(found->n, FOUND_MAX);
	found->lines[found->n][0] = first->place.line;
	found->lines[found->n++][1] = again->place.line;
}

START_TEST(each_repetition_is_told_with_the_first_one)
{
	static const char *const texts[] = {"b", "a", "c", "a", "b", "a", ""};
	struct unique_item items[LENGTH(texts)];
	struct found found = {0};

	/* From the last line to the first: the place decides, not the order. */
	for (size_t i = 0; i < LENGTH(texts); i++)
		items[i] = (struct unique_item){span_str(texts[i]),
		    {(uint32_t)(7 - i), 1}};
	unique_check(items, LENGTH(texts), note, &found);
	ck_assert_uint_eq(found.n, 3);
	ck_assert_uint_eq(found.lines[0][0], 2);
	ck_assert_uint_eq(found.lines[0][1], 4);
	ck_assert_uint_eq(found.lines[1][0], 2);
	ck_assert_uint_eq(found.lines[1][1], 6);
	ck_assert_uint_eq(found.lines[2][0], 3);
	ck_assert_uint_eq(found.lines[2][1], 7);
}
END_TEST

START_TEST(none_and_one_have_no_repetition)
{
	struct unique_item item = {span_str("a"), {1, 1}};
	struct found found = {0};

	unique_check(NULL, 0, note, &found);
	unique_check(&item, 1, note, &found);
	ck_assert_uint_eq(found.n, 0);
}
END_TEST

START_TEST(on_one_line_the_column_decides)
{
	struct unique_item items[] = {
		{span_str("a"), {1, 9}},
		{span_str("a"), {1, 2}},
	};
	struct found found = {0};

	unique_check(items, 2, note, &found);
	ck_assert_uint_eq(found.n, 1);
	ck_assert_uint_eq(items[0].place.column, 2);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("unique");

	tcase_add_test(tc, each_repetition_is_told_with_the_first_one);
	tcase_add_test(tc, none_and_one_have_no_repetition);
	tcase_add_test(tc, on_one_line_the_column_decides);
	return run_case("unique", tc);
}
