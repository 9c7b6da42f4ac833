/* The native modula. */
#include <check.h>
#include <stdlib.h>

#include "expect.h"
#include "members.h"

/* Expected owners were computed from the rule by another program. */
START_TEST(keys_keep_their_slots)
{
	static const struct {
		const char	*key;
		uint32_t	 owner;
	} cases[] = {
		{"", 1},
		{"a", 1},
		{"b", 1},
		{"user:1000", 0},
		{"user:1001", 1},
		{"key-0", 1},
		{"key-1", 2},
		{"session:abcdef0123456789", 1},
		{"a3f10000", 2},
		{"\320\272\320\273\321\216\321\207", 1},
		{"\377", 1},
	};
	struct placement_spec spec = {.kind = PLACEMENT_MODULA};
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 2),
		expect_server("c:1", "c", 1, 3),
	};
	struct placement *p = expect_built(&spec, servers, 3);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(placement_owner(p, span_str(cases[i].key)),
		    cases[i].owner);
	placement_free(&p);
}
END_TEST

/* [1, 2, 3] and [100, 200, 300] are the same, in memory, too. */
START_TEST(weights_count_by_their_proportion)
{
	static struct members small, large;
	struct placement_spec spec = {.kind = PLACEMENT_MODULA};
	struct placement *a, *b;

	members_fill(&small, "s", 3);
	members_fill(&large, "s", 3);
	for (size_t i = 0; i < 3; i++) {
		small.servers[i].weight = (double)(i + 1);
		large.servers[i].weight = 100 * (double)(i + 1);
	}
	a = members_build(&small, &spec);
	b = members_build(&large, &spec);
	ck_assert(expect_same_owners(a, b));
	ck_assert_uint_eq(placement_points(a), 6);
	ck_assert_uint_eq(placement_points(b), 6);
	ck_assert_uint_eq(placement_server_points(b, 2), 3);
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(each_of_the_three_hashes_is_taken)
{
	static struct members m;
	struct placement_spec spec = {.kind = PLACEMENT_MODULA};
	struct placement *a, *b, *c;

	members_fill(&m, "s", 10);
	a = members_build(&m, &spec);
	spec.hash = HASH_XXH3;
	b = members_build(&m, &spec);
	spec.hash = HASH_SIPHASH;
	spec.hash_key[0] = 1;
	c = members_build(&m, &spec);
	ck_assert(!expect_same_owners(a, b));
	ck_assert(!expect_same_owners(a, c));
	ck_assert(!expect_same_owners(b, c));
	placement_free(&a);
	placement_free(&b);
	placement_free(&c);
}
END_TEST

START_TEST(what_the_rule_does_not_take_is_refused)
{
	struct placement_spec spec = {.kind = PLACEMENT_MODULA};
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 0.5),
	};

	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "whole weights");
	servers[1].weight = 1e6;
	spec.max_points = 1000000;
	expect_refused(&spec, servers, 2, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    "1000001 slots, max_points is 1000000");
	servers[1].weight = 1e300;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "whole weights from 1 to 4294967296");
	servers[1].weight = 1;
	spec.hash = HASH_MD5;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "md5");
	spec.hash = HASH_DEFAULT;
	spec.points_per_weight = 3;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "points_per_weight");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("modula");
	TCase *tc = tcase_create("modula");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, keys_keep_their_slots);
	tcase_add_test(tc, weights_count_by_their_proportion);
	tcase_add_test(tc, each_of_the_three_hashes_is_taken);
	tcase_add_test(tc, what_the_rule_does_not_take_is_refused);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
