/* Memory that is freed all at once. */
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "conf/arena.h"
#include "support.h"

START_TEST(pieces_are_zeroed_aligned_and_apart)
{
	static unsigned char zeroes[3000], marks[3000];
	struct arena *arena = arena_new();
	unsigned char *last = NULL;

	memset(marks, 0xee, sizeof(marks));
	for (size_t size = 1; size < 3000; size += 7) {
		unsigned char *p = arena_alloc(arena, 1, size);

		ck_assert_ptr_nonnull(p);
		ck_assert_uint_eq((uintptr_t)p % alignof(max_align_t), 0);
		ck_assert_mem_eq(p, zeroes, size);
		memset(p, 0xff, size);
		/* The piece before is untouched by this one's bytes. */
		if (last != NULL)
			ck_assert_mem_eq(last, marks, size - 7);
		memset(p, 0xee, size);
		last = p;
	}
	arena_free(&arena);
	ck_assert_ptr_null(arena);
	arena_free(&arena);
}
END_TEST

START_TEST(a_wish_larger_than_a_block_is_met)
{
	struct arena *arena = arena_new();
	unsigned char *p = arena_alloc(arena, 1000, 1000);

	ck_assert_ptr_nonnull(p);
	ck_assert_uint_eq(p[999999], 0);
	p[999999] = 1;
	arena_free(&arena);
}
END_TEST

START_TEST(an_impossible_wish_is_refused)
{
	struct arena *arena = arena_new();

	ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX / 2, 3));
	ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX, 1));
	ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX - 32, 1));
	ck_assert_ptr_null(arena_copy(arena, span_of("", SIZE_MAX)));
	arena_free(&arena);
}
END_TEST

START_TEST(copies_are_terminated)
{
	struct arena *arena = arena_new();
	const char *copy = arena_copy(arena, span_of("a\0bc", 3));

	ck_assert_mem_eq(copy, "a\0b\0", 4);
	ck_assert_str_eq(arena_copy(arena, span_of(NULL, 0)), "");
	ck_assert_str_eq(arena_printf(arena, "%s %d", "x", 5), "x 5");
	arena_free(&arena);
}
END_TEST

START_TEST(no_memory_is_an_answer)
{
	struct arena *arena;

	mem_fail_after(0);
	ck_assert_ptr_null(arena_new());
	arena = arena_new();
	ck_assert_ptr_nonnull(arena);
	mem_fail_after(0);
	ck_assert_ptr_null(arena_alloc(arena, 1, 1));
	mem_fail_after(0);
	ck_assert_ptr_null(arena_copy(arena, span_str("x")));
	mem_fail_after(0);
	ck_assert_ptr_null(arena_printf(arena, "x"));
	/* It is still good for the next wish. */
	ck_assert_str_eq(arena_printf(arena, "x"), "x");
	arena_free(&arena);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("arena");

	tcase_add_test(tc, pieces_are_zeroed_aligned_and_apart);
	tcase_add_test(tc, a_wish_larger_than_a_block_is_met);
	tcase_add_test(tc, an_impossible_wish_is_refused);
	tcase_add_test(tc, copies_are_terminated);
	tcase_add_test(tc, no_memory_is_an_answer);
	return run_case("arena", tc);
}
