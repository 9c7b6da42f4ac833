/* What all placements share: names, hash tags, walks, queries, identity. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "members.h"
#include "ring/placement_change.h"

static const struct placement_spec plain = {.kind = PLACEMENT_RING};

START_TEST(each_rule_is_found_by_its_name)
{
	for (int i = 0; i < PLACEMENT_KIND_COUNT; i++) {
		enum placement_kind kind;

		ck_assert(placement_kind_by_name(span_str(placement_kind_name(
		    (enum placement_kind)i)), &kind));
		ck_assert_int_eq(kind, i);
	}
}
END_TEST

START_TEST(each_hash_is_found_by_its_name)
{
	enum hash_kind kind;

	for (int i = HASH_DEFAULT + 1; i < HASH_KIND_COUNT; i++) {
		ck_assert(hash_kind_by_name(span_str(hash_kind_name(
		    (enum hash_kind)i)), &kind));
		ck_assert_int_eq(kind, i);
	}
	ck_assert_str_eq(hash_kind_name(HASH_DEFAULT), "default");
	ck_assert(!hash_kind_by_name(span_str("default"), &kind));
}
END_TEST

START_TEST(unknown_names_are_not_found)
{
	static const char *const names[] = {"", "rin", "rings", "RING"};
	enum placement_kind kind;
	enum hash_kind hash;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ck_assert(!placement_kind_by_name(span_str(names[i]), &kind));
		ck_assert(!hash_kind_by_name(span_str(names[i]), &hash));
	}
	ck_assert(!placement_kind_by_name(span_of("ring\0", 5), &kind));
}
END_TEST

START_TEST(failures_have_names)
{
	ck_assert_str_eq(placement_error_name(PLACEMENT_OK), "OK");
	ck_assert_str_eq(placement_error_name(PLACEMENT_NO_SERVERS),
	    "NoServers");
	ck_assert_str_eq(placement_error_name(PLACEMENT_DUPLICATE_IDENTITY),
	    "DuplicateIdentity");
	ck_assert_str_eq(placement_error_name(
	    PLACEMENT_STATE_CAPACITY_EXCEEDED), "StateCapacityExceeded");
	ck_assert_str_eq(placement_error_name(PLACEMENT_UNSUPPORTED),
	    "Unsupported");
}
END_TEST

START_TEST(pool_without_servers_is_refused)
{
	static struct members m;
	struct err err;

	members_fill(&m, "cache", 0);
	ck_assert_int_eq(members_refusal(&m, &plain, &err),
	    PLACEMENT_NO_SERVERS);
}
END_TEST

START_TEST(doubled_name_is_refused_by_name)
{
	static struct members m;
	struct err err;

	members_fill(&m, "cache", 100);
	members_add(&m, "cache-41", 7);
	ck_assert_int_eq(members_refusal(&m, &plain, &err),
	    PLACEMENT_DUPLICATE_IDENTITY);
	ck_assert_str_eq(err.text, "two servers are called \"cache-41\", the "
	    "ones at positions 42 and 101");
}
END_TEST

START_TEST(names_differ_by_any_byte)
{
	struct placement_server servers[] = {
		{.name = span_of("a", 1), .weight = 1},
		{.name = span_of("a\0", 2), .weight = 1},
		{.name = span_of("A", 1), .weight = 1},
		{.name = span_of("", 0), .weight = 1},
		{.name = span_of("a ", 2), .weight = 1},
		{.name = span_of("\xff", 1), .weight = 1},
		{.name = span_of("a\xff", 2), .weight = 1},
	};
	enum placement_error error;
	struct err err;
	struct placement *p;

	p = placement_build(&plain, servers, 7, &error, &err);
	ck_assert_ptr_nonnull(p);
	for (uint32_t i = 0; i < 7; i++)
		ck_assert_uint_eq(placement_find(p, servers[i].name), i);
	ck_assert_uint_eq(placement_find(p, span_str("b")), PLACEMENT_NONE);
	placement_free(&p);
}
END_TEST

START_TEST(lent_servers_are_copied)
{
	static struct members m;
	struct placement *p;

	members_fill(&m, "cache", 3);
	m.servers[1].weight = 5;
	p = members_build(&m, &plain);
	memset(m.names, 'x', sizeof(m.names));
	ck_assert(span_eq(placement_server_at(p, 2)->name,
	    span_str("cache-2")));
	ck_assert(span_eq(placement_server_at(p, 2)->host,
	    span_str("127.0.0.1")));
	ck_assert_uint_eq(placement_server_at(p, 2)->port, 11213);
	ck_assert_double_eq(placement_server_at(p, 1)->weight, 5);
	ck_assert_uint_eq(placement_servers(p), 3);
	ck_assert_uint_eq(placement_server_points(p, 0), 128);
	ck_assert_uint_eq(placement_server_points(p, 1), 5 * 128);
	ck_assert_uint_eq(placement_points(p), 7 * 128);
	ck_assert_int_eq(placement_spec_of(p)->kind, PLACEMENT_RING);
	placement_free(&p);
	ck_assert_ptr_null(p);
	placement_free(&p);
}
END_TEST

START_TEST(hash_tag_is_cut_out)
{
	static const struct {
		const char *tag, *key, *part;
	} cases[] = {
		{"{}", "plain", "plain"},
		{"{}", "{user42}:profile", "user42"},
		{"{}", "a{b}c{d}e", "b"},
		{"{}", "{}", "{}"},
		{"{}", "{}x{y}", "{}x{y}"},
		{"{}", "a{}", "a{}"},
		{"{}", "}{", "}{"},
		{"{}", "}a{b}", "b"},
		{"{}", "{open", "{open"},
		{"{}", "open{", "open{"},
		{"{}", "{{a}}", "{a"},
		{"{}", "", ""},
		{"$$", "a$b$c", "b"},
		{"$$", "a$$c", "a$$c"},
		{"$$", "$", "$"},
		{"::", "x:y:z", "y"},
		{"", "{user42}:profile", "{user42}:profile"},
	};
	static struct members m;

	members_fill(&m, "cache", 100);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct placement_spec spec = plain;
		struct placement *p, *untagged;
		struct span part;

		memcpy(spec.hash_tag, cases[i].tag, strlen(cases[i].tag));
		p = members_build(&m, &spec);
		untagged = members_build(&m, &plain);
		part = placement_key_part(p, span_str(cases[i].key));
		ck_assert_msg(span_eq(part, span_str(cases[i].part)),
		    "tag %s of %s", cases[i].tag, cases[i].key);
		ck_assert_uint_eq(placement_owner(p, span_str(cases[i].key)),
		    placement_owner(untagged, span_str(cases[i].part)));
		placement_free(&p);
		placement_free(&untagged);
	}
}
END_TEST

struct refusals {
	size_t		accept_at;	/* the how-manieth server to accept */
	size_t		asked;
	uint32_t	servers[MEMBERS_MAX];
};

