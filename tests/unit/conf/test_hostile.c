/*
 * Any bytes at all: cut, mutated, random. Each must end as a configuration
 * that survives being printed, or as complaints that name the file.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* Every kind of key and node in few bytes. */
static const char seed_text[] =
    "config_version: 1\n"
    "workers: 2 # two\n"
    "limits: {clients: 10, value_size: 1MiB}\n"
    "listeners:\n"
    "  - listen: 127.0.0.1:1\n"
    "    pool: a\n"
    "    routes:\n"
    "      - {prefix: \"s:\\xe9\", pool: b}\n"
    "  - {listen: unix:/run/x, mode: \"0600\", pool: 'b'}\n"
    "pools:\n"
    "  a:\n"
    "    servers: &s\n"
    "      - x:1\n"
    "      - {name: \"${HOME:-n}\", address: \"[::1]:1\", weight: 0.5}\n"
    "    hash: siphash\n"
    "    hash_key: 0123456789abcdef0123456789abcdef\n"
    "    hash_tag: \"{}\"\n"
    "    timeouts: {connect: 250ms}\n"
    "    flush_all: true\n"
    "  b: {servers: *s, placement: memcached-ring, hash_seed: $$}\n"
    "  c:\n"
    "    servers: [y:1]\n"
    "    on_down: >-\n"
    "      next\n";

/* A copy without a byte after it, so that a sanitizer sees any overrun. */
static bool
parse_exactly(const char *text, size_t len)
{
	char *copy = malloc(len == 0 ? 1 : len);
	struct conf_errors *errors;
	struct conf *conf, *again;
	char *printed;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, text, len);
	conf = conf_parse("f", copy, len, &errors);
	free(copy);
	if (conf == NULL) {
		ck_assert_uint_ge(conf_errors_count(errors), 1);
		ck_assert_int_eq(strncmp(conf_errors_line(errors, 0), "f:",
		    2), 0);
		conf_errors_free(&errors);
		return false;
	}
	ck_assert_ptr_null(errors);
	/* The secret is not printed, so it cannot come back. */
	for (size_t i = 0; i < conf->npools; i++) {
		struct placement_spec *spec = &conf->pools[i].placement;

		memset(spec->hash_key, 0, sizeof(spec->hash_key));
		if (spec->hash == HASH_SIPHASH)
			spec->hash = HASH_DEFAULT;
	}
	printed = print_to_text(conf);
	again = parse_right(printed);
	expect_same(conf, again);
	free(printed);
	conf_free(&conf);
	conf_free(&again);
	return true;
}

START_TEST(a_file_cut_at_any_byte_is_no_trap)
{
	size_t whole = sizeof(seed_text) - 1, right = 0;

	ck_assert(parse_exactly(seed_text, whole));
	for (size_t len = 0; len < whole; len++)
		right += parse_exactly(seed_text, len);
	/* Nearly all are wrong, so the cut is not passed over either. */
	ck_assert_uint_lt(right, 20);
}
END_TEST

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A byte or word that means something in YAML or here, or any byte. */
static const char *
random_piece(uint64_t *state, char any[2])
{
	static const char *const pieces[] = {
		":", ": ", "- ", "[", "]", "{", "}", ",", "\n", "  ", "\t",
		"\"", "'", "|", ">", "#", "&s", "*s", "!", "%", "@", "`",
		"?", "---\n", "...\n", "<<", "~", "${", "${A:-", "}", "$$",
		"\\", "\xff", "\xc3", "\xe2\x80\xa8", "\xef\xbb\xbf", "0",
		"-1", "18446744073709551616", "ms", "GiB", "null", "true",
		"servers", "pools", "weight",
	};
	uint64_t r = next_random(state);

	if (r % 4 != 0)
		return pieces[(r >> 8) % LENGTH(pieces)];
	any[0] = (char)(1 + (r >> 8) % 255);
	any[1] = '\0';
	return any;
}

