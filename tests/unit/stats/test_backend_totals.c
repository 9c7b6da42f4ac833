/* Replies of servers to `stats`. */
#include <stdint.h>
#include <string.h>

#include "case.h"
#include "stats/backend_totals.h"

#define REPLY                                                                  \
	"STAT pid 7\r\n"                                                       \
	"STAT version 1.6.40\r\n"                                              \
	"STAT rusage_user 0.123456\r\n"                                        \
	"STAT limit_maxbytes 67108864\r\n"                                     \
	"STAT bytes 71\r\n"                                                    \
	"STAT curr_items 1\r\n"                                                \
	"STAT total_items 18446744073\r\n"                                     \
	"STAT evictions 3\r\n"                                                 \
	"END\r\n"

static enum backend_reply
read_text(const char *text, struct backend_sum *sum)
{
	return backend_totals_read(span_str(text), sum);
}

START_TEST(replies_add_up)
{
	struct backend_sum sum = {0};

	ck_assert_int_eq(read_text(REPLY, &sum), BACKEND_REPLY_WHOLE);
	ck_assert_int_eq(read_text(REPLY, &sum), BACKEND_REPLY_WHOLE);
	ck_assert_uint_eq(sum.nservers, 2);
	ck_assert_uint_eq(sum.values[BACKEND_LIMIT_MAXBYTES], 2 * 67108864);
	ck_assert_uint_eq(sum.values[BACKEND_BYTES], 142);
	ck_assert_uint_eq(sum.values[BACKEND_CURR_ITEMS], 2);
	ck_assert_uint_eq(sum.values[BACKEND_TOTAL_ITEMS],
	    2 * UINT64_C(18446744073));
	ck_assert_uint_eq(sum.values[BACKEND_EVICTIONS], 6);
	ck_assert_uint_eq(sum.values[BACKEND_RECLAIMED], 0);
}
END_TEST

START_TEST(a_reply_without_its_end_adds_nothing_wherever_it_breaks)
{
	struct backend_sum sum = {0};

	for (size_t len = 0; len < strlen(REPLY); len++)
		ck_assert_int_eq(backend_totals_read(span_of(REPLY, len),
		    &sum), BACKEND_REPLY_MORE);
	ck_assert_uint_eq(sum.nservers, 0);
	for (size_t i = 0; i < BACKEND_NTOTALS; i++)
		ck_assert_uint_eq(sum.values[i], 0);
}
END_TEST

START_TEST(nonsense_adds_nothing)
{
	static const char *const replies[] = {
		"ERROR\r\n",
		"CLIENT_ERROR unauthenticated\r\n",
		"HTTP/1.1 400 Bad Request\r\n",
		"\r\n",
		"STAT\r\n",
		"STAT bytes\r\n",
		"STAT bytes 1\r\nVALUE a 0 1\r\n",
		"STAT curr_items 1\r\nSTAT bytes -1\r\nEND\r\n",
		"STAT bytes \r\nEND\r\n",
		"STAT bytes 1 \r\nEND\r\n",
		"STAT bytes 0x10\r\nEND\r\n",
		"STAT bytes 1125899906842624\r\nEND\r\n",
		"STAT bytes 99999999999999999999999\r\nEND\r\n",
		"STAT bytes 1\r\nEND\r\nSTAT bytes 1\r\n",
	};

	for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++) {
		struct backend_sum sum = {0};

		ck_assert_msg(read_text(replies[i], &sum) ==
		    BACKEND_REPLY_NONSENSE, "%s", replies[i]);
		ck_assert_uint_eq(sum.nservers, 0);
		ck_assert_uint_eq(sum.values[BACKEND_BYTES], 0);
		ck_assert_uint_eq(sum.values[BACKEND_CURR_ITEMS], 0);
	}
}
END_TEST

START_TEST(the_most_that_is_believed_adds_up_over_all_servers)
{
	struct backend_sum sum = {0};

	for (int i = 0; i < 16384; i++)
		ck_assert_int_eq(read_text("STAT bytes 1125899906842623\r\n"
		    "END\r\n", &sum), BACKEND_REPLY_WHOLE);
	ck_assert_uint_eq(sum.values[BACKEND_BYTES],
	    16384 * BACKEND_VALUE_MAX);
	ck_assert_uint_gt(sum.values[BACKEND_BYTES], UINT64_MAX - 16385);
}
END_TEST

START_TEST(what_is_published_is_shown_under_memcacheds_name)
{
	struct backend_totals totals = {0};
	struct backend_sum sum = {0};

	ck_assert_int_eq(read_text(REPLY, &sum), BACKEND_REPLY_WHOLE);
	ck_assert_uint_eq(backend_totals_get(&totals, BACKEND_BYTES), 0);
	backend_totals_publish(&totals, &sum);
	ck_assert_uint_eq(backend_totals_get(&totals, BACKEND_BYTES), 71);
	ck_assert_uint_eq(backend_totals_nservers(&totals), 1);
	ck_assert_str_eq(backend_total_name(BACKEND_BYTES), "bytes");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("backend_totals");

	tcase_add_test(tc, replies_add_up);
	tcase_add_test(tc,
	    a_reply_without_its_end_adds_nothing_wherever_it_breaks);
	tcase_add_test(tc, nonsense_adds_nothing);
	tcase_add_test(tc, the_most_that_is_believed_adds_up_over_all_servers);
	tcase_add_test(tc,
	    what_is_published_is_shown_under_memcacheds_name);
	return case_run("backend_totals", tc);
}