static bool
accept_late(void *arg, uint32_t server)
{
	struct refusals *r = arg;

	ck_assert_uint_lt(r->asked, MEMBERS_MAX);
	r->servers[r->asked] = server;
	return r->asked++ == r->accept_at;
}

/* Distinct, complete, the owner first, in the order of owner_where(). */
START_TEST(walk_meets_each_server_once)
{
	static const size_t sizes[] = {1, 2, 3, 10, 64, 65, 300};
	static struct members m;
	static struct refusals r;

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct placement *p;

		members_fill(&m, "cache", sizes[s]);
		p = members_build(&m, &plain);
		for (uint64_t i = 0; i < 50; i++) {
			uint32_t owners[MEMBERS_MAX + 1];
			bool seen[MEMBERS_MAX] = {false};
			char buf[32];
			struct span key = members_key(i, buf);

			ck_assert_uint_eq(placement_owners(p, key, m.n + 1,
			    owners), m.n);
			ck_assert_uint_eq(owners[0], placement_owner(p, key));
			for (size_t k = 0; k < m.n; k++) {
				ck_assert(!seen[owners[k]]);
				seen[owners[k]] = true;
			}
			r.accept_at = i % m.n;
			r.asked = 0;
			ck_assert_uint_eq(placement_owner_where(p, key,
			    accept_late, &r), owners[i % m.n]);
			ck_assert_uint_eq(r.asked, i % m.n + 1);
			ck_assert_mem_eq(r.servers, owners,
			    r.asked * sizeof(owners[0]));
		}
		placement_free(&p);
	}
}
END_TEST

