/* The original ketama, and the names and rings that its heirs share. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ring/ketama_caveat.h"
#include "ring/ketama_members.h"
#include "ring/ketama_name.h"
#include "vectors.h"

static struct placement_spec
spec_of(const struct vectors_case *c)
{
	struct placement_spec spec = {.kind = PLACEMENT_KETAMA};

	ck_assert_str_eq(vectors_option(c, "hash"), "md5");
	return spec;
}

START_TEST(ketama_agrees_with_libketama)
{
	struct vectors *v = vectors_read("ketama-rj.tsv");

	ck_assert_uint_eq(expect_all_cases(v, spec_of), 11 * 467);
	vectors_free(&v);
}
END_TEST

START_TEST(names_beyond_libketamas_are_refused)
{
	struct placement_spec spec = {.kind = PLACEMENT_KETAMA};
	struct placement_server servers[2] = {
		expect_server("10.0.0.1:11211", "10.0.0.1", 11211, 1),
		expect_server("a.name.of-23-bytes:1121", "a", 1121, 1),
	};
	struct placement *p = expect_built(&spec, servers, 2);

	placement_free(&p);
	servers[1].name = span_str("a.name.of-24-bytes:11211");
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED,
	    "at most 23 bytes, as in libketama; \"a.name.of-24-bytes:11211\" "
	    "has 24");
}
END_TEST

START_TEST(only_md5_and_whole_weights_are_taken)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_KETAMA, .hash = HASH_MD5,
	};
	struct placement_server servers[2] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 2),
	};
	struct placement *p = expect_built(&spec, servers, 2);

	placement_free(&p);
	spec.hash = HASH_FNV1A_64;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "\"md5\"");
	spec.hash = HASH_DEFAULT;
	servers[1].weight = 2.5;
	expect_refused(&spec, servers, 2, PLACEMENT_UNSUPPORTED, "weight");
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	struct placement_spec spec = {.kind = PLACEMENT_KETAMA};
	struct placement_server servers[2] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 2),
	};

	ck_assert_uint_ge(expect_failures_survived(&spec, servers, 2), 9);
}
END_TEST

static const struct {
	const char	*name;
	const char	*host;
	uint16_t	 port;
	bool		 is_named;
	const char	*host_port;
	const char	*abridged;	/* KETAMA_SHORT */
	const char	*twemproxy;
} spellings[] = {
	{"10.0.0.1:11211", "10.0.0.1", 11211, false,
	    "10.0.0.1:11211", "10.0.0.1", "10.0.0.1"},
	{"localhost:22122", "localhost", 22122, false,
	    "localhost:22122", "localhost:22122", "localhost:22122"},
	{"[::1]:11212", "::1", 11212, false,
	    "::1:11212", "::1:11212", "::1:11212"},
	{"unix:/tmp/a.sock", "/tmp/a.sock", 0, false,
	    "/tmp/a.sock:0", "/tmp/a.sock:0", "/tmp/a.sock:"},
	/* Named: the address counts for nothing. */
	{"cache-b", "10.0.0.2", 22122, true,
	    "cache-b:11211", "cache-b", "cache-b"},
	{"10.0.0.1:11211", "10.0.0.2", 22122, false,
	    "10.0.0.1:11211", "10.0.0.1", "10.0.0.1:11211"},
	{"10.0.0.1:11211", "10.0.0.1", 11211, true,
	    "10.0.0.1:11211", "10.0.0.1", "10.0.0.1:11211"},
	/* No port in these names, whatever they look like. */
	{"a:b", "h", 1, true,
	    "a:b:11211", "a:b", "a:b"},
	{":11212", "h", 1, true,
	    ":11212:11211", ":11212", ":11212"},
	{"a:65536", "h", 1, true,
	    "a:65536:11211", "a:65536", "a:65536"},
};

#define NSPELLINGS ((int)(sizeof(spellings) / sizeof(spellings[0])))

static void
expect_spelled(int row, enum ketama_spelling spelling, const char *expected)
{
	struct placement_server server = expect_server(spellings[row].name,
	    spellings[row].host, spellings[row].port, 1);
	char out[128];
	size_t len;

	server.is_named = spellings[row].is_named;
	ck_assert_uint_le(ketama_spelled_max(&server), sizeof(out));
	len = ketama_spell(spelling, &server, out);
	ck_assert_uint_le(len, ketama_spelled_max(&server));
	ck_assert_msg(span_eq(span_of(out, len), span_str(expected)),
	    "%s, spelling %d: %.*s", spellings[row].name, (int)spelling,
	    (int)len, out);
}

