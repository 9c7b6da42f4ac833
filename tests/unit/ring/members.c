/* Memberships made up for tests. */
#include "members.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void
members_fill(struct members *m, const char *prefix, size_t n)
{
	m->n = 0;
	for (size_t i = 0; i < n; i++) {
		char name[24];

		snprintf(name, sizeof(name), "%.12s-%zu", prefix, i % 1000000);
		members_add(m, name, 1);
	}
}

void
members_add(struct members *m, const char *name, double weight)
{
	size_t i = m->n++;

	ck_assert_uint_lt(i, MEMBERS_MAX);
	snprintf(m->names[i], sizeof(m->names[i]), "%s", name);
	m->servers[i] = (struct placement_server){
		.name = span_str(m->names[i]),
		.host = SPAN_LIT("127.0.0.1"),
		.port = (uint16_t)(11211 + i),
		.weight = weight,
	};
}

void
members_remove(struct members *m, size_t index)
{
	ck_assert_uint_lt(index, m->n);
	m->n--;
	for (size_t i = index; i < m->n; i++) {
		m->servers[i] = m->servers[i + 1];
		memcpy(m->names[i], m->names[i + 1], sizeof(m->names[i]));
		m->servers[i].name = span_str(m->names[i]);
	}
}

struct placement *
members_build(const struct members *m, const struct placement_spec *spec)
{
	enum placement_error error;
	struct err err;
	struct placement *p;

	p = placement_build(spec, m->servers, m->n, &error, &err);
	ck_assert_msg(p != NULL, "no placement: %s", err.text);
	ck_assert_int_eq(error, PLACEMENT_OK);
	return p;
}

enum placement_error
members_refusal(const struct members *m, const struct placement_spec *spec,
    struct err *err)
{
	enum placement_error error;

	err->text[0] = '\0';
	ck_assert_ptr_null(placement_build(spec, m->servers, m->n, &error,
	    err));
	ck_assert_msg(err->text[0] != '\0', "a refusal without words");
	return error;
}

struct span
members_key(uint64_t i, char buf[32])
{
	int len = snprintf(buf, 32, "%" PRIx64,
	    hash_mix64(i + UINT64_C(0x9e3779b97f4a7c15)));

	return span_of(buf, (size_t)len);
}