START_TEST(walk_stops_where_it_is_told)
{
	static struct members m;
	struct placement *p;
	uint32_t all[10], some[10];
	struct span key = SPAN_LIT("key");

	members_fill(&m, "cache", 10);
	p = members_build(&m, &plain);
	ck_assert_uint_eq(placement_owners(p, key, 10, all), 10);
	for (size_t want = 0; want <= 10; want++) {
		memset(some, 0xee, sizeof(some));
		ck_assert_uint_eq(placement_owners(p, key, want, some), want);
		ck_assert_mem_eq(some, all, want * sizeof(all[0]));
		if (want < 10)
			ck_assert_uint_eq(some[want], 0xeeeeeeee);
	}
	placement_free(&p);
}
END_TEST

START_TEST(all_refused_is_none)
{
	static struct members m;
	static struct refusals r;
	struct placement *p;

	members_fill(&m, "cache", 20);
	p = members_build(&m, &plain);
	r.accept_at = SIZE_MAX;
	ck_assert_uint_eq(placement_owner_where(p, span_str("key"),
	    accept_late, &r), PLACEMENT_NONE);
	ck_assert_uint_eq(r.asked, 20);
	placement_free(&p);
}
END_TEST

static bool
count_and_refuse(void *arg, uint32_t server)
{
	bool *seen = arg;

	seen[server] = true;
	return false;
}

/* More servers than a walk remembers: still all of them. */
START_TEST(walk_of_very_many_servers_is_complete)
{
	enum { N = PLACEMENT_WALK_DISTINCT + 4 };
	static struct placement_server servers[N];
	static char names[N][12];
	static bool seen[N];
	static uint32_t owners[N];
	struct placement_spec spec = {.points_per_weight = 2};
	enum placement_error error;
	struct err err;
	struct placement *p;

	for (int i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "s%d", i);
		servers[i].name = span_str(names[i]);
		servers[i].weight = 1;
	}
	p = placement_build(&spec, servers, N, &error, &err);
	ck_assert_ptr_nonnull(p);
	ck_assert_uint_eq(placement_owner_where(p, span_str("key"),
	    count_and_refuse, seen), PLACEMENT_NONE);
	ck_assert_uint_eq(placement_owners(p, span_str("key"), N, owners), N);
	for (int i = 0; i < N; i++) {
		ck_assert(seen[i]);
		seen[i] = false;
	}
	for (int i = 0; i < N; i++) {
		ck_assert(!seen[owners[i]]);
		seen[owners[i]] = true;
	}
	placement_free(&p);
}
END_TEST

/* Once a placement stands, nothing asks for memory. */
START_TEST(look_ups_do_not_allocate)
{
	static const enum hash_kind hashes[] = {HASH_FNV1A_64, HASH_XXH3,
	    HASH_SIPHASH};
	static char long_key[10000];
	static struct members m;

	members_fill(&m, "cache", 10);
	memset(long_key, 'k', sizeof(long_key));
	for (size_t h = 0; h < 3; h++) {
		struct placement_spec spec = {.hash = hashes[h],
		    .hash_tag = "{}", .hash_key = {1}};
		struct placement *p = members_build(&m, &spec);
		static struct refusals r;
		uint32_t owners[10];

		mem_fail_after(0);
		for (size_t len = 0; len < sizeof(long_key); len += 99) {
			struct span key = span_of(long_key, len);

			placement_owner(p, key);
			placement_owners(p, key, 10, owners);
			r.accept_at = 5;
			r.asked = 0;
			(void)placement_owner_where(p, key, accept_late, &r);
			placement_find(p, key);
		}
		ck_assert(!mem_has_failed());
		mem_fail_after(-1);
		placement_free(&p);
	}
}
END_TEST

