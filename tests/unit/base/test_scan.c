/* Ends of words. */
#include <check.h>
#include <stdlib.h>

#include "base/scan.h"

#define LEN 24

static size_t
first_low(const char *p, size_t len)
{
	size_t i = 0;

	while (i < len && (unsigned char)p[i] > 0x20)
		i++;
	return i;
}

static size_t
first_blank(const char *p, size_t len)
{
	size_t i = 0;

	while (i < len && p[i] != ' ')
		i++;
	return i;
}

/* Asserted only where it fails: Check takes its time for each assertion. */
static void
check_scans(const char *p, size_t len)
{
	size_t low = (size_t)(scan_to_low(p, p + len) - p);
	size_t blank = (size_t)(scan_to_blank(p, p + len) - p);

	if (low != first_low(p, len) || blank != first_blank(p, len))
		ck_abort_msg("%zu bytes: %zu, %zu", len, low, blank);
}

/* Every byte at every place of words of every length. */
START_TEST(one_byte_among_others)
{
	char text[LEN];

	for (size_t len = 1; len <= LEN; len++) {
		for (size_t i = 0; i < len; i++) {
			memset(text, 'k', sizeof(text));
			text[i] = (char)_i;
			check_scans(text, len);
		}
	}
}
END_TEST

/* What is low may make its neighbour above look so; only the first counts. */
START_TEST(pairs_of_bytes)
{
	char text[LEN];

	for (int other = 0; other < 256; other++) {
		for (size_t i = 0; i + 1 < 10; i++) {
			memset(text, 'k', sizeof(text));
			text[i] = (char)_i;
			text[i + 1] = (char)other;
			check_scans(text, 10);
		}
	}
}
END_TEST

START_TEST(nothing_has_no_end)
{
	check_scans("", 0);
	/* The bytes behind the end are not looked at. */
	check_scans("kkkkkkk ", 7);
	check_scans("kkkkkkkkkkkkkkk\r", 15);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("scan");
	TCase *tc = tcase_create("all");
	SRunner *sr;
	int nfailed;

	tcase_add_loop_test(tc, one_byte_among_others, 0, 256);
	tcase_add_loop_test(tc, pairs_of_bytes, 0, 256);
	tcase_add_test(tc, nothing_has_no_end);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	nfailed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return nfailed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
