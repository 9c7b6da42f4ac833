/* The 32-bit hashes, MD5 and xxHash, against hashes.tsv. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/hash.h"
#include "ring/hashes.h"
#include "ring/hashes_md5.h"
#include "vectors.h"

/* Longest input in the file. */
#define INPUT_MAX 2048

/* The functions tested here, and how many values the file has of each. */
static const struct {
	const char	*name;
	hashes_fn	*hash;
	size_t		 values;
} functions[] = {
	{"one_at_a_time", hashes_one_at_a_time, 302},
	{"one_at_a_time_unsigned", hashes_one_at_a_time_unsigned, 58},
	{"md5_le32", md5_le32, 302},
	{"crc32_ieee", hashes_crc32, 302},
	{"crc32_memcached15", hashes_crc32_15bit, 302},
	{"crc16_twemproxy32", hashes_crc16, 302},
	{"fnv1_32_signed", hashes_fnv1_32, 302},
	{"fnv1_32_unsigned", hashes_fnv1_32_unsigned, 58},
	{"fnv1a_32_signed", hashes_fnv1a_32, 302},
	{"fnv1a_32_unsigned", hashes_fnv1a_32_unsigned, 58},
	{"fnv1a_32", hashes_fnv1a_32_unsigned, 154},
	{"fnv1_64_signed_low32", hashes_fnv1_64, 302},
	{"fnv1_64_unsigned_low32", hashes_fnv1_64_unsigned, 58},
	{"fnv1a_64_signed_low32", hashes_fnv1a_64, 302},
	{"fnv1a_64_unsigned_low32", hashes_fnv1a_64_unsigned, 58},
	{"hsieh", hashes_hsieh, 302},
	{"hsieh_unsigned", hashes_hsieh_unsigned, 58},
	{"murmur2_lenseed", hashes_murmur, 302},
	{"murmur3_32_lenseed", hashes_murmur3, 302},
	{"jenkins_init13", hashes_jenkins, 302},
};

#define NFUNCTIONS (sizeof(functions) / sizeof(functions[0]))

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

/* Calls `hash` for each value of `name`, and compares; how many there are. */
static size_t
compare(const struct vectors *v, const char *name,
    uint64_t (*hash)(const void *arg, struct span bytes), const void *arg)
{
	char input[INPUT_MAX];
	size_t compared = 0;

	for (size_t i = 0; i < v->nrows; i++) {
		const struct vectors_row *row = &v->rows[i];
		uint64_t value;

		if (strcmp(row->fields[0], name) != 0)
			continue;
		value = hash(arg, decode_hex(row->fields[1], input));
		ck_assert_msg(value == strtoull(row->fields[2], NULL, 16),
		    "line %zu: %s of %s is not %llx", row->line, name,
		    row->fields[1], (unsigned long long)value);
		compared++;
	}
	return compared;
}

static uint64_t
call_32(const void *arg, struct span bytes)
{
	const size_t *i = arg;

	return functions[*i].hash(bytes);
}

static uint64_t
call_murmur3(const void *seed, struct span bytes)
{
	return hashes_murmur3_seeded(bytes, *(const uint32_t *)seed);
}

static uint64_t
call_xxh64(const void *seed, struct span bytes)
{
	return hashes_xxh64(bytes, *(const uint64_t *)seed);
}

static uint64_t
call_xxh3(const void *seed, struct span bytes)
{
	return hashes_xxh3(bytes, *(const uint64_t *)seed);
}

START_TEST(values_are_those_of_the_programs)
{
	struct vectors *v = vectors_read("hashes.tsv");
	uint64_t zero = 0, hello = hashes_xxh3(span_str("hello"), 0);
	uint32_t zero32 = 0;

	for (size_t i = 0; i < NFUNCTIONS; i++)
		ck_assert_uint_eq(compare(v, functions[i].name, call_32, &i),
		    functions[i].values);
	ck_assert_uint_eq(compare(v, "murmur3_32_seed0", call_murmur3,
	    &zero32), 302);
	ck_assert_uint_eq(compare(v, "xxh64_seed0", call_xxh64, &zero), 302);
	ck_assert_uint_eq(compare(v, "xxh3_64_seed0", call_xxh3, &zero), 302);
	ck_assert_uint_eq(compare(v, "xxh3_64_seed_of_hello", call_xxh3,
	    &hello), 302);
	vectors_free(&v);
}
END_TEST

