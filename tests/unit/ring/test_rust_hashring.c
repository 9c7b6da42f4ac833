/* The ring of the Rust crate against what the crate decided. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "vectors.h"

#define SERVERS_MAX 256

static struct placement_spec
spec_of(const struct vectors_case *c)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_CONSISTENT_HASH_RING_RS,
	};
	const char *type = vectors_option(c, "node_type");

	if (type != NULL && strcmp(type, "i32") == 0)
		spec.kind = PLACEMENT_CONSISTENT_HASH_RING_RS_I32;
	spec.points_per_weight = (uint32_t)vectors_number(c, "vnodes", 0);
	return spec;
}

/* The first servers for a key, as the file writes them. */
static void
write_owners(const struct placement *p, struct span key, size_t want,
    char out[64])
{
	uint32_t owners[8];
	size_t n = placement_owners(p, key, want, owners), len = 0;

	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(out + len, 64 - len, "%s%u",
		    i > 0 ? "," : "", owners[i]);
}

static size_t
expect_case(const struct vectors *v, const struct vectors_case *c)
{
	struct placement_spec spec = spec_of(c);
	struct placement_server servers[SERVERS_MAX];
	size_t n = vectors_servers(v, c->membership, servers, SERVERS_MAX);
	size_t want = (size_t)vectors_number(c, "replicas", 1);
	struct placement *p = expect_built(&spec, servers, n);
	size_t compared = 0;
	char owners[64];

	for (size_t i = 0; i < v->nrows; i++) {
		const char *answer = vectors_answer(c, &v->rows[i]);

		if (strcmp(answer, "-") == 0)
			continue;
		write_owners(p, v->rows[i].key, want, owners);
		ck_assert_msg(strcmp(owners, answer) == 0,
		    "case %s, line %zu: %s, not %s", c->name, v->rows[i].line,
		    owners, answer);
		compared++;
	}
	placement_free(&p);
	return compared;
}

/* Owners and replicas alike. */
START_TEST(every_column_is_reproduced)
{
	struct vectors *v = vectors_read("consistent-hash-ring-rs.tsv");
	size_t compared = 0;

	ck_assert_uint_eq(v->ncases, 28);
	for (size_t i = 0; i < v->ncases; i++)
		compared += expect_case(v, &v->cases[i]);
	ck_assert_uint_eq(compared, 11536);
	vectors_free(&v);
}
END_TEST

/* From the crate's documentation. */
START_TEST(documented_values_are_reproduced)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_CONSISTENT_HASH_RING_RS_I32,
	};
	struct placement_server servers[12];
	char names[12][4], owners[64];
	struct placement *p;

	for (size_t i = 0; i < 12; i++) {
		snprintf(names[i], sizeof(names[i]), "%zu", i);
		servers[i] = expect_server(names[i], "10.0.0.1", 11211, 1);
	}
	p = expect_built(&spec, servers, 12);
	write_owners(p, span_str("key"), 3, owners);
	ck_assert_str_eq(owners, "10,2,8");
	placement_free(&p);
	p = expect_built(&spec, servers, 1);
	ck_assert_uint_eq(placement_owner(p, span_str("by")), 0);
	placement_free(&p);
}
END_TEST

START_TEST(integers_are_what_a_rust_i32_holds)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_CONSISTENT_HASH_RING_RS_I32,
	};
	static const struct {
		const char	*name;
		bool		 is_taken;
	} cases[] = {
		{"0", true}, {"-1", true}, {"2147483647", true},
		{"-2147483648", true}, {"2147483648", false},
		{"-2147483649", false}, {"10.0.0.1:11211", false},
		{"1x", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct placement_server server =
		    expect_server(cases[i].name, "10.0.0.1", 11211, 1);
		struct placement *p;

		if (!cases[i].is_taken) {
			expect_refused(&spec, &server, 1,
			    PLACEMENT_UNSUPPORTED, "32-bit integer");
			continue;
		}
		p = expect_built(&spec, &server, 1);
		placement_free(&p);
	}
}
END_TEST

/* More servers than a walk remembers: still all of them, each once. */
START_TEST(walks_of_very_large_pools_are_complete)
{
	enum { N = 5000 };
	struct placement_spec spec = {
		.kind = PLACEMENT_CONSISTENT_HASH_RING_RS,
	};
	struct placement_server *servers = calloc(N, sizeof(*servers));
	char (*names)[16] = calloc(N, sizeof(*names));
	uint32_t *owners = calloc(N, sizeof(*owners));
	bool *seen = calloc(N, sizeof(*seen));
	struct placement *p;

	ck_assert(servers != NULL && names != NULL && owners != NULL &&
	    seen != NULL);
	for (size_t i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "node-%zu", i);
		servers[i] = expect_server(names[i], "10.0.0.1", 11211, 1);
	}
	p = expect_built(&spec, servers, N);
	ck_assert_uint_eq(placement_owners(p, span_str("k"), N, owners), N);
	ck_assert_uint_eq(owners[0], placement_owner(p, span_str("k")));
	for (size_t i = 0; i < N; i++) {
		ck_assert(!seen[owners[i]]);
		seen[owners[i]] = true;
	}
	placement_free(&p);
	free(servers);
	free(names);
	free(owners);
	free(seen);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("rust hashring");
	TCase *tc = tcase_create("rust hashring");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, every_column_is_reproduced);
	tcase_add_test(tc, documented_values_are_reproduced);
	tcase_add_test(tc, integers_are_what_a_rust_i32_holds);
	tcase_add_test(tc, walks_of_very_large_pools_are_complete);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
