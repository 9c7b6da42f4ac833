/* "Did you mean ...?" */
#include <string.h>

#include "conf/suggest.h"
#include "support.h"

struct distance_row {
	const char	*a, *b;
	size_t		 distance;
};

static const struct distance_row distance_rows[] = {
	{"", "", 0},
	{"", "abc", 3},
	{"workers", "workers", 0},
	{"worker", "workers", 1},
	{"wrokers", "workers", 1},
	{"wokers", "workers", 1},
	{"warkers", "workers", 1},
	{"Workers", "wORKERS", 0},
	{"on-down", "on_down", 0},
	{"ab", "ba", 1},
	{"kitten", "sitting", 3},
	{"ca", "abc", 3},
};

START_TEST(steps_are_counted_both_ways)
{
	const struct distance_row *row = &distance_rows[_i];

	ck_assert_uint_eq(suggest_distance(span_str(row->a),
	    span_str(row->b)), row->distance);
	ck_assert_uint_eq(suggest_distance(span_str(row->b),
	    span_str(row->a)), row->distance);
}
END_TEST

START_TEST(long_words_are_not_compared)
{
	char word[SUGGEST_MAX + 2];

	memset(word, 'a', sizeof(word));
	ck_assert_uint_eq(suggest_distance(span_of(word, SUGGEST_MAX),
	    span_of(word, SUGGEST_MAX)), 0);
	ck_assert_uint_eq(suggest_distance(span_of(word, SUGGEST_MAX + 1),
	    span_of(word, SUGGEST_MAX)), SIZE_MAX);
	ck_assert_uint_eq(suggest_distance(span_of(word, SUGGEST_MAX),
	    span_of(word, SUGGEST_MAX + 1)), SIZE_MAX);
}
END_TEST

struct word_row {
	const char	*text;
	const char	*nearest;	/* NULL: none */
};

static const struct word_row word_rows[] = {
	{"timout", "timeouts"},
	{"server_conections", "server_connections"},
	{"servers_queue", "server_queue"},
	{"SERVERS", "servers"},
	{"server", "servers"},
	{"port", NULL},
	{"", NULL},
	{"x", NULL},
};

START_TEST(the_nearest_word_is_offered_if_near_enough)
{
	static const char *const known[] = {
		"servers", "timeouts", "server_connections", "server_queue",
		"hash", "on_down",
	};
	const struct word_row *row = &word_rows[_i];
	struct suggest suggest = {.text = span_str(row->text)};

	for (size_t i = 0; i < LENGTH(known); i++)
		suggest_offer(&suggest, known[i]);
	ck_assert_pstr_eq(suggest.nearest, row->nearest);
}
END_TEST

START_TEST(the_order_of_the_words_does_not_matter)
{
	struct suggest near_first = {.text = span_str("servrs")};
	struct suggest far_first = near_first;

	suggest_offer(&near_first, "servers");
	suggest_offer(&near_first, "server");
	ck_assert_str_eq(near_first.nearest, "servers");
	ck_assert_uint_eq(near_first.distance, 1);
	suggest_offer(&far_first, "server");
	ck_assert_str_eq(far_first.nearest, "server");
	suggest_offer(&far_first, "servers");
	ck_assert_str_eq(far_first.nearest, "servers");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("suggest");

	tcase_add_loop_test(tc, steps_are_counted_both_ways, 0,
	    LENGTH(distance_rows));
	tcase_add_test(tc, long_words_are_not_compared);
	tcase_add_loop_test(tc, the_nearest_word_is_offered_if_near_enough, 0,
	    LENGTH(word_rows));
	tcase_add_test(tc, the_order_of_the_words_does_not_matter);
	return run_case("suggest", tc);
}
