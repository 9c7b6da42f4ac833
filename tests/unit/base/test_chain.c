/* Chains, against plain bytes. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chain.h"
#include "base/mem.h"

#define NCHAINS	   3
#define PLAIN_ROOM 100000
#define WORK	   800	/* random things in a test */
#define IOV_MAX_   4096

/* What a chain should hold. */
struct plain {
	size_t	len;
	char	bytes[PLAIN_ROOM];
};

static struct budget budget;
static struct chain_pool pool;
static struct chain chains[NCHAINS];
static struct plain *plains;
static uint64_t random_state;

static void
set_up(void)
{
	atomic_store(&budget.limit, 64 << 20);
	chain_pool_init(&pool, &budget);
	plains = calloc(NCHAINS, sizeof(*plains));
	ck_assert_ptr_nonnull(plains);
	for (size_t i = 0; i < NCHAINS; i++)
		chain_init(&chains[i]);
}

static void
tear_down(void)
{
	for (size_t i = 0; i < NCHAINS; i++)
		chain_clear(&chains[i], &pool);
	chain_pool_fini(&pool);
	ck_assert_uint_eq(atomic_load(&budget.used), 0);
	free(plains);
}

/* xorshift64. */
static uint32_t
draw(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 16) % below);
}

static void
expect(const struct chain *chain, struct span bytes)
{
	struct iovec iov[IOV_MAX_];
	int n = chain_iov(chain, iov, IOV_MAX_);
	size_t at = 0;

	ck_assert_uint_eq(chain->len, bytes.len);
	for (int i = 0; i < n; i++) {
		ck_assert_uint_gt(iov[i].iov_len, 0);
		ck_assert_uint_le(at + iov[i].iov_len, bytes.len);
		ck_assert_mem_eq(iov[i].iov_base, bytes.p + at,
		    iov[i].iov_len);
		at += iov[i].iov_len;
	}
	ck_assert_uint_eq(at, bytes.len);
}

static int
count_segs(const struct chain *chain)
{
	struct iovec iov[IOV_MAX_];

	return chain_iov(chain, iov, IOV_MAX_);
}

static struct block *
block_of(size_t len, char letter)
{
	struct block *block = block_new_sized(&pool.blocks, len);

	ck_assert_ptr_nonnull(block);
	memset(block->data, letter, len);
	block->used = len;
	return block;
}

static void
copy(struct chain *chain, const char *text)
{
	ck_assert(chain_copy(chain, &pool, span_str(text)));
}

START_TEST(small_pieces_are_copied_together)
{
	copy(&chains[0], "one ");
	copy(&chains[0], "");
	copy(&chains[0], "two");
	expect(&chains[0], span_str("one two"));
	ck_assert_int_eq(count_segs(&chains[0]), 1);
}
END_TEST

START_TEST(few_bytes_of_a_block_are_copied_and_many_shared)
{
	struct block *block = block_of(CHAIN_SHARE_MIN, 'b');

	ck_assert(chain_add(&chains[0], &pool, block,
	    span_of(block->data, CHAIN_SHARE_MIN - 1)));
	ck_assert_uint_eq(block->refs, 1);
	ck_assert(chain_add(&chains[0], &pool, block,
	    span_of(block->data, CHAIN_SHARE_MIN)));
	ck_assert_uint_eq(block->refs, 2);
	block_unref(&block);
	ck_assert_uint_eq(chains[0].len, 2 * CHAIN_SHARE_MIN - 1);
}
END_TEST

START_TEST(nothing_is_copied_behind_what_is_shared)
{
	struct block *block = block_of(CHAIN_SHARE_MIN, 'b');
	struct span bytes = span_of(block->data, CHAIN_SHARE_MIN);

	ck_assert(chain_add(&chains[0], &pool, block, bytes));
	copy(&chains[0], "x");
	ck_assert_int_eq(count_segs(&chains[0]), 2);
	ck_assert_uint_eq(block->used, CHAIN_SHARE_MIN);
	block_unref(&block);
}
END_TEST

static void
pack(struct chain *chain, const char *text)
{
	ck_assert(chain_pack(chain, &pool, span_str(text)));
}

