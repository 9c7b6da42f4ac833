/* Stage and commit: the last valid placement stays. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"
#include "members.h"
#include "ring/ring_state.h"

static const struct placement_spec plain = {.kind = PLACEMENT_RING};

static enum ring_stage
stage(struct ring_state *st, const struct members *m,
    enum placement_error *error_r)
{
	struct err err;

	return ring_state_stage(st, &plain, m->servers, m->n, error_r, &err);
}

/* A state with `n` servers in force. */
static struct ring_state *
state_of(struct members *m, size_t n)
{
	struct ring_state *st = ring_state_new();
	enum placement_error error;

	ck_assert_ptr_nonnull(st);
	members_fill(m, "cache", n);
	ck_assert_int_eq(stage(st, m, &error), RING_STAGE_READY);
	ck_assert_int_eq(error, PLACEMENT_OK);
	ck_assert_uint_eq(ring_state_commit(st)->nadded, n);
	return st;
}

START_TEST(nothing_is_in_force_before_the_first_commit)
{
	static struct members m;
	struct ring_state *st = ring_state_new();
	enum placement_error error;

	ck_assert_ptr_nonnull(st);
	ck_assert_ptr_null(ring_state_current(st));
	ck_assert_uint_eq(ring_state_generation(st), 0);
	members_fill(&m, "cache", 0);
	ck_assert_int_eq(stage(st, &m, &error), RING_STAGE_FAILED);
	ck_assert_int_eq(error, PLACEMENT_NO_SERVERS);
	ck_assert_ptr_null(ring_state_current(st));
	members_fill(&m, "cache", 3);
	ck_assert_int_eq(stage(st, &m, &error), RING_STAGE_READY);
	ck_assert_ptr_null(ring_state_current(st));
	ring_state_commit(st);
	ck_assert_uint_eq(placement_servers(ring_state_current(st)), 3);
	ck_assert_uint_eq(ring_state_generation(st), 1);
	ring_state_free(&st);
	ck_assert_ptr_null(st);
	ring_state_free(&st);
}
END_TEST

START_TEST(staging_changes_nothing_until_commit)
{
	static struct members m;
	struct ring_state *st = state_of(&m, 3);
	const struct placement *current = ring_state_current(st);
	enum placement_error error;
	const struct ring_update *u;

	members_add(&m, "late", 1);
	ck_assert_int_eq(stage(st, &m, &error), RING_STAGE_READY);
	ck_assert_ptr_eq(ring_state_current(st), current);
	ck_assert_uint_eq(ring_state_generation(st), 1);
	ring_state_discard(st);
	ck_assert_ptr_eq(ring_state_current(st), current);
	/* A second candidate takes the first one's place. */
	ck_assert_int_eq(stage(st, &m, &error), RING_STAGE_READY);
	members_remove(&m, 0);
	ck_assert_int_eq(stage(st, &m, &error), RING_STAGE_READY);
	u = ring_state_commit(st);
	ck_assert_uint_eq(u->nadded, 1);
	ck_assert_uint_eq(u->nremoved, 1);
	ck_assert_uint_eq(ring_state_generation(st), 2);
	ck_assert_uint_eq(placement_servers(ring_state_current(st)), 3);
	ring_state_free(&st);
}
END_TEST

START_TEST(same_identity_is_a_no_op)
{
	static struct members m;
	struct ring_state *st = state_of(&m, 5);
	const struct placement *current = ring_state_current(st);
	enum placement_error error;

	/* Nothing is built, so no memory is needed. */
	mem_fail_after(0);
	ck_assert_int_eq(stage(st, &m, &error), RING_STAGE_UNCHANGED);
	ck_assert(!mem_has_failed());
	mem_fail_after(-1);
	ck_assert_int_eq(error, PLACEMENT_OK);
	ck_assert_ptr_eq(ring_state_current(st), current);
	ck_assert_uint_eq(ring_state_generation(st), 1);
	/* It also takes back a candidate staged before. */
	m.servers[0].weight = 2;
	ck_assert_int_eq(stage(st, &m, &error), RING_STAGE_READY);
	m.servers[0].weight = 1;
	ck_assert_int_eq(stage(st, &m, &error), RING_STAGE_UNCHANGED);
	ck_assert_ptr_eq(ring_state_current(st), current);
	ring_state_free(&st);
}
END_TEST

