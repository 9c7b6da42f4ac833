/*
 * Whole rings, point by point (rings.tsv), and the numbers of points that
 * single precision gives (points.tsv), of libmemcached, twemproxy and the
 * original ketama.
 */
#include <check.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ring/rule.h"
#include "vectors.h"

#define SERVERS_MAX 512

/* Which placement a family and its distribution are here. */
static const struct {
	const char		*family;
	const char		*distribution;	/* NULL: it has one only */
	enum placement_kind	 kind;
} kinds[] = {
	{"libmemcached", "ketama", PLACEMENT_LIBMEMCACHED_KETAMA},
	{"libmemcached", "ketama_weighted",
	    PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED},
	{"libmemcached", "spy", PLACEMENT_LIBMEMCACHED_SPY},
	{"libmemcached", "spy_weighted",
	    PLACEMENT_LIBMEMCACHED_SPY_WEIGHTED},
	{"twemproxy", "ketama", PLACEMENT_TWEMPROXY_KETAMA},
	{"ketama-rj", NULL, PLACEMENT_KETAMA},
};

static struct placement_spec
spec_of(const char *family, const struct vectors_case *c)
{
	const char *distribution = vectors_option(c, "distribution");
	struct placement_spec spec = {.kind = PLACEMENT_RING};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(family, kinds[i].family) == 0 &&
		    (kinds[i].distribution == NULL ||
		    strcmp(distribution, kinds[i].distribution) == 0))
			spec.kind = kinds[i].kind;
	ck_assert_int_ne(spec.kind, PLACEMENT_RING);
	ck_assert(hash_kind_by_name(span_str(vectors_option(c, "hash")),
	    &spec.hash));
	return spec;
}

/* The SHA-256 of the text "value node\n" for every point in ring order. */
static void
ring_digest(const struct placement *p, uint64_t npoints, char hex[65])
{
	SHA2_CTX ctx;
	uint8_t digest[SHA256_DIGEST_LENGTH];
	struct placement_arc arc;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(out);
	for (size_t i = 0; i < npoints; i++) {
		ck_assert(placement_arc_at(p, i, &arc));
		fprintf(out, "%u %u\n", (unsigned)(arc.last >> 32), arc.owner);
	}
	/* One arc more leads round to the first point. */
	ck_assert(placement_arc_at(p, npoints, &arc));
	ck_assert(!placement_arc_at(p, npoints + 1, &arc));
	ck_assert_int_eq(fclose(out), 0);
	SHA256Init(&ctx);
	SHA256Update(&ctx, (const uint8_t *)text, len);
	SHA256Final(digest, &ctx);
	free(text);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

/* "160,160,..." against the points of each server. */
static void
compare_counts(const struct placement *p, const char *counts)
{
	size_t n = placement_servers(p);

	for (size_t i = 0; i < n; i++) {
		char *end;
		unsigned long count = strtoul(counts, &end, 10);

		ck_assert_uint_eq(placement_server_points(p, i), count);
		ck_assert_int_eq(*end, i + 1 < n ? ',' : '\0');
		counts = end + 1;
	}
}

static void
compare_ring(const struct vectors *v, const struct vectors_row *row)
{
	const struct vectors_case *c = vectors_case(v, row->fields[1]);
	struct placement_spec spec = spec_of(row->fields[0], c);
	struct placement_server servers[SERVERS_MAX];
	size_t n = vectors_servers(v, c->membership, servers, SERVERS_MAX);
	struct placement *p = expect_built(&spec, servers, n);
	char hex[65];

	ck_assert_uint_eq(placement_points(p),
	    strtoul(row->fields[2], NULL, 10));
	compare_counts(p, row->fields[3]);
	ring_digest(p, placement_points(p), hex);
	ck_assert_msg(strcmp(hex, row->fields[4]) == 0, "ring %s", c->name);
	placement_free(&p);
}

START_TEST(rings_are_those_of_the_programs)
{
	struct vectors *v = vectors_read("rings.tsv");

	for (size_t i = 0; i < v->nrows; i++)
		compare_ring(v, &v->rows[i]);
	ck_assert_uint_eq(v->nrows, v->ncases);
	ck_assert_uint_eq(v->nrows, 113);
	vectors_free(&v);
}
END_TEST

/* Servers "s0:1", "s1:1" and so on with the weights of a comma list. */
static size_t
parse_weights(const char *list, struct placement_server servers[SERVERS_MAX],
    char names[SERVERS_MAX][16])
{
	size_t n = 0;

	for (;;) {
		char *end;
		double weight = strtod(list, &end);

		ck_assert_uint_lt(n, SERVERS_MAX);
		snprintf(names[n], sizeof(names[n]), "s%zu:1", n % 10000);
		servers[n] = expect_server(names[n], names[n], 2, weight);
		n++;
		if (*end == '\0')
			return n;
		list = end + 1;
	}
}

static void
compare_points(const struct vectors_row *row)
{
	struct placement_spec spec = {.kind = PLACEMENT_TWEMPROXY_KETAMA};
	struct placement_server servers[SERVERS_MAX];
	char names[SERVERS_MAX][16];
	size_t n = parse_weights(row->fields[1], servers, names);
	struct placement *p;

	if (strcmp(row->fields[0], "libmemcached") == 0)
		spec.kind = PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED;
	else
		ck_assert_str_eq(row->fields[0], "twemproxy");
	p = expect_built(&spec, servers, n);
	compare_counts(p, row->fields[2]);
	placement_free(&p);
}

START_TEST(weights_give_the_points_of_the_programs)
{
	struct vectors *v = vectors_read("points.tsv");

	for (size_t i = 0; i < v->nrows; i++)
		compare_points(&v->rows[i]);
	ck_assert_uint_eq(v->nrows, 280);
	vectors_free(&v);
}
END_TEST

/* Whether servers of one weight get 156 points instead of 160. */
static bool
falls_short(enum placement_kind kind, size_t n)
{
	struct placement_spec spec = {.kind = kind};
	struct placement_server servers[SERVERS_MAX];
	char names[SERVERS_MAX][16];
	struct placement *p;
	uint64_t points;

	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "s%zu:1", i % 10000);
		servers[i] = expect_server(names[i], names[i], 2, 1);
	}
	p = expect_built(&spec, servers, n);
	points = placement_server_points(p, 0);
	ck_assert_uint_eq(placement_points(p), points * n);
	ck_assert(points == 160 || points == 156);
	placement_free(&p);
	return points == 156;
}

static void
expect_short(enum placement_kind kind, const size_t *sizes, size_t n_max)
{
	for (size_t n = 1; n <= n_max; n++) {
		bool is_short = n == *sizes;

		ck_assert_msg(falls_short(kind, n) == is_short, "%s of %zu",
		    placement_kind_name(kind), n);
		if (is_short)
			sizes++;
	}
	ck_assert_uint_eq(*sizes, 0);
}

START_TEST(equal_weights_give_156_where_single_precision_does)
{
	static const size_t common[] = {25, 47, 50, 55, 61, 71, 94, 100, 107,
		109, 110, 115, 122, 142, 159, 163, 0};
	static const size_t original[] = {61, 122, 0};

	expect_short(PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED, common, 163);
	expect_short(PLACEMENT_TWEMPROXY_KETAMA, common, 163);
	expect_short(PLACEMENT_KETAMA, original, 163);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ketama rings");
	TCase *tc = tcase_create("rings");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, rings_are_those_of_the_programs);
	tcase_add_test(tc, weights_give_the_points_of_the_programs);
	tcase_add_test(tc, equal_weights_give_156_where_single_precision_does);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