START_TEST(identity_is_names_weights_order_and_spec)
{
	static struct members m, other;
	struct placement_spec spec = plain;
	struct placement *p;

	members_fill(&m, "cache", 5);
	p = members_build(&m, &plain);
	members_fill(&other, "cache", 5);
	ck_assert(placement_is_of(p, &plain, other.servers, 5));
	/* The native ring never looks at addresses. */
	other.servers[1].host = span_str("10.0.0.9");
	other.servers[1].port = 1;
	ck_assert(placement_is_of(p, &plain, other.servers, 5));
	ck_assert(!placement_is_of(p, &plain, other.servers, 4));
	spec.points_per_weight = 128;
	ck_assert(!placement_is_of(p, &spec, other.servers, 5));
	other.servers[2].weight = 2;
	ck_assert(!placement_is_of(p, &plain, other.servers, 5));
	other.servers[2].weight = 1;
	other.servers[2].name = span_str("cache-3");
	other.servers[3].name = span_str("cache-2");
	ck_assert(!placement_is_of(p, &plain, other.servers, 5));
	placement_free(&p);
}
END_TEST

START_TEST(one_server_more_fewer_or_heavier)
{
	static struct members m;
	struct placement_server late = {.name = SPAN_LIT("late"), .weight = 2};
	struct placement *p, *q;
	enum placement_error error;
	struct err err;

	members_fill(&m, "cache", 4);
	p = members_build(&m, &plain);
	q = placement_with(p, &late, &error, &err);
	ck_assert_ptr_nonnull(q);
	members_add(&m, "late", 2);
	ck_assert(placement_is_of(q, &plain, m.servers, 5));
	placement_free(&p);
	p = placement_without(q, 1, &error, &err);
	ck_assert_ptr_nonnull(p);
	members_remove(&m, 1);
	ck_assert(placement_is_of(p, &plain, m.servers, 4));
	placement_free(&q);
	q = placement_reweighted(p, 0, 3, &error, &err);
	ck_assert_ptr_nonnull(q);
	m.servers[0].weight = 3;
	ck_assert(placement_is_of(q, &plain, m.servers, 4));
	placement_free(&p);
	ck_assert_ptr_null(placement_with(q, &late, &error, &err));
	ck_assert_int_eq(error, PLACEMENT_DUPLICATE_IDENTITY);
	ck_assert_ptr_null(placement_reweighted(q, 0, 0.5, &error, &err));
	ck_assert_int_eq(error, PLACEMENT_UNSUPPORTED);
	while (placement_servers(q) > 1) {
		p = placement_without(q, 0, &error, &err);
		ck_assert_ptr_nonnull(p);
		placement_free(&q);
		q = p;
	}
	ck_assert_ptr_null(placement_without(q, 0, &error, &err));
	ck_assert_int_eq(error, PLACEMENT_NO_SERVERS);
	mem_fail_after(0);
	ck_assert_ptr_null(placement_with(q, &late, &error, &err));
	mem_fail_after(-1);
	ck_assert_int_eq(error, PLACEMENT_STATE_CAPACITY_EXCEEDED);
	placement_free(&q);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("placement");
	TCase *tc = tcase_create("placement");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, each_rule_is_found_by_its_name);
	tcase_add_test(tc, each_hash_is_found_by_its_name);
	tcase_add_test(tc, unknown_names_are_not_found);
	tcase_add_test(tc, failures_have_names);
	tcase_add_test(tc, pool_without_servers_is_refused);
	tcase_add_test(tc, doubled_name_is_refused_by_name);
	tcase_add_test(tc, names_differ_by_any_byte);
	tcase_add_test(tc, lent_servers_are_copied);
	tcase_add_test(tc, hash_tag_is_cut_out);
	tcase_add_test(tc, walk_meets_each_server_once);
	tcase_add_test(tc, walk_stops_where_it_is_told);
	tcase_add_test(tc, all_refused_is_none);
	tcase_add_test(tc, walk_of_very_many_servers_is_complete);
	tcase_add_test(tc, look_ups_do_not_allocate);
	tcase_add_test(tc, identity_is_names_weights_order_and_spec);
	tcase_add_test(tc, one_server_more_fewer_or_heavier);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