static void
expect_failure_leaves_all(struct ring_state *st, struct members *bad,
    enum placement_error expected)
{
	const struct placement *current = ring_state_current(st);
	uint32_t owner = placement_owner(current, span_str("key"));
	uint64_t generation = ring_state_generation(st);
	enum placement_error error;

	ck_assert_int_eq(stage(st, bad, &error), RING_STAGE_FAILED);
	ck_assert_int_eq(error, expected);
	ck_assert_ptr_eq(ring_state_current(st), current);
	ck_assert_uint_eq(ring_state_generation(st), generation);
	ck_assert_uint_eq(placement_owner(current, span_str("key")), owner);
}

START_TEST(failures_leave_the_last_valid_one)
{
	static struct members m, bad;
	struct ring_state *st = state_of(&m, 5);
	enum placement_error error;

	members_fill(&bad, "cache", 6);
	members_add(&bad, "cache-3", 1);
	expect_failure_leaves_all(st, &bad, PLACEMENT_DUPLICATE_IDENTITY);
	members_fill(&bad, "cache", 6);
	bad.servers[0].weight = 1e9 + 7;
	expect_failure_leaves_all(st, &bad, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	bad.servers[0].weight = 0.5;
	expect_failure_leaves_all(st, &bad, PLACEMENT_UNSUPPORTED);
	members_fill(&bad, "cache", 0);
	expect_failure_leaves_all(st, &bad, PLACEMENT_NO_SERVERS);
	/* And the next valid membership works. */
	members_add(&m, "late", 1);
	ck_assert_int_eq(stage(st, &m, &error), RING_STAGE_READY);
	ck_assert_uint_eq(ring_state_commit(st)->nadded, 1);
	ck_assert_uint_eq(ring_state_generation(st), 2);
	ring_state_free(&st);
}
END_TEST

START_TEST(each_failing_allocation_leaves_the_last_valid_one)
{
	static struct members m;
	struct ring_state *st = state_of(&m, 20);
	const struct placement *current = ring_state_current(st);
	int64_t n;

	members_add(&m, "late", 1);
	for (n = 0;; n++) {
		enum placement_error error;
		enum ring_stage staged;

		mem_fail_after(n);
		staged = stage(st, &m, &error);
		ck_assert_ptr_eq(ring_state_current(st), current);
		if (!mem_has_failed()) {
			mem_fail_after(-1);
			ck_assert_int_eq(staged, RING_STAGE_READY);
			break;
		}
		ck_assert_int_eq(staged, RING_STAGE_FAILED);
		ck_assert_int_eq(error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	}
	ck_assert_int_gt(n, 10);
	ck_assert_uint_eq(ring_state_commit(st)->nadded, 1);
	ck_assert_uint_eq(ring_state_generation(st), 2);
	ring_state_free(&st);
	mem_fail_after(0);
	ck_assert_ptr_null(ring_state_new());
	mem_fail_after(-1);
}
END_TEST

/* A commit of what was never staged is our own bug. */
START_TEST(commit_without_a_candidate_dies)
{
	static struct members m;
	struct ring_state *st = state_of(&m, 2);

	ring_state_commit(st);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ring state");
	TCase *tc = tcase_create("state");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, nothing_is_in_force_before_the_first_commit);
	tcase_add_test(tc, staging_changes_nothing_until_commit);
	tcase_add_test(tc, same_identity_is_a_no_op);
	tcase_add_test(tc, failures_leave_the_last_valid_one);
	tcase_add_test(tc, each_failing_allocation_leaves_the_last_valid_one);
	tcase_add_test_raise_signal(tc, commit_without_a_candidate_dies,
	    SIGABRT);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
