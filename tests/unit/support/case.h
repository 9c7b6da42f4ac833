/* Running the one case of a suite. */
#ifndef TESTS_CASE_H
#define TESTS_CASE_H

#include <check.h>

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* What main() returns. Takes `tc`. */
int case_run(const char *name, TCase *tc);

#endif