START_TEST(small_pieces_of_many_chains_are_packed_in_one_block)
{
	struct chain many[100];
	char text[16];

	for (int i = 0; i < 100; i++) {
		chain_init(&many[i]);
		snprintf(text, sizeof(text), "piece %d", i);
		pack(&many[i], text);
	}
	ck_assert_uint_eq(atomic_load(&budget.used), BLOCK_SMALL_SIZE);
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "piece %d", i);
		expect(&many[i], span_str(text));
		chain_clear(&many[i], &pool);
	}
	/* Nothing is in it any more: it is used again, or given back. */
	pack(&chains[0], "again");
	ck_assert_uint_eq(atomic_load(&budget.used), BLOCK_SMALL_SIZE);
	chain_clear(&chains[0], &pool);
	ck_assert(chain_pool_has_spare(&pool));
	chain_pool_trim(&pool);
	chain_pool_trim(&pool);
	ck_assert_uint_eq(atomic_load(&budget.used), 0);
}
END_TEST

START_TEST(what_is_packed_is_not_written_behind_or_cut_into)
{
	pack(&chains[0], "one");
	copy(&chains[0], "+copied");
	pack(&chains[1], "two");
	chain_cut(&chains[1], 1, &pool);
	pack(&chains[2], "three");
	pack(&chains[1], "w");
	expect(&chains[0], span_str("one+copied"));
	expect(&chains[1], span_str("tw"));
	expect(&chains[2], span_str("three"));
}
END_TEST

START_TEST(a_move_leaves_the_source_empty_and_usable)
{
	copy(&chains[0], "a");
	chain_move(&chains[0], &chains[1], &pool);
	expect(&chains[0], span_str("a"));
	copy(&chains[1], "b");
	chain_move(&chains[0], &chains[1], &pool);
	expect(&chains[0], span_str("ab"));
	expect(&chains[1], span_str(""));
	copy(&chains[1], "c");
	expect(&chains[1], span_str("c"));
	chain_move(&chains[2], &chains[0], &pool);
	expect(&chains[2], span_str("ab"));
	copy(&chains[2], "d");
	expect(&chains[2], span_str("abd"));
}
END_TEST

START_TEST(many_small_moves_share_their_blocks)
{
	for (int i = 0; i < 100; i++) {
		copy(&chains[1], "0123456789");
		chain_move(&chains[0], &chains[1], &pool);
	}
	ck_assert_uint_eq(chains[0].len, 1000);
	ck_assert_int_eq(count_segs(&chains[0]), 1);
}
END_TEST

START_TEST(a_part_moves_in_order)
{
	copy(&chains[0], "hello");
	ck_assert(chain_move_n(&chains[1], &chains[0], 2, &pool));
	expect(&chains[1], span_str("he"));
	expect(&chains[0], span_str("llo"));
	ck_assert(chain_move_n(&chains[1], &chains[0], 0, &pool));
	ck_assert(chain_move_n(&chains[1], &chains[0], 3, &pool));
	expect(&chains[1], span_str("hello"));
	expect(&chains[0], span_str(""));
}
END_TEST

START_TEST(a_cut_tail_may_be_written_again)
{
	copy(&chains[0], "hello");
	chain_cut(&chains[0], 2, &pool);
	expect(&chains[0], span_str("he"));
	copy(&chains[0], "aven");
	expect(&chains[0], span_str("heaven"));
	ck_assert_int_eq(count_segs(&chains[0]), 1);
	chain_cut(&chains[0], 0, &pool);
	expect(&chains[0], span_str(""));
	copy(&chains[0], "x");
	expect(&chains[0], span_str("x"));
}
END_TEST

START_TEST(a_cut_of_what_is_shared_changes_nobody_else)
{
	struct block *block = block_of(2 * CHAIN_SHARE_MIN, 'b');
	struct span bytes = span_of(block->data, 2 * CHAIN_SHARE_MIN);

	ck_assert(chain_add(&chains[0], &pool, block, bytes));
	ck_assert(chain_add(&chains[1], &pool, block, bytes));
	chain_cut(&chains[0], 5, &pool);
	copy(&chains[0], "xyz");
	expect(&chains[1], bytes);
	expect(&chains[0], span_str("bbbbbxyz"));
	block_unref(&block);
}
END_TEST

