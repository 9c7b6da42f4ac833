/* The reasons, in words. */
#include <string.h>

#include "case.h"
#include "proxy/reason.h"

/* Which of them speak against a server, and which do not. */
static const struct {
	enum reason	reason;
	bool		is_fault;
} faults[] = {
	{REASON_NONE, false},
	{REASON_QUIT, false},
	{REASON_CLIENT_GONE, false},
	{REASON_VALUE_LOST, false},
	{REASON_NO_MEMORY, false},
	{REASON_NO_DESCRIPTORS, false},
	{REASON_DOWN, false},
	{REASON_QUEUE_FULL, false},
	{REASON_UNRESOLVED, false},
	{REASON_CONNECT_FAILED, true},
	{REASON_CONNECT_TIMEOUT, true},
	{REASON_TIMEOUT, true},
	{REASON_SERVER_CLOSED, true},
	{REASON_SERVER_RESET, true},
	{REASON_OUT_OF_STEP, true},
	{REASON_OWES_TOO_MUCH, true},
};

START_TEST(a_reason_counts_against_a_server_only_if_it_is_its_fault)
{
	for (size_t i = 0; i < LENGTH(faults); i++)
		ck_assert_msg(reason_is_servers_fault(faults[i].reason) ==
		    faults[i].is_fault, "%s", reason_words(faults[i].reason));
}
END_TEST

#define X(member, words, is_fault, failed) REASON_##member,
static const enum reason all[] = {REASONS(X)};
#undef X

/* They go into one line of an answer and of the log. */
START_TEST(words_are_distinct_and_fit_a_line)
{
	for (size_t i = 0; i < LENGTH(all); i++) {
		const char *words = reason_words(all[i]);

		ck_assert_uint_gt(strlen(words), 3);
		ck_assert_uint_lt(strlen(words), 80);
		ck_assert_ptr_null(strpbrk(words, "\r\n"));
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(words, reason_words(all[j]));
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reason");

	tcase_add_test(tc,
	    a_reason_counts_against_a_server_only_if_it_is_its_fault);
	tcase_add_test(tc, words_are_distinct_and_fit_a_line);
	return case_run("reason", tc);
}
