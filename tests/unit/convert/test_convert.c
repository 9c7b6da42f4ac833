/* The converters: every input has an answer, with and without memory. */
#include "convert/convert.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "case.h"
#include "convert/json_comments.h"

typedef void converter(struct draft *draft, struct span text,
    const struct convert_options *options);

struct sample {
	converter	*convert;
	const char	*text;
	const char	*word;		/* the result has it */
};

static const struct sample samples[] = {
	{convert_nutcracker,
	    "a b:\n"
	    "  listen: /tmp/x 0660\n"
	    "  distribution: random\n"
	    "  hash: crc32\n"
	    "  hash_tag: '{}'\n"
	    "  auto_eject_hosts: true\n"
	    "  client_connections: 9\n"
	    "  servers:\n"
	    "  - a:1:3 \"x\"\n"
	    "  - /s:1\n", "LOST: distribution random"},
	{convert_libmemcached, "--SORT-HOSTS --DISTRIBUTION=consistent "
	    "--SERVER=b:11211/?3 --SOCKET=\"/tmp/s p\" --HASH=MD5 "
	    "--CONNECT-TIMEOUT=3 --NAMESPACE=x", "ketama-weighted"},
	{convert_libmemcached, "b:1 3, a", "- a:11211"},
	{convert_mcrouter, "{\"pools\": {\"A\": {\"servers\": [\"a:1\", "
	    "\"[::1]:2:ascii:plain\"]}}, // comment\n"
	    "\"route\": {\"type\": \"PrefixSelectorRoute\", \"policies\": "
	    "{\"x$\": \"PoolRoute|A\"}, \"wildcard\": {\"type\": "
	    "\"FailoverRoute\", \"children\": [{\"type\": \"HashRoute\", "
	    "\"children\": \"Pool|A\", \"hash_func\": \"WeightedCh3\", "
	    "\"weights\": [0.25], \"salt\": \"s\"}]}}}",
	    "{prefix: \"x$$\", pool: A}"},
};

#define NSAMPLES ((int)LENGTH(samples))

/* The result as text, or NULL if there were errors. The caller frees it. */
static char *
convert_text(converter *convert, const char *text, size_t len)
{
	static const struct convert_options options = {"127.0.0.1:1"};
	struct conf_errors *errors = errors_new("f");
	struct draft draft;
	char *result = NULL;
	size_t size;

	if (errors == NULL)
		return NULL;
	if (draft_init(&draft, errors)) {
		convert(&draft, span_of(text, len), &options);
		if (errors_is_empty(errors)) {
			FILE *out = open_memstream(&result, &size);

			draft_write(&draft, out);
			fclose(out);
		}
	}
	draft_fini(&draft);
	conf_errors_free(&errors);
	return result;
}

static void
expect_loads(const char *text)
{
	struct conf_errors *errors;
	struct conf *conf = conf_parse("f", text, strlen(text), &errors);

	ck_assert_msg(conf != NULL, "%s\n%s",
	    conf == NULL ? conf_errors_line(errors, 0) : "", text);
	conf_free(&conf);
}

START_TEST(what_is_made_loads)
{
	const struct sample *sample = &samples[_i];
	char *result = convert_text(sample->convert, sample->text,
	    strlen(sample->text));

	ck_assert_ptr_nonnull(result);
	ck_assert_msg(strstr(result, sample->word) != NULL, "%s", result);
	expect_loads(result);
	free(result);
}
END_TEST

START_TEST(every_beginning_has_an_answer)
{
	const struct sample *sample = &samples[_i];

	for (size_t len = 0; len < strlen(sample->text); len++) {
		/* On the heap, so that reading too far is seen. */
		char *text = mem_alloc(len + 1);

		memcpy(text, sample->text, len);
		text[len] = '\0';
		free(convert_text(sample->convert, text, len));
		mem_free(text);
	}
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	const struct sample *sample = &samples[_i];
	bool has_failed = true;

	for (int64_t n = 0; has_failed; n++) {
		char *result;

		mem_fail_after(n);
		result = convert_text(sample->convert, sample->text,
		    strlen(sample->text));
		has_failed = mem_has_failed() != 0;
		mem_fail_after(-1);
		ck_assert_msg((result == NULL) == has_failed, "%lld",
		    (long long)n);
		free(result);
		ck_assert_int_lt(n, 10000);
	}
}
END_TEST

START_TEST(comments_become_blanks)
{
	static const char text[] =
	    "{\"a//b\": 1, // \"c\n\"\\\"/*\": 2 /* x\ny */ }";
	static const char wanted[] =
	    "{\"a//b\": 1,      \n\"\\\"/*\": 2     \n     }";
	struct conf_errors *errors = errors_new("f");
	struct draft draft;

	ck_assert(draft_init(&draft, errors));
	ck_assert_str_eq(json_comments_blank(&draft, span_str(text)), wanted);
	draft_fini(&draft);
	conf_errors_free(&errors);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("convert");

	tcase_add_loop_test(tc, what_is_made_loads, 0, NSAMPLES);
	tcase_add_loop_test(tc, every_beginning_has_an_answer, 0, NSAMPLES);
	tcase_add_loop_test(tc, every_allocation_may_fail, 0, NSAMPLES);
	tcase_add_test(tc, comments_become_blanks);
	return case_run("convert", tc);
}
