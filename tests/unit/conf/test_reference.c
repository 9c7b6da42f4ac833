/*
 * docs/configuration.md has the reference of all keys as the table has them.
 * With the argument "print" this writes what belongs between its marks.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/keys.h"
#include "conf/value.h"
#include "reference.h"
#include "support.h"

#define PATH SOURCE_ROOT "/docs/configuration.md"
#define BEGIN "<!-- reference: begin -->\n"
#define END "<!-- reference: end -->\n"

START_TEST(the_reference_in_the_docs_is_the_table)
{
	char *docs = read_text(PATH), *begin, *end, *wanted;
	size_t size;
	FILE *out = open_memstream(&wanted, &size);

	begin = strstr(docs, BEGIN);
	end = strstr(docs, END);
	ck_assert_ptr_nonnull(begin);
	ck_assert_ptr_nonnull(end);
	*end = '\0';
	reference_write(out);
	fclose(out);
	ck_assert_msg(strcmp(begin + strlen(BEGIN), wanted) == 0,
	    "%s is behind; run this test with \"print\"", PATH);
	free(docs);
	free(wanted);
}
END_TEST

/* Fails the test unless the example after `mark` in the docs is right. */
START_TEST(every_yaml_example_in_the_docs_loads)
{
	char *docs = read_text(PATH), *at = docs, *end;
	static const char fence[] = "```yaml\n";
	int n = 0;

	setenv("CACHE_A", "10.0.0.1", 1);
	while ((at = strstr(at, fence)) != NULL) {
		struct conf *conf;

		at += strlen(fence);
		end = strstr(at, "```\n");
		ck_assert_ptr_nonnull(end);
		*end = '\0';
		conf = parse_right(at);
		conf_free(&conf);
		at = end + 1;
		n++;
	}
	ck_assert_int_ge(n, 2);
	free(docs);
}
END_TEST

static void
check_row(const struct section *section, const struct key *key)
{
	char out[VALUE_TEXT_MAX];
	struct err err;
	uint64_t n;

	ck_assert_msg(strlen(key->name) > 0 && strlen(key->help) > 0 &&
	    key->help[strlen(key->help) - 1] == '.', "%s has no help",
	    key->name);
	ck_assert_ptr_eq(section_key(section, span_str(key->name)), key);
	ck_assert_uint_le(key->min, key->max == 0 ? key->min : key->max);
	if ((key->type != KEY_INTEGER && key->type != KEY_DURATION &&
	    key->type != KEY_SIZE) || key->initial_words != NULL)
		return;
	/* A default that could not be written would be no default. */
	ck_assert_msg(value_parse(key, span_str(value_format(key,
	    key->initial, out)), &n, &err), "%s: %s", key->name, err.text);
	ck_assert_uint_eq(n, key->initial);
}

START_TEST(every_row_of_the_table_is_sane)
{
	size_t nkeys = 0;

	for (int id = 0; id < SECTION_COUNT; id++) {
		const struct section *section =
		    section_by_id((enum section_id)id);

		ck_assert_uint_gt(section->nkeys, 0);
		ck_assert_uint_le(section->nkeys, KEYS_MAX);
		for (size_t i = 0; i < section->nkeys; i++)
			check_row(section, &section->keys[i]);
		nkeys += section->nkeys;
	}
	ck_assert_uint_gt(nkeys, 40);
}
END_TEST

int
main(int argc, char **argv)
{
	TCase *tc;

	if (argc > 1 && strcmp(argv[1], "print") == 0) {
		reference_write(stdout);
		return EXIT_SUCCESS;
	}
	tc = tcase_create("reference");
	tcase_add_test(tc, the_reference_in_the_docs_is_the_table);
	tcase_add_test(tc, every_yaml_example_in_the_docs_loads);
	tcase_add_test(tc, every_row_of_the_table_is_sane);
	return run_case("reference", tc);
}
