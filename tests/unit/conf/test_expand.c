/* Variables of the environment inside scalars. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/expand.h"
#include "support.h"

struct right_row {
	const char	*text;
	const char	*expanded;
};

static const struct right_row right_rows[] = {
	{"plain", "plain"},
	{"${HOST}", "cache-a"},
	{"${HOST}:11211", "cache-a:11211"},
	{"a${HOST}b${HOST}c", "acache-abcache-ac"},
	{"${EMPTY}", ""},
	{"x${EMPTY}y", "xy"},
	{"${HOST:-other}", "cache-a"},
	{"${EMPTY:-other}", "other"},
	{"${UNSET:-other}", "other"},
	{"${UNSET:-}", ""},
	{"${UNSET:-a:-b}", "a:-b"},
	{"${UNSET:-$$}", "$$"},
	{"${_A1}", "one"},
	{"$$", "$"},
	{"$${HOST}", "${HOST}"},
	{"$$$${HOST}", "$${HOST}"},
	{"$$${HOST}", "$cache-a"},
	{"$HOST", "$HOST"},
	{"$", "$"},
	{"a$", "a$"},
	{"$ {HOST}", "$ {HOST}"},
	{"}", "}"},
	/* What a variable holds is not expanded again. */
	{"${DOLLARS}", "${HOST}$$"},
};

static void
set_variables(void)
{
	setenv("HOST", "cache-a", 1);
	setenv("EMPTY", "", 1);
	setenv("_A1", "one", 1);
	setenv("DOLLARS", "${HOST}$$", 1);
	setenv("LATIN", "caf\xe9", 1);
	unsetenv("UNSET");
}

START_TEST(variables_are_replaced)
{
	const struct right_row *row = &right_rows[_i];
	struct arena *arena = arena_new();
	struct span got;
	struct err err;

	ck_assert_int_eq(expand(span_str(row->text), arena, &got, &err),
	    EXPAND_OK);
	ck_assert_str_eq(got.p, row->expanded);
	ck_assert_uint_eq(got.len, strlen(row->expanded));
	ck_assert_int_eq(expand_is_needed(span_str(row->text)),
	    strchr(row->text, '$') != NULL);
	arena_free(&arena);
}
END_TEST

struct wrong_row {
	const char	*text;
	const char	*why;
};

static const struct wrong_row wrong_rows[] = {
	{"${UNSET}", "the variable UNSET is not set; ${UNSET:-default} would "
	    "give it a default"},
	{"a${HOST}b${UNSET}", "the variable UNSET is not set; "
	    "${UNSET:-default} would give it a default"},
	{"${", "${ has no closing }; write $$ for a dollar sign"},
	{"${HOST", "${ has no closing }; write $$ for a dollar sign"},
	{"${}", "${} does not name a variable; write ${NAME}, "
	    "${NAME:-default}, or $$ for a dollar sign"},
	{"${1A}", "${1A} does not name a variable; write ${NAME}, "
	    "${NAME:-default}, or $$ for a dollar sign"},
	{"${A-b}", "${A-b} does not name a variable; write ${NAME}, "
	    "${NAME:-default}, or $$ for a dollar sign"},
	{"${ HOST}", "${ HOST} does not name a variable; write ${NAME}, "
	    "${NAME:-default}, or $$ for a dollar sign"},
	{"${:-x}", "${:-x} does not name a variable; write ${NAME}, "
	    "${NAME:-default}, or $$ for a dollar sign"},
	{"${LATIN}", "the variable LATIN does not hold UTF-8"},
};

START_TEST(what_cannot_be_replaced_is_told)
{
	const struct wrong_row *row = &wrong_rows[_i];
	struct arena *arena = arena_new();
	struct span got;
	struct err err;

	ck_assert_int_eq(expand(span_str(row->text), arena, &got, &err),
	    EXPAND_BAD);
	ck_assert_str_eq(err.text, row->why);
	arena_free(&arena);
}
END_TEST

START_TEST(the_result_has_a_limit)
{
	struct arena *arena = arena_new();
	char *value = malloc(EXPAND_MAX + 2);
	struct span got;
	struct err err;

	memset(value, 'v', EXPAND_MAX + 1);
	value[EXPAND_MAX] = '\0';
	setenv("BIG", value, 1);
	ck_assert_int_eq(expand(span_str("${BIG}"), arena, &got, &err),
	    EXPAND_OK);
	ck_assert_uint_eq(got.len, EXPAND_MAX);
	ck_assert_int_eq(expand(span_str("${BIG}x"), arena, &got, &err),
	    EXPAND_BAD);
	ck_assert_str_eq(err.text, "the text is longer than 65536 bytes once "
	    "its variables are replaced");
	free(value);
	arena_free(&arena);
}
END_TEST

/* As long as the arena's grain, so that nothing but room for it ends it. */
START_TEST(the_result_is_terminated_in_its_own_room)
{
	struct arena *arena = arena_new();
	struct span got;
	struct err err;

	ck_assert_int_eq(expand(span_str("$$23456789abcdef0"), arena, &got,
	    &err), EXPAND_OK);
	ck_assert_uint_eq(got.len, 16);
	memset(arena_alloc(arena, 1, 16), 'x', 16);
	ck_assert_str_eq(got.p, "$23456789abcdef0");
	arena_free(&arena);
}
END_TEST

START_TEST(a_very_long_name_is_no_name)
{
	struct arena *arena = arena_new();
	char text[1000];
	struct span got;
	struct err err;

	memset(text, 'N', sizeof(text));
	memcpy(text, "${", 2);
	text[sizeof(text) - 1] = '}';
	ck_assert_int_eq(expand(span_of(text, sizeof(text)), arena, &got,
	    &err), EXPAND_BAD);
	ck_assert_ptr_nonnull(strstr(err.text, "does not name a variable"));
	arena_free(&arena);
}
END_TEST

START_TEST(no_memory_is_told_apart)
{
	struct arena *arena = arena_new();
	struct span got;
	struct err err;

	mem_fail_after(0);
	ck_assert_int_eq(expand(span_str("$$"), arena, &got, &err),
	    EXPAND_NO_MEMORY);
	ck_assert(mem_has_failed());
	mem_fail_after(-1);
	arena_free(&arena);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("expand");

	tcase_add_checked_fixture(tc, set_variables, NULL);
	tcase_add_loop_test(tc, variables_are_replaced, 0,
	    LENGTH(right_rows));
	tcase_add_loop_test(tc, what_cannot_be_replaced_is_told, 0,
	    LENGTH(wrong_rows));
	tcase_add_test(tc, the_result_has_a_limit);
	tcase_add_test(tc, the_result_is_terminated_in_its_own_room);
	tcase_add_test(tc, a_very_long_name_is_no_name);
	tcase_add_test(tc, no_memory_is_told_apart);
	return run_case("expand", tc);
}
