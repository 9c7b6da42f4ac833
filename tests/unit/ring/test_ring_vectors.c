/* The native ring against the golden vectors. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

/* Every column of poise.tsv that a ring of points decided. */
START_TEST(poise_rings_are_reproduced)
{
	struct vectors *v = vectors_read("poise.tsv");
	size_t cases = 0, looked_up = 0;

	for (size_t i = 0; i < v->ncases; i++) {
		const struct vectors_case *c = &v->cases[i];
		const char *policy = vectors_option(c, "policy");
		struct placement_spec spec = {.kind = PLACEMENT_RING};

		if (strcmp(policy, "ring_hash") != 0)
			continue;
		spec.points_per_weight = (uint32_t)vectors_number(c,
		    "virtual_nodes_per_weight", 0);
		looked_up += vectors_expect(v, c, &spec);
		cases++;
	}
	ck_assert_uint_eq(cases, 18);
	ck_assert_uint_eq(looked_up, cases * 412);
	vectors_free(&v);
}
END_TEST

/* All three hashes, and keys of any bytes, by a second implementation. */
START_TEST(each_hash_is_reproduced)
{
	struct vectors *v = vectors_read("ring-hashes.tsv");
	size_t looked_up = 0;

	for (size_t i = 0; i < v->ncases; i++) {
		struct placement_spec spec = {.kind = PLACEMENT_RING};
		const char *hash = vectors_option(&v->cases[i], "hash");

		ck_assert(hash_kind_by_name(span_str(hash), &spec.hash));
		for (uint8_t k = 0; k < sizeof(spec.hash_key); k++)
			spec.hash_key[k] = (uint8_t)(k + 1);
		looked_up += vectors_expect(v, &v->cases[i], &spec);
	}
	ck_assert_uint_eq(v->ncases, 18);
	ck_assert_uint_eq(looked_up, 18 * 467);
	vectors_free(&v);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ring vectors");
	TCase *tc = tcase_create("vectors");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, poise_rings_are_reproduced);
	tcase_add_test(tc, each_hash_is_reproduced);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
