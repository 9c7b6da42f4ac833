/* The native ring's hashes: domains, the three functions, SipHash itself. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/siphash.h"
#include "ring/ring_hash.h"

/*
 * SipHash-2-4 of 0, 1, ... 63 bytes (00 01 02 ...) under the key 00 to 0f:
 * the values of the paper's reference code, had from OpenSSL's SipHash.
 */
static const uint64_t sip_values[64] = {
	UINT64_C(0x726fdb47dd0e0e31), UINT64_C(0x74f839c593dc67fd),
	UINT64_C(0x0d6c8009d9a94f5a), UINT64_C(0x85676696d7fb7e2d),
	UINT64_C(0xcf2794e0277187b7), UINT64_C(0x18765564cd99a68d),
	UINT64_C(0xcbc9466e58fee3ce), UINT64_C(0xab0200f58b01d137),
	UINT64_C(0x93f5f5799a932462), UINT64_C(0x9e0082df0ba9e4b0),
	UINT64_C(0x7a5dbbc594ddb9f3), UINT64_C(0xf4b32f46226bada7),
	UINT64_C(0x751e8fbc860ee5fb), UINT64_C(0x14ea5627c0843d90),
	UINT64_C(0xf723ca908e7af2ee), UINT64_C(0xa129ca6149be45e5),
	UINT64_C(0x3f2acc7f57c29bdb), UINT64_C(0x699ae9f52cbe4794),
	UINT64_C(0x4bc1b3f0968dd39c), UINT64_C(0xbb6dc91da77961bd),
	UINT64_C(0xbed65cf21aa2ee98), UINT64_C(0xd0f2cbb02e3b67c7),
	UINT64_C(0x93536795e3a33e88), UINT64_C(0xa80c038ccd5ccec8),
	UINT64_C(0xb8ad50c6f649af94), UINT64_C(0xbce192de8a85b8ea),
	UINT64_C(0x17d835b85bbb15f3), UINT64_C(0x2f2e6163076bcfad),
	UINT64_C(0xde4daaaca71dc9a5), UINT64_C(0xa6a2506687956571),
	UINT64_C(0xad87a3535c49ef28), UINT64_C(0x32d892fad841c342),
	UINT64_C(0x7127512f72f27cce), UINT64_C(0xa7f32346f95978e3),
	UINT64_C(0x12e0b01abb051238), UINT64_C(0x15e034d40fa197ae),
	UINT64_C(0x314dffbe0815a3b4), UINT64_C(0x027990f029623981),
	UINT64_C(0xcadcd4e59ef40c4d), UINT64_C(0x9abfd8766a33735c),
	UINT64_C(0x0e3ea96b5304a7d0), UINT64_C(0xad0c42d6fc585992),
	UINT64_C(0x187306c89bc215a9), UINT64_C(0xd4a60abcf3792b95),
	UINT64_C(0xf935451de4f21df2), UINT64_C(0xa9538f0419755787),
	UINT64_C(0xdb9acddff56ca510), UINT64_C(0xd06c98cd5c0975eb),
	UINT64_C(0xe612a3cb9ecba951), UINT64_C(0xc766e62cfcadaf96),
	UINT64_C(0xee64435a9752fe72), UINT64_C(0xa192d576b245165a),
	UINT64_C(0x0a8787bf8ecb74b2), UINT64_C(0x81b3e73d20b49b6f),
	UINT64_C(0x7fa8220ba3b2ecea), UINT64_C(0x245731c13ca42499),
	UINT64_C(0xb78dbfaf3a8d83bd), UINT64_C(0xea1ad565322a1a0b),
	UINT64_C(0x60e61c23a3795013), UINT64_C(0x6606d7e446282b93),
	UINT64_C(0x6ca4ecb15c5f91e1), UINT64_C(0x9f626da15c9625f3),
	UINT64_C(0xe51b38608ef25f57), UINT64_C(0x958a324ceb064572),
};

/* Fed in one piece, byte by byte, and in two pieces cut anywhere. */
START_TEST(siphash_gives_the_reference_values)
{
	uint8_t key[16], data[64];

	for (uint8_t i = 0; i < 64; i++) {
		data[i] = i;
		if (i < 16)
			key[i] = i;
	}
	for (size_t len = 0; len < 64; len++) {
		const char *p = (const char *)data;
		struct siphash sip;

		for (size_t cut = 0; cut <= len; cut++) {
			siphash_init(&sip, key);
			siphash_update(&sip, span_of(p, cut));
			siphash_update(&sip, span_of(p + cut, len - cut));
			ck_assert_uint_eq(siphash_final(&sip),
			    sip_values[len]);
		}
		siphash_init(&sip, key);
		for (size_t i = 0; i < len; i++)
			siphash_update(&sip, span_of(p + i, 1));
		ck_assert_uint_eq(siphash_final(&sip), sip_values[len]);
	}
}
END_TEST

