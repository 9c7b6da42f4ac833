/* Base64 keys. */
#include <string.h>

#include "case.h"
#include "proto/request.h"

static const struct {
	const char	*text;
	const char	*bytes;		/* NULL: it is refused */
} keys[] = {
	/* RFC 4648, section 10. */
	{"Zg==", "f"},
	{"Zm8=", "fo"},
	{"Zm9v", "foo"},
	{"Zm9vYg==", "foob"},
	{"Zm9vYmE=", "fooba"},
	{"Zm9vYmFy", "foobar"},
	{"+/+/", "\xfb\xff\xbf"},
	{"", NULL},
	{"Zg=", NULL},
	{"Zg", NULL},
	{"Zm9", NULL},
	{"Z===", NULL},
	{"====", NULL},
	{"=m9v", NULL},
	{"Zm=v", NULL},
	{"Zg==Zg==", NULL},
	{"Zm9-", NULL},
	{"Zm9_", NULL},
	{"Zm9\xff", NULL},
	{"Zm9v\n", NULL},
	{"Zm9vYmF", NULL},
};

START_TEST(a_key_is_decoded_or_refused_whole)
{
	char out[REQUEST_DECODED_KEY_MAX];
	size_t len = request_decode_key(span_str(keys[_i].text), out);

	if (keys[_i].bytes == NULL) {
		ck_assert_msg(len == 0, "%s gives %zu bytes", keys[_i].text,
		    len);
		return;
	}
	ck_assert_uint_eq(len, strlen(keys[_i].bytes));
	ck_assert_mem_eq(out, keys[_i].bytes, len);
}
END_TEST

START_TEST(the_longest_key_fits)
{
	char text[256], out[REQUEST_DECODED_KEY_MAX];

	memset(text, 'A', sizeof(text));
	/* 248 letters are the most, in fours, that a key of 250 holds. */
	ck_assert_uint_eq(request_decode_key(span_of(text, 248), out), 186);
	ck_assert_uint_eq(request_decode_key(span_of(text, 252), out), 0);
}
END_TEST

START_TEST(every_letter_has_its_value)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4], out[REQUEST_DECODED_KEY_MAX];

	for (int c = 0; c < 256; c++) {
		const char *at = c == 0 ? NULL : strchr(letters, c);

		memcpy(text, "AAA", 3);
		text[3] = (char)c;
		/* "AAA=" is a shorter key; the others stand for nothing. */
		if (c == '=')
			continue;
		ck_assert_uint_eq(request_decode_key(span_of(text, 4), out),
		    at == NULL ? 0 : 3);
		if (at != NULL)
			ck_assert_int_eq(out[2], (int)(at - letters));
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("base64");

	tcase_add_loop_test(tc, a_key_is_decoded_or_refused_whole, 0,
	    LENGTH(keys));
	tcase_add_test(tc, the_longest_key_fits);
	tcase_add_test(tc, every_letter_has_its_value);
	return case_run("base64", tc);
}