START_TEST(servers_are_spelled_as_each_program_does)
{
	const char *host_port = spellings[_i].host_port;
	char spelled[128];

	expect_spelled(_i, KETAMA_AS_WRITTEN, spellings[_i].name);
	expect_spelled(_i, KETAMA_HOST_PORT, host_port);
	expect_spelled(_i, KETAMA_SHORT, spellings[_i].abridged);
	expect_spelled(_i, KETAMA_TWEMPROXY, spellings[_i].twemproxy);
	snprintf(spelled, sizeof(spelled), "/%s", host_port);
	expect_spelled(_i, KETAMA_SPY, spelled);
	snprintf(spelled, sizeof(spelled), "%.*s/%s",
	    (int)(strrchr(host_port, ':') - host_port), host_port, host_port);
	expect_spelled(_i, KETAMA_EVCACHE, spelled);
}
END_TEST

/* What the formulas might give for weights beyond all reason. */
START_TEST(numbers_that_are_none_give_no_ring)
{
	float zero = 0;

	ck_assert_uint_eq(ketama_four_times_floor(0.9F), 0);
	ck_assert_uint_eq(ketama_four_times_floor(40.0F), 160);
	ck_assert_uint_eq(ketama_four_times_floor(39.999998F), 156);
	ck_assert_uint_eq(ketama_four_times_floor(1 / zero),
	    KETAMA_POINTS_MAX);
	ck_assert_uint_eq(ketama_four_times_floor(zero / zero),
	    KETAMA_POINTS_MAX);
	ck_assert_uint_eq(ketama_four_times_floor(-1), KETAMA_POINTS_MAX);
	ck_assert_uint_eq(ketama_four_times_floor(1e30F), KETAMA_POINTS_MAX);
}
END_TEST

static void
expect_caveat(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n, const char *words)
{
	struct placement *p = expect_built(spec, servers, n);
	struct err err = {""};

	ck_assert_msg(ketama_caveat(p, &err) == (words[0] != '\0'), "%s: %s",
	    placement_kind_name(spec->kind), err.text);
	ck_assert_str_eq(err.text, words);
	placement_free(&p);
}

START_TEST(a_hash_too_narrow_for_the_ring_is_warned_of)
{
	struct placement_spec spec = {
		.kind = PLACEMENT_TWEMPROXY_KETAMA, .hash = HASH_CRC32,
	};
	struct placement_server servers[2] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 1),
	};

	expect_caveat(&spec, servers, 2, "hash crc32 has 15 bits, and the "
	    "ring of placement twemproxy-ketama 32: at most 1 of 2 servers "
	    "get any key");
	spec.kind = PLACEMENT_LIBMEMCACHED_KETAMA_WEIGHTED;
	spec.hash = HASH_CRC;
	expect_caveat(&spec, servers, 2, "hash crc has 15 bits, and the "
	    "ring of placement libmemcached-ketama-weighted 32: at most 1 of "
	    "2 servers get any key");
	/* Here the points have 15 bits as well. */
	spec.kind = PLACEMENT_LIBMEMCACHED_KETAMA;
	expect_caveat(&spec, servers, 2, "");
	spec.kind = PLACEMENT_TWEMPROXY_MODULA;
	spec.hash = HASH_CRC32;
	expect_caveat(&spec, servers, 2, "");
	spec.kind = PLACEMENT_TWEMPROXY_KETAMA;
	spec.hash = HASH_CRC32A;
	expect_caveat(&spec, servers, 2, "");
}
END_TEST

START_TEST(a_server_without_a_point_is_warned_of)
{
	struct placement_spec spec = {.kind = PLACEMENT_KETAMA};
	struct placement_server servers[2] = {
		expect_server("a:1", "a", 1, 1),
		expect_server("b:1", "b", 1, 100),
	};

	expect_caveat(&spec, servers, 2, "server \"a:1\" is so light that it "
	    "gets no point on the ring, and no key");
	servers[1].weight = 1;
	expect_caveat(&spec, servers, 2, "");
	/* A placement without points has nobody without one. */
	spec.kind = PLACEMENT_MEMCACHED_JUMP;
	expect_caveat(&spec, servers, 2, "");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ketama");
	TCase *tc = tcase_create("ketama");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, ketama_agrees_with_libketama);
	tcase_add_test(tc, names_beyond_libketamas_are_refused);
	tcase_add_test(tc, only_md5_and_whole_weights_are_taken);
	tcase_add_test(tc, every_allocation_may_fail);
	tcase_add_loop_test(tc, servers_are_spelled_as_each_program_does, 0,
	    NSPELLINGS);
	tcase_add_test(tc, numbers_that_are_none_give_no_ring);
	tcase_add_test(tc, a_hash_too_narrow_for_the_ring_is_warned_of);
	tcase_add_test(tc, a_server_without_a_point_is_warned_of);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
