/* The distributions of memcached's own proxy. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ring/memcached_key.h"
#include "vectors.h"

static enum placement_kind
kind_of(const struct vectors_case *c)
{
	static const struct {
		const char		*omode;
		enum placement_kind	 kind;
	} kinds[] = {
		{"default", PLACEMENT_MEMCACHED_RING},
		{"ketama", PLACEMENT_MEMCACHED_RING_KETAMA},
		{"twemproxy", PLACEMENT_MEMCACHED_RING_TWEMPROXY},
		{"evcache", PLACEMENT_MEMCACHED_RING_EVCACHE},
	};
	const char *omode = vectors_option(c, "omode");

	if (strcmp(vectors_option(c, "dist"), "jump") == 0)
		return PLACEMENT_MEMCACHED_JUMP;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].omode, omode) == 0)
			return kinds[i].kind;
	ck_abort_msg("unknown omode %s", omode);
}

static void
set_filter(struct placement_spec *spec, const struct vectors_case *c)
{
	const char *filter = vectors_option(c, "filter");
	const char *conf = vectors_option(c, "filter_conf");

	if (filter == NULL)
		return;
	if (strcmp(filter, "tags") == 0) {
		ck_assert_uint_eq(strlen(conf), sizeof(spec->hash_tag));
		memcpy(spec->hash_tag, conf, sizeof(spec->hash_tag));
	} else {
		ck_assert_str_eq(filter, "stop");
		ck_assert_uint_lt(strlen(conf), sizeof(spec->hash_stop));
		strcpy(spec->hash_stop, conf);
	}
}

static struct placement_spec
spec_of(const struct vectors_case *c)
{
	struct placement_spec spec = {.kind = kind_of(c)};
	const char *key_hash = vectors_option(c, "key_hash");
	const char *seed = vectors_option(c, "seed");

	if (key_hash != NULL)
		ck_assert(hash_kind_by_name(span_str(key_hash), &spec.hash));
	if (seed != NULL) {
		ck_assert_uint_lt(strlen(seed), sizeof(spec.hash_seed));
		strcpy(spec.hash_seed, seed);
	}
	set_filter(&spec, c);
	spec.points_per_weight = (uint32_t)vectors_number(c, "obuckets", 0);
	return spec;
}

START_TEST(placements_agree_with_memcached)
{
	struct vectors *v = vectors_read("memcached-proxy.tsv");

	/* A pool there has no weights. */
	expect_forget_weights(v);
	ck_assert_uint_eq(expect_all_cases(v, spec_of), 72 * 467);
	vectors_free(&v);
}
END_TEST

static const struct {
	const char	*tag;
	const char	*stop;
	const char	*key;
	const char	*part;
} parts[] = {
	{"", "", "{a}b|#|c", "{a}b|#|c"},
	{"{}", "", "{a}b", "a"},
	{"{}", "", "x{a}{b}", "a"},
	{"{}", "", "{}x", ""},
	{"{}", "", "}{x", "}{x"},
	{"{}", "", "}{x}", "x"},
	{"{}", "", "{", "{"},
	{"{}", "", "", ""},
	{"$$", "", "a$b$c", "b"},
	{"$$", "", "a$b", "a$b"},
	{"", "|#|", "a|#|b|#|c", "a"},
	{"", "|#|", "|#|b", ""},
	{"", "|#|", "a|#", "a|#"},
	{"", "|#|", "", ""},
};

#define NPARTS ((int)(sizeof(parts) / sizeof(parts[0])))

START_TEST(a_filter_chooses_the_part_that_is_hashed)
{
	struct placement_spec spec = {.kind = PLACEMENT_MEMCACHED_JUMP};
	struct span part;

	memcpy(spec.hash_tag, parts[_i].tag, strlen(parts[_i].tag));
	strcpy(spec.hash_stop, parts[_i].stop);
	part = memcached_key_part(&spec, span_str(parts[_i].key));
	ck_assert_msg(span_eq(part, span_str(parts[_i].part)), "%s: %.*s",
	    parts[_i].key, (int)part.len, part.p);
}
END_TEST

static const enum placement_kind all_kinds[] = {
	PLACEMENT_MEMCACHED_JUMP,
	PLACEMENT_MEMCACHED_RING,
	PLACEMENT_MEMCACHED_RING_KETAMA,
	PLACEMENT_MEMCACHED_RING_TWEMPROXY,
	PLACEMENT_MEMCACHED_RING_EVCACHE,
};

#define NKINDS ((int)(sizeof(all_kinds) / sizeof(all_kinds[0])))

static void
fill_three(struct placement_server servers[3])
{
	servers[0] = expect_server("10.0.0.1:11211", "10.0.0.1", 11211, 1);
	servers[1] = expect_server("10.0.0.2:11212", "10.0.0.2", 11212, 1);
	servers[2] = expect_server("10.0.0.3:11213", "10.0.0.3", 11213, 1);
}

