/* Blocks, their pools and the budget. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/mem.h"

#define SMALL_CAP (BLOCK_SMALL_SIZE - sizeof(struct block))
#define LARGE_CAP (BLOCK_LARGE_SIZE - sizeof(struct block))

static struct budget budget;
static struct block_pool pool;

static void
set_up(void)
{
	atomic_store(&budget.limit, 1 << 20);
	block_pool_init(&pool, &budget);
}

static void
tear_down(void)
{
	block_pool_fini(&pool);
	ck_assert_uint_eq(atomic_load(&budget.used), 0);
}

static struct block *
get(enum block_class class)
{
	struct block *block = block_new(&pool, class);

	ck_assert_ptr_nonnull(block);
	ck_assert_uint_eq(block->used, 0);
	ck_assert_uint_eq(block->refs, 1);
	ck_assert_uint_eq(block_room(block), block->cap);
	/* All of it can be written; a sanitizer watches. */
	memset(block->data, 'x', block->cap);
	return block;
}

START_TEST(a_block_fills_its_class_with_its_header)
{
	struct block *small = get(BLOCK_SMALL), *large = get(BLOCK_LARGE);
	struct block *huge = get(BLOCK_HUGE);
	size_t all = BLOCK_SMALL_SIZE + BLOCK_LARGE_SIZE + BLOCK_HUGE_SIZE;

	ck_assert_uint_eq(small->cap, SMALL_CAP);
	ck_assert_uint_eq(large->cap, LARGE_CAP);
	ck_assert_uint_eq(huge->cap, BLOCK_HUGE_SIZE - sizeof(*huge));
	ck_assert_uint_eq(atomic_load(&budget.used), all);
	block_unref(&huge);
	/* What waits still counts. */
	ck_assert_uint_eq(atomic_load(&budget.used), all);
	ck_assert(block_pool_has_spare(&pool));
	block_unref(&small);
	block_unref(&large);
	ck_assert_ptr_null(small);
	ck_assert_uint_eq(atomic_load(&budget.used), all);
}
END_TEST

START_TEST(a_block_lives_until_its_last_reference)
{
	struct block *block = get(BLOCK_SMALL), *other;
	struct block *again = block_ref(block);

	block_unref(&again);
	ck_assert(!block_pool_has_spare(&pool));
	other = get(BLOCK_SMALL);
	ck_assert_ptr_ne(block, other);
	block_unref(&block);
	ck_assert(block_pool_has_spare(&pool));
	block_unref(&other);
}
END_TEST

START_TEST(a_waiting_block_is_used_first_and_comes_back_empty)
{
	struct block *block = get(BLOCK_SMALL), *again;

	block->used = 100;
	again = block;
	block_unref(&block);
	block = get(BLOCK_SMALL);
	ck_assert_ptr_eq(block, again);
	ck_assert(!block_pool_has_spare(&pool));
	block_unref(&block);
}
END_TEST

static const struct {
	size_t		 size;
	enum block_class class;
} sizes[] = {
	{1, BLOCK_SMALL},
	{SMALL_CAP, BLOCK_SMALL},
	{SMALL_CAP + 1, BLOCK_LARGE},
	{LARGE_CAP, BLOCK_LARGE},
	{LARGE_CAP + 1, BLOCK_ODD},
	{500000, BLOCK_ODD},
};

START_TEST(a_sized_block_is_of_the_least_class_that_holds_it)
{
	struct block *block = block_new_sized(&pool, sizes[_i].size);

	ck_assert_ptr_nonnull(block);
	ck_assert_int_eq(block->class, sizes[_i].class);
	ck_assert_uint_ge(block->cap, sizes[_i].size);
	memset(block->data, 'x', block->cap);
	block_unref(&block);
	/* An odd one never waits. */
	ck_assert_int_eq(block_pool_has_spare(&pool),
	    sizes[_i].class != BLOCK_ODD);
}
END_TEST

START_TEST(no_size_overflows)
{
	ck_assert_ptr_null(block_new_sized(&pool, SIZE_MAX));
	ck_assert_ptr_null(block_new_sized(&pool,
	    SIZE_MAX - sizeof(struct block)));
	ck_assert_uint_eq(atomic_load(&budget.used), 0);
}
END_TEST

START_TEST(the_budget_is_kept_to_the_byte)
{
	struct block *block;

	atomic_store(&budget.limit, BLOCK_SMALL_SIZE - 1);
	ck_assert_ptr_null(block_new(&pool, BLOCK_SMALL));
	ck_assert_uint_eq(atomic_load(&budget.used), 0);
	atomic_store(&budget.limit, BLOCK_SMALL_SIZE);
	block = get(BLOCK_SMALL);
	ck_assert_ptr_null(block_new(&pool, BLOCK_SMALL));
	ck_assert_uint_eq(atomic_load(&budget.used), BLOCK_SMALL_SIZE);
	/* A lower limit takes nothing away, and what waits may be used. */
	atomic_store(&budget.limit, 0);
	block_unref(&block);
	block = get(BLOCK_SMALL);
	block_unref(&block);
}
END_TEST

START_TEST(a_budget_is_tight_at_its_last_eighth_and_spent_at_its_end)
{
	static const struct {
		uint64_t	used;
		bool		is_tight;
		bool		is_spent;
	} rows[] = {
		{0, false, false}, {700, false, false}, {701, true, false},
		{799, true, false}, {800, true, true}, {900, true, true},
	};

	atomic_store(&budget.limit, 800);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		atomic_store(&budget.used, rows[i].used);
		ck_assert_int_eq(budget_is_tight(&budget), rows[i].is_tight);
		ck_assert_int_eq(budget_is_spent(&budget), rows[i].is_spent);
	}
	atomic_store(&budget.used, 0);
}
END_TEST