START_TEST(an_end_of_ones_own_may_be_written_over)
{
	struct block *block = block_of(CHAIN_SHARE_MIN, 'b');
	struct span bytes = span_of(block->data, CHAIN_SHARE_MIN);

	ck_assert(!chain_rewrite_end(&chains[0], 0, bytes));
	ck_assert(chain_add(&chains[0], &pool, block, bytes));
	ck_assert(!chain_rewrite_end(&chains[0], 1, span_str("x")));
	copy(&chains[1], "get a\r\n");
	ck_assert(!chain_rewrite_end(&chains[1], 8, bytes));
	ck_assert(!chain_rewrite_end(&chains[1], 2, bytes));
	ck_assert(chain_rewrite_end(&chains[1], 2, span_str(" b\r\n")));
	copy(&chains[1], "!");
	expect(&chains[0], bytes);
	copy(&chains[0], "get a\r\n");
	ck_assert(!chain_rewrite_end(&chains[0], 8, span_str("x")));
	expect(&chains[1], span_str("get a b\r\n!"));
	block_unref(&block);
}
END_TEST

START_TEST(pieces_are_described_up_to_a_number)
{
	struct block *block = block_of(CHAIN_SHARE_MIN, 'b');
	struct span bytes = span_of(block->data, CHAIN_SHARE_MIN);
	struct iovec iov[2];

	ck_assert_int_eq(chain_iov(&chains[0], iov, 2), 0);
	for (int i = 0; i < 3; i++)
		ck_assert(chain_add(&chains[0], &pool, block, bytes));
	ck_assert_int_eq(chain_iov(&chains[0], iov, 2), 2);
	ck_assert_int_eq(count_segs(&chains[0]), 3);
	block_unref(&block);
}
END_TEST

START_TEST(a_trim_leaves_chains_alone)
{
	copy(&chains[0], "kept");
	copy(&chains[1], "dropped");
	chain_clear(&chains[1], &pool);
	ck_assert(chain_pool_has_spare(&pool));
	chain_pool_trim(&pool);
	chain_pool_trim(&pool);
	ck_assert(!chain_pool_has_spare(&pool));
	expect(&chains[0], span_str("kept"));
}
END_TEST

/* Appends the same random bytes to both; false: there was no memory. */
static bool
add_random(size_t i)
{
	static const uint32_t lens[] = {40, 5000, 20000};
	size_t len = draw(lens[draw(3)]), from;
	struct plain *plain = &plains[i];
	struct block *block;
	bool is_added;

	if (plain->len + len > PLAIN_ROOM)
		return true;
	from = draw(100);
	block = block_new_sized(&pool.blocks, from + len + draw(100));
	if (block == NULL)
		return false;
	block->used = block->cap;
	for (size_t k = 0; k < from + len; k++)
		block->data[k] = (char)draw(256);
	if (draw(3) == 0)
		is_added = chain_copy(&chains[i], &pool,
		    span_of(block->data + from, len));
	else if (draw(2) == 0)
		is_added = chain_pack(&chains[i], &pool,
		    span_of(block->data + from, len));
	else
		is_added = chain_add(&chains[i], &pool, block,
		    span_of(block->data + from, len));
	if (is_added) {
		memcpy(plain->bytes + plain->len, block->data + from, len);
		plain->len += len;
	}
	block_unref(&block);
	return is_added;
}

static void
plain_drop(struct plain *plain, size_t n)
{
	plain->len -= n;
	memmove(plain->bytes, plain->bytes + n, plain->len);
}

static void
plain_move(struct plain *to, struct plain *from, size_t n)
{
	memcpy(to->bytes + to->len, from->bytes, n);
	to->len += n;
	plain_drop(from, n);
}

