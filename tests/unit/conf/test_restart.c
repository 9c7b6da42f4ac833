/* What only a restart can change. */
#include <stdlib.h>

#include "base/mem.h"
#include "support.h"

#define REST                                                                   \
	"listeners: [{listen: 127.0.0.1:1}]\n"                                 \
	"pools: {main: {servers: [a:1]}}\n"
#define OTHER_REST                                                             \
	"shutdown_timeout: 1s\nlimits: {clients: 5, memory: 1GiB}\n"           \
	"listeners: [{listen: 127.0.0.1:2, pool: b}]\n"                        \
	"pools: {b: {servers: [b:1], flush_all: true}, "                       \
	"c: {servers: [c:1]}}\n"

START_TEST(the_number_of_workers_needs_a_restart)
{
	struct conf *old = parse_right(REST "workers: 2\n");
	struct conf *new = parse_right(REST "\nworkers: 4\n");
	struct conf_errors *errors;

	ck_assert(conf_restart_only_changes(old, new, &errors));
	ck_assert_uint_eq(conf_errors_count(errors), 1);
	ck_assert_str_eq(conf_errors_line(errors, 0), "f:4:10: \"workers\" "
	    "changes from 2 to 4, which needs a restart");
	conf_errors_free(&errors);
	conf_free(&old);
	conf_free(&new);
}
END_TEST

START_TEST(a_key_that_was_left_out_is_told_without_a_place)
{
	struct conf *old = parse_right(REST "workers: 2\n");
	struct conf *new = parse_right(REST);
	struct conf_errors *errors;

	ck_assert(conf_restart_only_changes(old, new, &errors));
	ck_assert_str_eq(conf_errors_line(errors, 0), "f: \"workers\" "
	    "changes from 2 to 1, which needs a restart");
	conf_errors_free(&errors);
	conf_free(&old);
	conf_free(&new);
}
END_TEST

START_TEST(all_else_can_be_reloaded)
{
	struct conf *old = parse_right(REST);
	struct conf *new = parse_right("workers: 1\n" OTHER_REST);
	struct conf_errors *errors;

	ck_assert(!conf_restart_only_changes(old, new, &errors));
	ck_assert_ptr_null(errors);
	conf_free(&old);
	conf_free(&new);
}
END_TEST

START_TEST(without_memory_a_change_is_still_a_change)
{
	struct conf *old = parse_right(REST);
	struct conf *new = parse_right(REST "workers: 2\n");
	struct conf_errors *errors;

	mem_fail_after(0);
	ck_assert(conf_restart_only_changes(old, new, &errors));
	ck_assert(mem_has_failed());
	ck_assert_ptr_null(errors);
	mem_fail_after(-1);
	conf_free(&old);
	conf_free(&new);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("restart");

	tcase_add_test(tc, the_number_of_workers_needs_a_restart);
	tcase_add_test(tc, a_key_that_was_left_out_is_told_without_a_place);
	tcase_add_test(tc, all_else_can_be_reloaded);
	tcase_add_test(tc, without_memory_a_change_is_still_a_change);
	return run_case("restart", tc);
}
