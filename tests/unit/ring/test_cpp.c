/* The two rules of the C++20 note against the note's own code. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ring/cpp_bounded.h"
#include "ring/cpp_hrw.h"
#include "vectors.h"

#define NODES_MAX 64

/* The xorshift generator that made the file's random keys. */
static uint64_t
next_random(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static struct cpp_bounded *
new_ring(const struct cpp_bounded_spec *spec)
{
	enum placement_error error = PLACEMENT_OK;
	struct err err = {""};
	struct cpp_bounded *ring = cpp_bounded_new(spec, &error, &err);

	ck_assert_msg(ring != NULL, "%s", err.text);
	ck_assert_int_eq(error, PLACEMENT_OK);
	return ring;
}

static size_t
expect_bounded(const struct vectors *v, const struct vectors_case *c)
{
	struct cpp_bounded_spec spec = {
		.nodes = (uint32_t)vectors_number(c, "nodes", 0),
		.points = (uint32_t)vectors_number(c, "vnodes", 0),
		.slack = vectors_number(c, "eps", -1),
	};
	const char *keys = vectors_option(c, "keys");
	struct cpp_bounded *ring = new_ring(&spec);
	uint64_t random = UINT64_C(88172645463325252);

	for (size_t i = 0; i < v->nrows; i++) {
		const char *answer = vectors_answer(c, &v->rows[i]);
		uint64_t key = strcmp(keys, "i") == 0 ? i : 42;
		uint32_t node;

		random = next_random(random);
		if (strcmp(keys, "xorshift") == 0)
			key = random;
		node = cpp_bounded_acquire(ring, key);
		ck_assert_msg(node == strtoul(answer, NULL, 10),
		    "case %s, line %zu: %u, not %s", c->name, v->rows[i].line,
		    node, answer);
	}
	cpp_bounded_free(&ring);
	ck_assert_ptr_null(ring);
	return v->nrows;
}

START_TEST(the_notes_ring_is_reproduced)
{
	struct vectors *v = vectors_read("cpp-bounded-ring.tsv");
	size_t compared = 0;

	for (size_t i = 0; i < v->ncases; i++)
		compared += expect_bounded(v, &v->cases[i]);
	ck_assert_uint_eq(compared, 24000);
	vectors_free(&v);
}
END_TEST

static size_t
expect_hrw(const struct vectors *v, const struct vectors_case *c)
{
	uint32_t nodes[NODES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < v->nnodes; i++) {
		if (strcmp(v->nodes[i].membership, c->membership) != 0)
			continue;
		ck_assert_uint_lt(n, NODES_MAX);
		nodes[n++] = (uint32_t)strtoul(v->nodes[i].name, NULL, 10);
	}
	for (size_t i = 0; i < v->nrows; i++) {
		uint64_t key = strtoull(v->rows[i].fields[0], NULL, 10);
		uint32_t node = cpp_hrw_select(key, nodes, n);

		ck_assert_uint_eq(node,
		    strtoul(vectors_answer(c, &v->rows[i]), NULL, 10));
	}
	return v->nrows;
}

static const struct {
	const char	*file;
	size_t		 answers;
} hrw_files[] = {{"cpp-hrw.tsv", 6000}, {"cpp-hrw-set.tsv", 1000}};

START_TEST(the_notes_rendezvous_is_reproduced)
{
	struct vectors *v = vectors_read(hrw_files[_i].file);
	size_t compared = 0;

	for (size_t i = 0; i < v->ncases; i++)
		compared += expect_hrw(v, &v->cases[i]);
	ck_assert_uint_eq(compared, hrw_files[_i].answers);
	vectors_free(&v);
}
END_TEST

START_TEST(no_nodes_give_nought)
{
	ck_assert_uint_eq(cpp_hrw_select(1, NULL, 0), 0);
}
END_TEST

/* Loads rise and fall at random; no pick passes the capacity. */
START_TEST(no_pick_passes_the_capacity)
{
	static const double slacks[] = {0, 0.1, 0.25, 1};
	struct cpp_bounded_spec spec = {7, 40, slacks[_i]};
	struct cpp_bounded *ring = new_ring(&spec);
	uint64_t random = 1, total = 0;

	for (int i = 0; i < 200000; i++) {
		uint64_t capacity = cpp_bounded_capacity(ring);
		uint32_t node;

		random = next_random(random);
		/* Few keys, so that they crowd. */
		node = cpp_bounded_acquire(ring, random >> 60);
		total++;
		/* No ck_assert here: each one is a system call. */
		if (cpp_bounded_load(ring, node) > capacity)
			ck_abort_msg("call %d: node %u above its capacity", i,
			    node);
		node = (uint32_t)(random >> 8) % 7;
		if ((random & 1) != 0 && cpp_bounded_load(ring, node) > 0) {
			cpp_bounded_release(ring, node);
			total--;
		}
	}
	for (uint32_t node = 0; node < 7; node++)
		for (; cpp_bounded_load(ring, node) > 0; total--)
			cpp_bounded_release(ring, node);
	ck_assert_uint_eq(total, 0);
	ck_assert_uint_eq(cpp_bounded_capacity(ring), 1);
	cpp_bounded_free(&ring);
}
END_TEST

START_TEST(rings_out_of_reason_are_refused)
{
	static const struct {
		struct cpp_bounded_spec	spec;
		enum placement_error	error;
	} cases[] = {
		{{0, 128, 0.25}, PLACEMENT_UNSUPPORTED},
		{{3, 0, 0.25}, PLACEMENT_UNSUPPORTED},
		{{3, 128, -0.1}, PLACEMENT_UNSUPPORTED},
		{{3, 128, 0.0 / 0.0}, PLACEMENT_UNSUPPORTED},
		{{3, 128, 1.0 / 0.0}, PLACEMENT_UNSUPPORTED},
		{{1 << 20, 2, 0.25}, PLACEMENT_STATE_CAPACITY_EXCEEDED},
		{{UINT32_MAX, UINT32_MAX, 1},
		    PLACEMENT_STATE_CAPACITY_EXCEEDED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum placement_error error = PLACEMENT_OK;
		struct err err = {""};

		ck_assert_ptr_null(cpp_bounded_new(&cases[i].spec, &error,
		    &err));
		ck_assert_int_eq(error, cases[i].error);
		ck_assert_str_ne(err.text, "");
	}
}
END_TEST

START_TEST(each_allocation_may_fail)
{
	struct cpp_bounded_spec spec = {3, 128, 0.25};
	enum placement_error error;
	struct err err;
	int64_t failed = 0;

	for (struct cpp_bounded *ring = NULL; ring == NULL; failed++) {
		error = PLACEMENT_OK;
		mem_fail_after(failed);
		ring = cpp_bounded_new(&spec, &error, &err);
		mem_fail_after(-1);
		ck_assert_int_eq(error, ring != NULL
		    ? PLACEMENT_OK
		    : PLACEMENT_STATE_CAPACITY_EXCEEDED);
		if (ring != NULL) {
			cpp_bounded_free(&ring);
			break;
		}
	}
	ck_assert_int_eq(failed, 4);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("C++ note");
	TCase *tc = tcase_create("C++ note");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, the_notes_ring_is_reproduced);
	tcase_add_loop_test(tc, the_notes_rendezvous_is_reproduced, 0, 2);
	tcase_add_test(tc, no_nodes_give_nought);
	tcase_add_loop_test(tc, no_pick_passes_the_capacity, 0, 4);
	tcase_add_test(tc, rings_out_of_reason_are_refused);
	tcase_add_test(tc, each_allocation_may_fail);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