static bool
move_random(size_t to, size_t from)
{
	size_t n = plains[from].len, before = chains[from].len;
	bool is_moved;

	if (to == from || plains[to].len + n > PLAIN_ROOM)
		return true;
	if (draw(2) == 0) {
		chain_move(&chains[to], &chains[from], &pool);
		plain_move(&plains[to], &plains[from], n);
		return true;
	}
	n = draw((uint32_t)n + 1);
	is_moved = chain_move_n(&chains[to], &chains[from], n, &pool);
	if (is_moved)
		ck_assert_uint_eq(before - chains[from].len, n);
	/* For want of memory some may have stayed, but none is lost. */
	plain_move(&plains[to], &plains[from], before - chains[from].len);
	return is_moved;
}

/* Random work; false: some of it was refused for want of memory. */
static bool
do_random_thing(void)
{
	size_t i = draw(NCHAINS), other = draw(NCHAINS);
	struct plain *plain = &plains[i];
	size_t n = draw((uint32_t)plain->len + 1);

	switch (draw(6)) {
	case 0:
	case 1:
	case 2:
		return add_random(i);
	case 3:
		return move_random(i, other);
	case 4:
		chain_drop(&chains[i], n, &pool);
		plain_drop(plain, n);
		return true;
	case 5:
		chain_cut(&chains[i], n, &pool);
		plain->len = n;
		return true;
	default:
		ck_abort_msg("no such thing");
	}
}

static void
expect_all(void)
{
	for (size_t i = 0; i < NCHAINS; i++)
		expect(&chains[i], span_of(plains[i].bytes, plains[i].len));
}

START_TEST(random_work_is_as_with_plain_bytes)
{
	random_state = 88172645463325252u + (uint64_t)_i;
	for (int n = 0; n < WORK; n++) {
		ck_assert(do_random_thing());
		expect_all();
		if (n % 64 == 0)
			chain_pool_trim(&pool);
	}
}
END_TEST

START_TEST(random_failures_leave_chains_as_they_were)
{
	unsigned nrefused = 0;

	random_state = 1181783497276652981u + (uint64_t)_i;
	for (int n = 0; n < WORK; n++) {
		mem_fail_after(draw(4));
		nrefused += !do_random_thing();
		mem_fail_after(-1);
		expect_all();
		/* Nothing waits, so that memory is asked for. */
		if (n % 2 == 0) {
			chain_pool_trim(&pool);
			chain_pool_trim(&pool);
		}
	}
	ck_assert_uint_gt(nrefused, 10);
}
END_TEST

START_TEST(a_spent_budget_leaves_chains_as_they_were)
{
	unsigned nrefused = 0;

	random_state = 2545345u + (uint64_t)_i;
	for (int n = 0; n < WORK; n++) {
		atomic_store(&budget.limit, draw(1 << 18));
		nrefused += !do_random_thing();
		expect_all();
		if (n % 2 == 0) {
			chain_pool_trim(&pool);
			chain_pool_trim(&pool);
		}
	}
	ck_assert_uint_gt(nrefused, 10);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("chain");
	TCase *tc = tcase_create("chain");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, small_pieces_are_copied_together);
	tcase_add_test(tc, few_bytes_of_a_block_are_copied_and_many_shared);
	tcase_add_test(tc, nothing_is_copied_behind_what_is_shared);
	tcase_add_test(tc,
	    small_pieces_of_many_chains_are_packed_in_one_block);
	tcase_add_test(tc,
	    what_is_packed_is_not_written_behind_or_cut_into);
	tcase_add_test(tc, a_move_leaves_the_source_empty_and_usable);
	tcase_add_test(tc, many_small_moves_share_their_blocks);
	tcase_add_test(tc, a_part_moves_in_order);
	tcase_add_test(tc, a_cut_tail_may_be_written_again);
	tcase_add_test(tc, a_cut_of_what_is_shared_changes_nobody_else);
	tcase_add_test(tc, an_end_of_ones_own_may_be_written_over);
	tcase_add_test(tc, pieces_are_described_up_to_a_number);
	tcase_add_test(tc, a_trim_leaves_chains_alone);
	tcase_add_loop_test(tc, random_work_is_as_with_plain_bytes, 0, 5);
	tcase_add_loop_test(tc, random_failures_leave_chains_as_they_were, 0,
	    5);
	tcase_add_loop_test(tc, a_spent_budget_leaves_chains_as_they_were, 0,
	    5);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
