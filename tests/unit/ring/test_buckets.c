/* The 65,536 buckets against turnstone's own assignments. */
#include <check.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "members.h"
#include "ring/buckets.h"
#include "ring/hashes.h"
#include "vectors.h"

#define MEMBERS 128

/* One ring of the file. */
struct turnstone {
	struct placement_spec	 spec;
	struct placement_server	 servers[MEMBERS];
	size_t			 n;
	struct buckets		*buckets;
};

/* Takes "id=number,..." apart, at most `max` of them; how many. */
static size_t
split(const char *list, struct span *ids_r, unsigned long *numbers_r,
    size_t max)
{
	size_t n = 0;

	for (const char *at = list; *at != '\0'; n++) {
		const char *equals = strchr(at, '=');
		char *end;

		ck_assert_uint_lt(n, max);
		ck_assert_ptr_nonnull(equals);
		ids_r[n] = span_of(at, (size_t)(equals - at));
		numbers_r[n] = strtoul(equals + 1, &end, 10);
		at = *end == ',' ? end + 1 : end;
	}
	return n;
}

static void
turnstone_build(struct turnstone *t, const struct vectors_row *row)
{
	struct span ids[MEMBERS];
	unsigned long weights[MEMBERS];
	enum placement_error error = PLACEMENT_OK;
	struct err err = {""};
	struct rule_build build = {&t->spec, t->servers, 0, &error, &err};

	t->spec = (struct placement_spec){
		.kind = PLACEMENT_BUCKETS,
		.points_per_weight = (uint32_t)atoi(row->fields[2]),
	};
	t->n = build.n = split(row->fields[3], ids, weights, MEMBERS);
	for (size_t i = 0; i < t->n; i++)
		t->servers[i] = (struct placement_server){
			.name = ids[i],
			.weight = (double)weights[i],
		};
	t->buckets = buckets_build(&build);
	ck_assert_msg(t->buckets != NULL, "%s", err.text);
}

static struct span
owner_name(const struct turnstone *t, uint32_t bucket)
{
	return t->servers[buckets_owner(t->buckets, (uint16_t)bucket)].name;
}

static void
expect_digest(const struct turnstone *t, const char *expected)
{
	SHA2_CTX ctx;
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char line[64], hex[SHA256_DIGEST_STRING_LENGTH];

	SHA256Init(&ctx);
	for (uint32_t b = 0; b < BUCKETS_COUNT; b++) {
		struct span name = owner_name(t, b);
		int n = snprintf(line, sizeof(line), "%u %.*s\n", b,
		    (int)name.len, name.p);

		SHA256Update(&ctx, (const uint8_t *)line, (size_t)n);
	}
	SHA256Final(digest, &ctx);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	ck_assert_str_eq(hex, expected);
}

static void
expect_shares(const struct turnstone *t, const char *list)
{
	struct span ids[MEMBERS];
	unsigned long counts[MEMBERS], found[MEMBERS] = {0};
	size_t n = split(list, ids, counts, MEMBERS);

	ck_assert_uint_eq(n, t->n);
	for (uint32_t b = 0; b < BUCKETS_COUNT; b++)
		found[buckets_owner(t->buckets, (uint16_t)b)]++;
	for (size_t i = 0; i < n; i++) {
		ck_assert(span_eq(ids[i], t->servers[i].name));
		ck_assert_uint_eq(found[i], counts[i]);
	}
}

/* How many lines of each sort were compared. */
struct lines {
	size_t	hashes, buckets, rings, shares, digests, samples, runs;
};

static void
expect_hash(const struct vectors_row *row)
{
	char text[64];
	size_t len = strcmp(row->fields[1], "-") == 0
	    ? 0
	    : strlen(row->fields[1]) / 2;

	for (size_t i = 0; i < len; i++) {
		unsigned byte;

		ck_assert_int_eq(sscanf(row->fields[1] + 2 * i, "%2x", &byte),
		    1);
		text[i] = (char)byte;
	}
	ck_assert_uint_eq(hashes_fnv1a_32_unsigned(span_of(text, len)),
	    strtoul(row->fields[2], NULL, 10));
}

