/*
 * The documents have the reference of all keys as the table has them. With
 * the argument "markdown" or "man" this writes what belongs between the marks
 * in docs/configuration.md or docs/fairlead.yaml.5.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/keys.h"
#include "conf/value.h"
#include "reference.h"
#include "support.h"

#define MARKDOWN SOURCE_ROOT "/docs/configuration.md"
#define MAN SOURCE_ROOT "/docs/fairlead.yaml.5"

/* A document, and how the reference in it is marked and written. */
struct document {
	const char	*path;
	const char	*argument;
	const char	*begin, *end;
	void		(*write)(FILE *out);
};

static const struct document documents[] = {
	{MARKDOWN, "markdown", "<!-- reference: begin -->\n",
	    "<!-- reference: end -->\n", reference_write_markdown},
	{MAN, "man", ".\\\" reference: begin\n", ".\\\" reference: end\n",
	    reference_write_man},
};

START_TEST(the_reference_in_the_docs_is_the_table)
{
	const struct document *document = &documents[_i];
	char *docs = read_text(document->path), *begin, *end, *wanted;
	size_t size;
	FILE *out = open_memstream(&wanted, &size);

	begin = strstr(docs, document->begin);
	end = strstr(docs, document->end);
	ck_assert_ptr_nonnull(begin);
	ck_assert_ptr_nonnull(end);
	*end = '\0';
	document->write(out);
	fclose(out);
	ck_assert_msg(strcmp(begin + strlen(document->begin), wanted) == 0,
	    "%s is behind; this program writes it with \"%s\"",
	    document->path, document->argument);
	free(docs);
	free(wanted);
}
END_TEST

START_TEST(every_yaml_example_in_the_docs_loads)
{
	char *docs = read_text(MARKDOWN), *at = docs, *end;
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
	    key->type != KEY_SIZE && key->type != KEY_PERCENT) ||
	    key->initial_words != NULL)
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

	for (size_t i = 0; argc > 1 && i < LENGTH(documents); i++) {
		if (strcmp(argv[1], documents[i].argument) != 0)
			continue;
		documents[i].write(stdout);
		return EXIT_SUCCESS;
	}
	tc = tcase_create("reference");
	tcase_add_loop_test(tc, the_reference_in_the_docs_is_the_table, 0,
	    LENGTH(documents));
	tcase_add_test(tc, every_yaml_example_in_the_docs_loads);
	tcase_add_test(tc, every_row_of_the_table_is_sane);
	return run_case("reference", tc);
}
