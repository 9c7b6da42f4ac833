/* The hashes of mcrouter, HAProxy and Zig against hashes.tsv. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/haproxy_hash.h"
#include "ring/load_le.h"
#include "ring/mcrouter_hash.h"
#include "ring/spooky.h"
#include "ring/utf8.h"
#include "ring/wyhash.h"
#include "vectors.h"

/* Longest input in the file. */
#define INPUT_MAX 2048

static uint64_t
call_spooky(struct span bytes)
{
	return spooky_hash32(bytes, 0xface2014);
}

static uint64_t
call_wyhash(struct span bytes)
{
	return wyhash(bytes, 0);
}

static uint64_t
call_murmur64a_of_ch3(struct span bytes)
{
	return murmur64a(bytes, MCROUTER_SEED);
}

static uint64_t
call_murmur64a_of_keys(struct span bytes)
{
	return murmur64a(bytes, 2718281828);
}

static uint64_t
call_sdbm(struct span bytes)
{
	return haproxy_sdbm(bytes);
}

static uint64_t
call_djb2(struct span bytes)
{
	return haproxy_djb2(bytes);
}

static uint64_t
call_wt6(struct span bytes)
{
	return haproxy_wt6(bytes);
}

static uint64_t
call_avalanche(struct span bytes)
{
	return haproxy_avalanche(load_le32(bytes.p));
}

/* The functions tested here, and how many values the file has of each. */
static const struct {
	const char	*name;
	uint64_t	(*hash)(struct span bytes);
	size_t		 values;
} functions[] = {
	{"spooky2_32_face2014", call_spooky, 302},
	{"wyhash_zig_seed0", call_wyhash, 303},
	{"murmur64a_4193360111", call_murmur64a_of_ch3, 302},
	{"murmur64a_2718281828", call_murmur64a_of_keys, 302},
	{"sdbm", call_sdbm, 302},
	{"djb2", call_djb2, 302},
	{"wt6", call_wt6, 302},
	{"haproxy_avalanche_le", call_avalanche, 10},
};

#define NFUNCTIONS ((int)(sizeof(functions) / sizeof(functions[0])))

static struct span
decode_hex(const char *hex, char out[INPUT_MAX])
{
	size_t len = strlen(hex) / 2;

	ck_assert_uint_le(len, INPUT_MAX);
	for (size_t i = 0; i < len; i++) {
		unsigned byte;

		ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
		out[i] = (char)byte;
	}
	return span_of(out, len);
}

START_TEST(values_are_those_of_the_programs)
{
	struct vectors *v = vectors_read("hashes.tsv");
	char input[INPUT_MAX];
	size_t compared = 0;

	for (size_t i = 0; i < v->nrows; i++) {
		const struct vectors_row *row = &v->rows[i];
		uint64_t value;

		if (strcmp(row->fields[0], functions[_i].name) != 0)
			continue;
		value = functions[_i].hash(decode_hex(row->fields[1], input));
		ck_assert_msg(value == strtoull(row->fields[2], NULL, 16),
		    "line %zu: %s of %s is not %llx", row->line,
		    functions[_i].name, row->fields[1],
		    (unsigned long long)value);
		compared++;
	}
	ck_assert_uint_eq(compared, functions[_i].values);
	vectors_free(&v);
}
END_TEST

/* Where the bytes lie must not matter. */
START_TEST(unaligned_bytes_give_the_same)
{
	char text[512], moved[513];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7);
	memcpy(moved + 1, text, sizeof(text));
	for (size_t len = 0; len <= sizeof(text); len++) {
		struct span a = span_of(text, len);
		struct span b = span_of(moved + 1, len);

		ck_assert(functions[_i].hash == call_avalanche ||
		    functions[_i].hash(a) == functions[_i].hash(b));
	}
}
END_TEST

/* The first bytes of each case, the code point, its length. */
START_TEST(utf8_is_read_strictly)
{
	static const struct {
		const char	*text;
		uint32_t	 code;
		size_t		 len;
	} cases[] = {
		{"a", 'a', 1},
		{"\x7f", 0x7f, 1},
		{"\xc2\x80", 0x80, 2},
		{"\xdf\xbf", 0x7ff, 2},
		{"\xe0\xa0\x80", 0x800, 3},
		{"\xed\x9f\xbf", 0xd7ff, 3},
		{"\xee\x80\x80", 0xe000, 3},
		{"\xef\xbf\xbf", 0xffff, 3},
		{"\xf0\x90\x80\x80", 0x10000, 4},
		{"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
		/* Not UTF-8: the first byte for itself. */
		{"\x80", 0x80, 1},
		{"\xc0\xaf", 0xc0, 1},
		{"\xc1\xbf", 0xc1, 1},
		{"\xc2", 0xc2, 1},
		{"\xc2" "a", 0xc2, 1},
		{"\xe0\x9f\xbf", 0xe0, 1},
		{"\xed\xa0\x80", 0xed, 1},
		{"\xe2\x82", 0xe2, 1},
		{"\xf0\x8f\xbf\xbf", 0xf0, 1},
		{"\xf4\x90\x80\x80", 0xf4, 1},
		{"\xf5\x80\x80\x80", 0xf5, 1},
		{"\xff", 0xff, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len = 0;

		ck_assert_uint_eq(utf8_first(span_str(cases[i].text), &len),
		    cases[i].code);
		ck_assert_uint_eq(len, cases[i].len);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("hashes of others");
	TCase *tc = tcase_create("hashes of others");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, values_are_those_of_the_programs, 0,
	    NFUNCTIONS);
	tcase_add_loop_test(tc, unaligned_bytes_give_the_same, 0, NFUNCTIONS);
	tcase_add_test(tc, utf8_is_read_strictly);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