START_TEST(what_must_go_on_may_pass_the_budget_and_counts)
{
	struct block *block;

	atomic_store(&budget.limit, 0);
	block = block_new_past(&pool, BLOCK_LARGE);
	ck_assert_ptr_nonnull(block);
	ck_assert_uint_eq(atomic_load(&budget.used), BLOCK_LARGE_SIZE);
	block_unref(&block);
	mem_fail_after(0);
	/* One that waits is taken first. */
	block = block_new_past(&pool, BLOCK_LARGE);
	ck_assert(!mem_has_failed());
	ck_assert_ptr_nonnull(block);
	ck_assert_ptr_null(block_new_past(&pool, BLOCK_LARGE));
	mem_fail_after(-1);
	ck_assert_uint_eq(atomic_load(&budget.used), BLOCK_LARGE_SIZE);
	block_unref(&block);
}
END_TEST

START_TEST(an_emptied_pool_has_given_all_back)
{
	struct block *small = get(BLOCK_SMALL), *large = get(BLOCK_LARGE);
	struct block *kept = get(BLOCK_SMALL);

	block_unref(&small);
	block_unref(&large);
	block_pool_empty(&pool);
	ck_assert_uint_eq(atomic_load(&budget.used), BLOCK_SMALL_SIZE);
	ck_assert(!block_pool_has_spare(&pool));
	block_unref(&kept);
}
END_TEST

START_TEST(pools_share_one_budget)
{
	struct block_pool other;
	struct block *block, *theirs;

	block_pool_init(&other, &budget);
	atomic_store(&budget.limit, BLOCK_SMALL_SIZE);
	block = get(BLOCK_SMALL);
	ck_assert_ptr_null(block_new(&other, BLOCK_SMALL));
	block_unref(&block);
	/* It waits in its own pool, until that is trimmed. */
	ck_assert_ptr_null(block_new(&other, BLOCK_SMALL));
	block_pool_trim(&pool);
	block_pool_trim(&pool);
	theirs = block_new(&other, BLOCK_SMALL);
	ck_assert_ptr_nonnull(theirs);
	block_unref(&theirs);
	block_pool_fini(&other);
}
END_TEST

START_TEST(a_failed_allocation_costs_no_budget)
{
	mem_fail_after(0);
	ck_assert_ptr_null(block_new(&pool, BLOCK_LARGE));
	mem_fail_after(-1);
	ck_assert_uint_eq(atomic_load(&budget.used), 0);
	mem_fail_after(0);
	ck_assert_ptr_null(block_new_sized(&pool, 100000));
	mem_fail_after(-1);
	ck_assert_uint_eq(atomic_load(&budget.used), 0);
}
END_TEST

START_TEST(a_trim_gives_back_what_nobody_needed_since_the_last)
{
	struct block *blocks[10];

	for (int i = 0; i < 10; i++)
		blocks[i] = get(BLOCK_SMALL);
	for (int i = 0; i < 10; i++)
		block_unref(&blocks[i]);
	block_pool_trim(&pool);
	/* Four of the ten are in use at a time from now on. */
	for (int i = 0; i < 4; i++)
		blocks[i] = get(BLOCK_SMALL);
	for (int i = 0; i < 4; i++)
		block_unref(&blocks[i]);
	block_pool_trim(&pool);
	ck_assert_uint_eq(atomic_load(&budget.used), 4 * BLOCK_SMALL_SIZE);
	block_pool_trim(&pool);
	ck_assert_uint_eq(atomic_load(&budget.used), 0);
	ck_assert(!block_pool_has_spare(&pool));
}
END_TEST

START_TEST(no_more_blocks_wait_than_a_pool_keeps)
{
	enum { MANY = 1200 };
	struct block **blocks = calloc(MANY, sizeof(*blocks));

	ck_assert_ptr_nonnull(blocks);
	atomic_store(&budget.limit, (uint64_t)MANY * BLOCK_SMALL_SIZE);
	for (int i = 0; i < MANY; i++)
		blocks[i] = get(BLOCK_SMALL);
	for (int i = 0; i < MANY; i++)
		block_unref(&blocks[i]);
	ck_assert_uint_eq(atomic_load(&budget.used), 1024 * BLOCK_SMALL_SIZE);
	free(blocks);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("block");
	TCase *tc = tcase_create("block");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, a_block_fills_its_class_with_its_header);
	tcase_add_test(tc, a_block_lives_until_its_last_reference);
	tcase_add_test(tc,
	    a_waiting_block_is_used_first_and_comes_back_empty);
	tcase_add_loop_test(tc,
	    a_sized_block_is_of_the_least_class_that_holds_it, 0,
	    sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_test(tc, no_size_overflows);
	tcase_add_test(tc, the_budget_is_kept_to_the_byte);
	tcase_add_test(tc,
	    a_budget_is_tight_at_its_last_eighth_and_spent_at_its_end);
	tcase_add_test(tc, what_must_go_on_may_pass_the_budget_and_counts);
	tcase_add_test(tc, an_emptied_pool_has_given_all_back);
	tcase_add_test(tc, pools_share_one_budget);
	tcase_add_test(tc, a_failed_allocation_costs_no_budget);
	tcase_add_test(tc,
	    a_trim_gives_back_what_nobody_needed_since_the_last);
	tcase_add_test(tc, no_more_blocks_wait_than_a_pool_keeps);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