START_TEST(weights_two_filters_and_other_hashes_are_refused)
{
	struct placement_spec spec = {.kind = all_kinds[_i]};
	struct placement_server servers[3];

	fill_three(servers);
	spec.hash = HASH_FNV1A_64;
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED, "fnv1a_64");
	spec.hash = HASH_MD5;
	if (spec.kind == PLACEMENT_MEMCACHED_JUMP)
		expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED,
		    "\"xxh3\"");
	spec.hash = HASH_XXH3;
	memcpy(spec.hash_tag, "{}", 2);
	strcpy(spec.hash_stop, "|#|");
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED,
	    "hash_tag and hash_stop exclude each other");
	spec.hash_stop[0] = '\0';
	servers[1].weight = 2;
	expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED,
	    "knows no weights");
}
END_TEST

START_TEST(md5_points_come_in_fours)
{
	struct placement_spec spec = {
		.kind = all_kinds[_i], .points_per_weight = 162,
	};
	struct placement_server servers[3];
	struct placement *p;

	fill_three(servers);
	if (spec.kind != PLACEMENT_MEMCACHED_RING) {
		expect_refused(&spec, servers, 3, PLACEMENT_UNSUPPORTED,
		    "must be a multiple of 4 here, 162 is not");
		spec.points_per_weight = 164;
	}
	p = expect_built(&spec, servers, 3);
	ck_assert_uint_eq(placement_points(p), 3 * spec.points_per_weight);
	placement_free(&p);
	spec.points_per_weight = 400000;
	expect_refused(&spec, servers, 3, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    "need 1200000 points, max_points is 1048576");
}
END_TEST

START_TEST(the_ring_has_160_points_a_server_unless_told_otherwise)
{
	struct placement_spec spec = {.kind = all_kinds[_i]};
	struct placement_server servers[3];
	struct placement *p;

	fill_three(servers);
	p = expect_built(&spec, servers, 3);
	ck_assert_uint_eq(placement_server_points(p, 2), 160);
	ck_assert_uint_eq(placement_points(p), 480);
	placement_free(&p);
}
END_TEST

/* Lamping and Veach: only keys that go to the new bucket move. */
START_TEST(a_server_added_to_jump_takes_keys_but_moves_none)
{
	struct placement_spec spec = {.kind = PLACEMENT_MEMCACHED_JUMP};
	struct placement_server servers[64];
	char names[64][16], key[32];

	for (size_t i = 0; i < 64; i++) {
		snprintf(names[i], sizeof(names[i]), "s%zu:1", i);
		servers[i] = expect_server(names[i], "s", 1, 1);
	}
	for (size_t n = 1; n < 64; n++) {
		struct placement *a = expect_built(&spec, servers, n);
		struct placement *b = expect_built(&spec, servers, n + 1);
		unsigned moved = 0;

		for (int i = 0; i < 1000; i++) {
			uint32_t before, after;

			snprintf(key, sizeof(key), "key-%d", i);
			before = placement_owner(a, span_str(key));
			after = placement_owner(b, span_str(key));
			ck_assert(after == before || after == n);
			moved += after != before;
		}
		ck_assert_uint_gt(moved, 0);
		placement_free(&a);
		placement_free(&b);
	}
}
END_TEST

START_TEST(a_seed_changes_the_placement)
{
	struct placement_spec plain = {.kind = all_kinds[_i]}, seeded = plain;
	struct placement_server servers[3];
	struct placement *a, *b;

	strcpy(seeded.hash_seed, "hello");
	fill_three(servers);
	a = expect_built(&plain, servers, 3);
	b = expect_built(&seeded, servers, 3);
	ck_assert(!expect_same_owners(a, b));
	placement_free(&a);
	placement_free(&b);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	struct placement_spec spec = {.kind = all_kinds[_i]};
	struct placement_server servers[3];

	fill_three(servers);
	ck_assert_uint_ge(expect_failures_survived(&spec, servers, 3), 5);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("memcached");
	TCase *tc = tcase_create("memcached");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, placements_agree_with_memcached);
	tcase_add_loop_test(tc, a_filter_chooses_the_part_that_is_hashed, 0,
	    NPARTS);
	tcase_add_loop_test(tc,
	    weights_two_filters_and_other_hashes_are_refused, 0, NKINDS);
	tcase_add_loop_test(tc, md5_points_come_in_fours, 1, NKINDS);
	tcase_add_loop_test(tc,
	    the_ring_has_160_points_a_server_unless_told_otherwise, 1, NKINDS);
	tcase_add_test(tc, a_server_added_to_jump_takes_keys_but_moves_none);
	tcase_add_loop_test(tc, a_seed_changes_the_placement, 0, NKINDS);
	tcase_add_loop_test(tc, every_allocation_may_fail, 0, NKINDS);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