/* Replaces up to 2 bytes somewhere by a piece; gives the new length. */
static size_t
mutate(char *text, size_t len, size_t size, uint64_t *state)
{
	char any[2];
	const char *piece = random_piece(state, any);
	size_t at = next_random(state) % (len + 1);
	size_t cut = next_random(state) % 3, put = strlen(piece);

	if (cut > len - at)
		cut = len - at;
	if (len - cut + put > size)
		return len;
	memmove(text + at + put, text + at + cut, len - at - cut);
	memcpy(text + at, piece, put);
	return len - cut + put;
}

#define MUTANTS 10000

START_TEST(mutated_files_are_no_trap)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)_i;
	char text[2 * sizeof(seed_text)];
	size_t right = 0;

	for (int i = 0; i < MUTANTS; i++) {
		size_t len = sizeof(seed_text) - 1;
		uint64_t steps = 1 + next_random(&state) % 4;

		memcpy(text, seed_text, len);
		while (steps-- > 0)
			len = mutate(text, len, sizeof(text), &state);
		right += parse_exactly(text, len);
	}
	/* Some stay right: then the printing was put to the test as well. */
	ck_assert_uint_gt(right, MUTANTS / 100);
	ck_assert_uint_lt(right, MUTANTS / 2);
}
END_TEST

START_TEST(random_bytes_are_no_trap)
{
	uint64_t state = 88172645463325252;
	char text[512];

	for (int i = 0; i < MUTANTS / 4; i++) {
		size_t len = 0, wanted = next_random(&state) % 200;
		char any[2];

		while (len < wanted) {
			const char *piece = random_piece(&state, any);

			memcpy(text + len, piece, strlen(piece));
			len += strlen(piece);
		}
		ck_assert(!parse_exactly(text, len));
	}
}
END_TEST

/* A file of the largest size whose only sin is what `piece` repeats. */
static const char *const floods[] = {
	"a: 1\n", "- ", "[", "{", "? ", ": ", "#", " ", "\n", "a,", "\"", "'",
	"&a ", "*a ", "- &a x\n- *a\n", "!x ", "|\n", "---\n", "%TAG\n",
	"${A:-", "\\", "{a: [", "- {a: b, c: d}\n", "a: b: ",
};

START_TEST(floods_are_refused_soon)
{
	const char *piece = floods[_i];
	char *text = malloc(CONF_FILE_MAX);
	size_t len = 0;

	ck_assert_ptr_nonnull(text);
	while (len + strlen(piece) <= CONF_FILE_MAX) {
		memcpy(text + len, piece, strlen(piece));
		len += strlen(piece);
	}
	ck_assert(!parse_exactly(text, len));
	free(text);
}
END_TEST

/*
 * Each of 50,000 routes names a pool that is not among 1,000 long names: to
 * find the nearest for every one would take minutes.
 */
START_TEST(as_many_wrong_routes_as_fit_are_refused_soon)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);
	struct conf_errors *errors;

	fputs("listeners:\n", out);
	for (int i = 0; i < 12; i++) {
		fprintf(out, "- listen: 127.0.0.1:%d\n  pool: p0\n  routes:\n",
		    i + 1);
		for (int j = 0; j < 4096; j++)
			fprintf(out, "  - {prefix: p%d, pool: "
			    "the-name-of-a-pool-that-is-not-there-%d}\n", j,
			    j % 10);
	}
	fputs("pools:\n", out);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "  the-name-of-a-pool-that-is-there-%d: {servers: "
		    "[a:1]}\n", i);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_uint_lt(size, CONF_FILE_MAX);
	ck_assert_ptr_null(conf_parse("f", text, size, &errors));
	ck_assert_uint_gt(conf_errors_count(errors), 100);
	ck_assert_ptr_nonnull(strstr(conf_errors_line(errors, 100),
	    "and 49"));
	conf_errors_free(&errors);
	free(text);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("hostile");

	tcase_add_test(tc, a_file_cut_at_any_byte_is_no_trap);
	tcase_add_loop_test(tc, mutated_files_are_no_trap, 0, 2);
	tcase_add_test(tc, random_bytes_are_no_trap);
	tcase_add_loop_test(tc, floods_are_refused_soon, 0, LENGTH(floods));
	tcase_add_test(tc, as_many_wrong_routes_as_fit_are_refused_soon);
	return run_case("hostile", tc);
}
