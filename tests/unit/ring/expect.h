/*
 * What the tests of the rules expect of a build. For tests only: an
 * expectation that is not met fails the running test.
 */
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/placement.h"
#include "vectors.h"

/* A server as a configuration without names has it: name = "host:port". */
struct placement_server expect_server(const char *name, const char *host,
    uint16_t port, double weight);

/* The placement, built. Free with placement_free(). */
struct placement *expect_built(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n);

/* That the build fails with `error`, its text holding `words`. */
void expect_refused(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n,
    enum placement_error error, const char *words);

/*
 * That each allocation of the build may fail: it then gives no placement but
 * StateCapacityExceeded and words. How many allocations there are.
 */
size_t expect_failures_survived(const struct placement_spec *spec,
    const struct placement_server *servers, size_t n);

/*
 * vectors_expect() for all cases of the file, in which `spec_of` turns a
 * case's options into a spec. How many answers were compared.
 */
size_t expect_all_cases(const struct vectors *v,
    struct placement_spec (*spec_of)(const struct vectors_case *c));

/* Whether two placements give some 10,000 keys to the same indexes. */
bool expect_same_owners(const struct placement *a, const struct placement *b);

/* As if the file had no weights: 1 for every server. */
void expect_forget_weights(struct vectors *v);

#endif