static void
expect_bucket(const struct vectors_row *row)
{
	uint16_t bucket;

	ck_assert(buckets_of_hex(span_str(row->fields[1]), &bucket));
	ck_assert_uint_eq(bucket, strtoul(row->fields[2], NULL, 10));
}

static void
expect_line(struct turnstone *t, const struct vectors_row *row,
    struct lines *lines)
{
	const char *sort = row->fields[0];

	if (strcmp(sort, "hash") == 0) {
		expect_hash(row);
		lines->hashes++;
	} else if (strcmp(sort, "bucket") == 0) {
		expect_bucket(row);
		lines->buckets++;
	} else if (strcmp(sort, "ring") == 0) {
		buckets_free(&t->buckets);
		turnstone_build(t, row);
		lines->rings++;
	} else if (strcmp(sort, "share") == 0) {
		expect_shares(t, row->fields[2]);
		lines->shares++;
	} else if (strcmp(sort, "digest") == 0) {
		expect_digest(t, row->fields[2]);
		lines->digests++;
	} else {
		uint32_t bucket = (uint32_t)atoi(row->fields[2]);
		bool is_run = strcmp(sort, "run") == 0;

		ck_assert(is_run || strcmp(sort, "sample") == 0);
		ck_assert(span_eq(owner_name(t, bucket),
		    span_str(row->fields[3])));
		if (is_run && bucket > 0)
			ck_assert(!span_eq(owner_name(t, bucket - 1),
			    span_str(row->fields[3])));
		lines->runs += is_run;
		lines->samples += !is_run;
	}
}

START_TEST(whole_assignments_are_reproduced)
{
	struct vectors *v = vectors_read("turnstone.tsv");
	struct turnstone t = {.n = 0};
	struct lines lines = {0};

	for (size_t i = 0; i < v->nrows; i++)
		expect_line(&t, &v->rows[i], &lines);
	ck_assert_uint_eq(lines.hashes, 8);
	ck_assert_uint_eq(lines.buckets, 8);
	ck_assert_uint_eq(lines.rings, 10);
	ck_assert_uint_eq(lines.shares, 10);
	ck_assert_uint_eq(lines.digests, 10);
	ck_assert_uint_eq(lines.samples, 495);
	ck_assert_uint_eq(lines.runs, 644);
	buckets_free(&t.buckets);
	vectors_free(&v);
}
END_TEST

START_TEST(only_hexadecimal_identifiers_have_a_bucket)
{
	static const char *const bad[] = {"", "abc", "abcg", "g000", "00 0",
	    "0x12", "-001", "@000", "00`0", "000/", "000:"};
	uint16_t bucket;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert(!buckets_of_hex(span_str(bad[i]), &bucket));
	ck_assert(buckets_of_hex(span_str("fFaAzz"), &bucket));
	ck_assert_uint_eq(bucket, 0xffaa);
}
END_TEST

