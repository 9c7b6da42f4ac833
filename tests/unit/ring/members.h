/*
 * Memberships made up for tests: servers "cache-0", "cache-1", ... of weight
 * 1, to be changed at will, and placements over them.
 */
#ifndef TEST_MEMBERS_H
#define TEST_MEMBERS_H

#include "ring/placement.h"

#define MEMBERS_MAX 1024

struct members {
	struct placement_server	servers[MEMBERS_MAX];
	char			names[MEMBERS_MAX][24];
	size_t			n;
};

/* `n` servers called after `prefix`. */
void members_fill(struct members *m, const char *prefix, size_t n);

/* Adds one server called `name`, which is copied. */
void members_add(struct members *m, const char *name, double weight);

/* Takes the server at `index` out; the others close up. */
void members_remove(struct members *m, size_t index);

/* A placement over them; fails the test if there is none. */
struct placement *members_build(const struct members *m,
    const struct placement_spec *spec);

/* The kind of failure that building gives; fails the test if it works. */
enum placement_error members_refusal(const struct members *m,
    const struct placement_spec *spec, struct err *err);

/* The i-th of endlessly many keys without a pattern; lent by `buf`. */
struct span members_key(uint64_t i, char buf[32]);

#endif