START_TEST(mix64_gives_the_published_values)
{
	ck_assert_uint_eq(hash_mix64(0), 0);
	ck_assert_uint_eq(hash_mix64(1), UINT64_C(0x5692161d100b05e5));
	ck_assert_uint_eq(hash_mix64(UINT64_MAX),
	    UINT64_C(0xb4d055fcf2cbbd7b));
}
END_TEST

START_TEST(fnv1a_64_gives_the_published_values)
{
	static const struct span inputs[] = {SPAN_LIT(""), SPAN_LIT("a"),
	    SPAN_LIT("hello"), SPAN_LIT("foobar")};
	static const uint64_t values[] = {UINT64_C(0xcbf29ce484222325),
	    UINT64_C(0xaf63dc4c8601ec8c), UINT64_C(0xa430d84680aabd0b),
	    UINT64_C(0x85944171f73967e8)};

	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(hash_fnv1a_64_bytes(HASH_FNV1A_64_BASIS,
		    inputs[i]), values[i]);
}
END_TEST

#define TEXT_MAX 2000

static struct ring_hash
hash_of_kind(enum hash_kind kind)
{
	struct placement_spec spec = {.hash = kind, .hash_key = {1, 2, 3}};
	struct ring_hash hash;
	struct err err;

	ck_assert(ring_hash_init(&hash, &spec, &err));
	return hash;
}

/* Domain byte, text, what follows, in one piece. */
static uint64_t
hash_in_one_piece(const struct ring_hash *hash, const char *message,
    size_t len)
{
	struct siphash sip;

	switch (hash->kind) {
	case HASH_FNV1A_64:
		return hash_mix64(hash_fnv1a_64_bytes(HASH_FNV1A_64_BASIS,
		    span_of(message, len)));
	case HASH_XXH3:
		return hash_mix64(XXH3_64bits(message, len));
	default:
		siphash_init(&sip, hash->key);
		siphash_update(&sip, span_of(message, len));
		return hash_mix64(siphash_final(&sip));
	}
}

/* Lengths on both sides of each buffer's end, and far beyond it. */
START_TEST(each_domain_is_a_message_of_its_own)
{
	static const enum hash_kind kinds[] = {HASH_FNV1A_64, HASH_XXH3,
	    HASH_SIPHASH};
	static char text[TEXT_MAX], message[TEXT_MAX + 16];

	for (size_t i = 0; i < TEXT_MAX; i++)
		text[i] = (char)hash_mix64(i);
	for (size_t k = 0; k < 3; k++) {
		struct ring_hash hash = hash_of_kind(kinds[k]);

		for (size_t len = 0; len < TEXT_MAX;
		    len += len < 300 ? 1 : 97) {
			struct span name = span_of(text, len);
			struct ring_hash_points points;

			memcpy(message + 1, text, len);
			memcpy(message + 1 + len, "\xff\x04\x39\x30"
			    "\0\0\0\0\0", 10);
			message[0] = 2;
			ck_assert_uint_eq(ring_hash_owner(&hash, name),
			    hash_in_one_piece(&hash, message, len + 2));
			message[0] = 5;
			ck_assert_uint_eq(ring_hash_key(&hash, name),
			    hash_in_one_piece(&hash, message, len + 2));
			message[0] = 3;
			ring_hash_points_init(&points, &hash, name);
			ck_assert_uint_eq(ring_hash_point(&points, 12345),
			    hash_in_one_piece(&hash, message, len + 11));
		}
	}
}
END_TEST

/* All eight bytes of a replica number count. */
START_TEST(replicas_differ_in_every_byte)
{
	struct ring_hash hash = hash_of_kind(HASH_DEFAULT);
	struct ring_hash_points points;
	uint64_t h = HASH_FNV1A_64_BASIS;

	ring_hash_points_init(&points, &hash, span_str("a"));
	h = hash_fnv1a_64_bytes(h, span_of("\x03\x61\xff\x04", 4));
	h = hash_fnv1a_64_bytes(h, span_of("\x08\x07\x06\x05\x04\x03\x02\x01",
	    8));
	ck_assert_uint_eq(ring_hash_point(&points,
	    UINT64_C(0x0102030405060708)), hash_mix64(h));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ring hash");
	TCase *tc = tcase_create("hash");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, siphash_gives_the_reference_values);
	tcase_add_test(tc, mix64_gives_the_published_values);
	tcase_add_test(tc, fnv1a_64_gives_the_published_values);
	tcase_add_test(tc, each_domain_is_a_message_of_its_own);
	tcase_add_test(tc, replicas_differ_in_every_byte);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
