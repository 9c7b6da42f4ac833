/* What the tests of the rules expect of a build. */
#include "expect.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct placement_server
expect_server(const char *name, const char *host, uint16_t port,
    double weight)
{
	return (struct placement_server){
		.name = span_str(name),
		.host = span_str(host),
		.port = port,
		.weight = weight,
	};
}

struct placement *
expect_built(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n)
{
	enum placement_error error;
	struct err err = {""};
	struct placement *p = placement_build(spec, servers, n, &error, &err);

	ck_assert_msg(p != NULL, "%s: %s", placement_kind_name(spec->kind),
	    err.text);
	ck_assert_int_eq(error, PLACEMENT_OK);
	return p;
}

void
expect_refused(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n,
    enum placement_error error, const char *words)
{
	enum placement_error got = PLACEMENT_OK;
	struct err err = {""};
	struct placement *p = placement_build(spec, servers, n, &got, &err);

	ck_assert_ptr_null(p);
	ck_assert_msg(got == error, "%s, not %s: %s",
	    placement_error_name(got), placement_error_name(error), err.text);
	ck_assert_msg(strstr(err.text, words) != NULL,
	    "\"%s\" is not in \"%s\"", words, err.text);
}

size_t
expect_failures_survived(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n)
{
	for (int64_t i = 0;; i++) {
		enum placement_error error = PLACEMENT_OK;
		struct err err = {""};
		struct placement *p;

		mem_fail_after(i);
		p = placement_build(spec, servers, n, &error, &err);
		mem_fail_after(-1);
		if (p != NULL) {
			placement_free(&p);
			return (size_t)i;
		}
		ck_assert_msg(error == PLACEMENT_STATE_CAPACITY_EXCEEDED,
		    "allocation %d: %s: %s", (int)i,
		    placement_error_name(error), err.text);
		ck_assert_msg(strstr(err.text, "memory") != NULL,
		    "allocation %d: %s", (int)i, err.text);
	}
}

size_t
expect_all_cases(const struct vectors *v,
    struct placement_spec (*spec_of)(const struct vectors_case *c))
{
	size_t compared = 0;

	for (size_t i = 0; i < v->ncases; i++) {
		struct placement_spec spec = spec_of(&v->cases[i]);

		compared += vectors_expect(v, &v->cases[i], &spec);
	}
	return compared;
}

bool
expect_same_owners(const struct placement *a, const struct placement *b)
{
	char key[32];

	for (int i = 0; i < 10000; i++) {
		int len = snprintf(key, sizeof(key), "key:%d\xc3\xa9", i);
		struct span span = span_of(key, (size_t)len);

		if (placement_owner(a, span) != placement_owner(b, span))
			return false;
	}
	return true;
}

void
expect_forget_weights(struct vectors *v)
{
	for (size_t i = 0; i < v->nnodes; i++)
		v->nodes[i].weight = 1;
}