/* RFC 1321, appendix A.5. */
START_TEST(md5_is_that_of_the_rfc)
{
	static const struct {
		const char *text;
		const char *digest;
	} cases[] = {
		{"", "d41d8cd98f00b204e9800998ecf8427e"},
		{"abc", "900150983cd24fb0d6963f7d28e17f72"},
		{"12345678901234567890123456789012345678901234567890123456789"
		 "012345678901234567890", "57edf4a22be3c955ac49da2e2107b67a"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t digest[MD5_DIGEST_LEN];
		char expected[INPUT_MAX];

		md5_digest(span_str(cases[i].text), digest);
		decode_hex(cases[i].digest, expected);
		ck_assert_mem_eq(digest, expected, MD5_DIGEST_LEN);
	}
}
END_TEST

/* The tables, against the polynomials they were made from. */
START_TEST(crc_tables_follow_from_their_polynomials)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		char c = (char)byte;
		uint32_t crc32 = ~byte, crc16 = byte << 8;

		for (int bit = 0; bit < 8; bit++) {
			crc32 = crc32 >> 1 ^ (crc32 & 1 ? 0xedb88320 : 0);
			crc16 = crc16 << 1 ^ (crc16 & 0x8000 ? 0x11021 : 0);
		}
		ck_assert_uint_eq(hashes_crc32(span_of(&c, 1)), ~crc32);
		ck_assert_uint_eq(hashes_crc16(span_of(&c, 1)), crc16);
	}
}
END_TEST

START_TEST(crc32_goes_on_where_it_stopped)
{
	uint32_t crc = hashes_crc32(span_str("1234"));

	ck_assert_uint_eq(hashes_crc32_more(crc, span_str("56789")),
	    0xcbf43926);
	ck_assert_uint_eq(hashes_crc32(span_str("123456789")), 0xcbf43926);
}
END_TEST

START_TEST(nothing_can_be_hashed)
{
	struct span nothing = span_of(NULL, 0);

	for (size_t i = 0; i < NFUNCTIONS; i++)
		ck_assert_uint_eq(functions[i].hash(nothing),
		    functions[i].hash(span_str("")));
	ck_assert_uint_eq(hashes_hsieh(nothing), 0);
	ck_assert_uint_eq(hashes_crc32_more(7, nothing), 7);
	ck_assert_uint_eq(hashes_xxh3(nothing, 0),
	    UINT64_C(0x2d06800538d394c2));
}
END_TEST

/* A configuration's fnv1a_64 is not twemproxy's. */
START_TEST(the_two_fnv1a_64_differ_above_ascii_only)
{
	struct span ascii = span_str("hello"), high = span_str("h\xe9llo");

	ck_assert_uint_eq(hashes_fnv1a_64(ascii), (uint32_t)
	    hash_fnv1a_64_bytes(HASH_FNV1A_64_BASIS, ascii));
	ck_assert_uint_ne(hashes_fnv1a_64(high), (uint32_t)
	    hash_fnv1a_64_bytes(HASH_FNV1A_64_BASIS, high));
	ck_assert_uint_eq(hashes_fnv1a_64_unsigned(high), (uint32_t)
	    hash_fnv1a_64_bytes(HASH_FNV1A_64_BASIS, high));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("hashes");
	TCase *tc = tcase_create("hashes");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, values_are_those_of_the_programs);
	tcase_add_test(tc, md5_is_that_of_the_rfc);
	tcase_add_test(tc, crc_tables_follow_from_their_polynomials);
	tcase_add_test(tc, crc32_goes_on_where_it_stopped);
	tcase_add_test(tc, nothing_can_be_hashed);
	tcase_add_test(tc, the_two_fnv1a_64_differ_above_ascii_only);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
