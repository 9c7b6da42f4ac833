/* The audit trail of reloads. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "case.h"
#include "route/reload_record.h"

static struct reload_history history;

static void
set_up(void)
{
	memset(&history, 0, sizeof(history));
}

static void
tear_down(void)
{
	reload_history_fini(&history);
}

/* Why a file that says nothing is refused. */
static struct conf_errors *
some_errors(void)
{
	struct conf_errors *errors;

	ck_assert_ptr_null(conf_parse("f.yaml", "", 0, &errors));
	return errors;
}

static struct reload_record
refusal(uint64_t generation)
{
	return (struct reload_record){
		.trigger = RELOAD_BY_SIGNAL,
		.result = RELOAD_INVALID,
		.generation = generation,
		.errors = some_errors(),
	};
}

START_TEST(the_newest_comes_first)
{
	for (uint64_t i = 1; i <= 3; i++) {
		struct reload_record record = refusal(i);
		const struct reload_record *kept = reload_history_add(
		    &history, &record);

		ck_assert_uint_eq(kept->number, i);
		ck_assert_ptr_eq(kept, reload_history_at(&history, 0));
	}
	ck_assert_uint_eq(reload_history_count(&history), 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(reload_history_at(&history, i)->generation,
		    3 - i);
}
END_TEST

START_TEST(no_more_than_so_many_are_kept)
{
	uint64_t n = 2 * RELOAD_HISTORY_MAX + 3;

	for (uint64_t i = 1; i <= n; i++) {
		struct reload_record record = refusal(i);

		reload_history_add(&history, &record);
	}
	ck_assert_uint_eq(history.nattempts, n);
	ck_assert_uint_eq(reload_history_count(&history), RELOAD_HISTORY_MAX);
	for (size_t i = 0; i < RELOAD_HISTORY_MAX; i++) {
		const struct reload_record *record = reload_history_at(
		    &history, i);

		ck_assert_uint_eq(record->number, n - i);
		ck_assert_uint_eq(record->generation, n - i);
		ck_assert_ptr_nonnull(record->errors);
	}
}
END_TEST

START_TEST(an_empty_one_is_empty)
{
	ck_assert_uint_eq(reload_history_count(&history), 0);
}
END_TEST

static void
expect_summary(const struct reload_record *record, const char *wanted)
{
	char out[RELOAD_SUMMARY_MAX];

	ck_assert_str_eq(reload_summary(record, out), wanted);
}

START_TEST(a_summary_is_one_line)
{
	struct table_diff diff = {
		.sum = {.added = 2, .removed = 1},
		.moved_most = 0.248962,
	};
	struct reload_record record = {
		.trigger = RELOAD_BY_WATCH,
		.result = RELOAD_DONE,
		.generation = 7,
		.diff = &diff,
	};

	expect_summary(&record, "reload done by watch: generation 7, servers "
	    "+2 -1, 24.9% of the keys move");
	record.result = RELOAD_STAGED;
	record.activate_at_ms = 1796040000000;
	expect_summary(&record, "reload staged until 2026-11-30T12:00:00Z: "
	    "generation 7 until then, servers +2 -1, 24.9% of the keys move");
	record.diff = NULL;
	expect_summary(&record, "reload staged until 2026-11-30T12:00:00Z: "
	    "generation 7 until then");
	record.result = RELOAD_UNCHANGED;
	expect_summary(&record, "reload changed nothing: generation 7");
	record = refusal(7);
	expect_summary(&record, "reload refused, generation 7 stays: "
	    "f.yaml:1:1: the file is empty; it needs at least "
	    "\"listeners\" and \"pools\"");
	conf_errors_free(&record.errors);
	record.result = RELOAD_NO_MEMORY;
	expect_summary(&record, "reload refused, generation 7 stays: out "
	    "of memory");
}
END_TEST

START_TEST(every_word_is_there)
{
	for (int i = 0; i < RELOAD_RESULT_COUNT; i++) {
		enum reload_result result = (enum reload_result)i;

		ck_assert_uint_gt(strlen(reload_result_word(result)), 3);
		ck_assert_uint_gt(strlen(reload_result_meaning(result)), 9);
		ck_assert(reload_is_success(result) ==
		    (i <= RELOAD_UNCHANGED));
	}
	for (int i = 0; i < RELOAD_STAGE_COUNT; i++)
		ck_assert_uint_gt(strlen(reload_stage_word(
		    (enum reload_stage)i)), 3);
	ck_assert_str_eq(reload_trigger_word(RELOAD_BY_SIGNAL), "SIGHUP");
	ck_assert_str_eq(reload_trigger_word(RELOAD_BY_ACTIVATE_AT),
	    "activate_at");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reload_record");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, the_newest_comes_first);
	tcase_add_test(tc, no_more_than_so_many_are_kept);
	tcase_add_test(tc, an_empty_one_is_empty);
	tcase_add_test(tc, a_summary_is_one_line);
	tcase_add_test(tc, every_word_is_there);
	return case_run("reload_record", tc);
}