/* Our own rule for keys: these values must never change. */
START_TEST(keys_keep_their_buckets)
{
	static const struct {
		const char	*key;
		uint16_t	 bucket;
	} cases[] = {
		{"", 43838},
		{"a", 6784},
		{"b", 33476},
		{"user:1000", 42690},
		{"user:1001", 35445},
		{"key-0", 62647},
		{"key-1", 25572},
		{"session:abcdef0123456789", 27511},
		{"a3f10000", 40302},
		{"\320\272\320\273\321\216\321\207", 39585},
		{"\377", 47299},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(buckets_of_key(span_str(cases[i].key)),
		    cases[i].bucket);
}
END_TEST

/* Keys that differ in a digit must spread over the buckets like any. */
START_TEST(buckets_of_like_keys_spread)
{
	static uint16_t sixteenths[16];
	char key[32];

	memset(sixteenths, 0, sizeof(sixteenths));
	for (int i = 0; i < 16000; i++) {
		int len = snprintf(key, sizeof(key), "user:%d", 10000 + i);

		sixteenths[buckets_of_key(span_of(key, (size_t)len)) >> 12]++;
	}
	/* 1000 each, and five deviations of about 31. */
	for (size_t i = 0; i < 16; i++) {
		ck_assert_uint_gt(sixteenths[i], 845);
		ck_assert_uint_lt(sixteenths[i], 1155);
	}
}
END_TEST

/* The order of servers has no effect, even where positions collide. */
START_TEST(membership_order_has_no_effect)
{
	static struct members m, reversed;
	struct placement_spec spec = {.kind = PLACEMENT_BUCKETS};
	struct placement *a, *b;
	char buf[32];

	members_fill(&m, "node-", 300);
	members_fill(&reversed, "node-", 300);
	for (size_t i = 0; i < 300; i++)
		reversed.servers[i].name = m.servers[299 - i].name;
	a = members_build(&m, &spec);
	b = members_build(&reversed, &spec);
	for (uint64_t i = 0; i < 10000; i++) {
		struct span key = members_key(i, buf);

		ck_assert_uint_eq(placement_owner(a, key),
		    299 - placement_owner(b, key));
	}
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(points_are_buckets_and_all_are_given)
{
	static struct members m;
	struct placement_spec spec = {.kind = PLACEMENT_BUCKETS};
	struct placement *p;

	members_fill(&m, "node-", 100);
	p = members_build(&m, &spec);
	ck_assert_uint_eq(placement_points(p), BUCKETS_COUNT);
	for (size_t i = 0; i < 100; i++)
		ck_assert_uint_gt(placement_server_points(p, i), 300);
	placement_free(&p);
}
END_TEST

START_TEST(what_the_rule_does_not_take_is_refused)
{
	struct placement_spec spec = {.kind = PLACEMENT_BUCKETS};
	struct placement_server servers[] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 0.5),
	};
	struct placement_server *many = calloc(65537, sizeof(*many));
	char (*names)[8] = calloc(65537, sizeof(*names));

	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "has weight 0.5");
	servers[1].weight = 6999;
	spec.max_points = 1049999;
	expect_refused(&spec, servers, 2, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    "1050000 points, max_points is 1049999");
	spec.hash = HASH_MD5;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "hash \"md5\"");
	spec.hash = HASH_DEFAULT;
	spec.points_per_weight = 1;
	ck_assert(many != NULL && names != NULL);
	for (size_t i = 0; i < 65537; i++) {
		snprintf(names[i], sizeof(names[i]), "%zu", i);
		many[i] = expect_server(names[i], "a", 1, 1);
	}
	expect_refused(&spec, many, 65537, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    "65537 servers are more than its 65536 buckets");
	free(many);
	free(names);
}
END_TEST

/* A lone position, and that at the very start: found by wrapping all round. */
START_TEST(one_position_at_nought_owns_the_circle)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_BUCKETS,
		.points_per_weight = 1,
	};
	struct placement_server server = expect_server("n121832", "a", 1, 1);
	struct placement *p;

	ck_assert_uint_eq(hashes_fnv1a_32_unsigned(span_str("n121832:0")) %
	    BUCKETS_COUNT, 0);
	p = expect_built(&spec, &server, 1);
	ck_assert_uint_eq(placement_server_points(p, 0), BUCKETS_COUNT);
	placement_free(&p);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("buckets");
	TCase *tc = tcase_create("buckets");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, whole_assignments_are_reproduced);
	tcase_add_test(tc, only_hexadecimal_identifiers_have_a_bucket);
	tcase_add_test(tc, keys_keep_their_buckets);
	tcase_add_test(tc, buckets_of_like_keys_spread);
	tcase_add_test(tc, membership_order_has_no_effect);
	tcase_add_test(tc, points_are_buckets_and_all_are_given);
	tcase_add_test(tc, one_position_at_nought_owns_the_circle);
	tcase_add_test(tc, what_the_rule_does_not_take_is_refused);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
