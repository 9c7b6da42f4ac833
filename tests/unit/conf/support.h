/* What the tests of conf/ share: running, and looking at results. */
#ifndef TESTS_CONF_SUPPORT_H
#define TESTS_CONF_SUPPORT_H

#include <check.h>
#include <stddef.h>

#include "conf/conf.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* Runs the one case of a suite; what main() returns. Takes `tc`. */
int run_case(const char *name, TCase *tc);

/* The configuration in `text`; fails the test with its errors if wrong. */
struct conf *parse_right(const char *text);

/* The complaints about `text`; fails the test if there are none. */
struct conf_errors *parse_wrong(const char *text);

/*
 * Fails the test unless the complaints about `text` are exactly `lines`, each
 * ended by a newline, as about a file called "f".
 */
void expect_lines(const char *text, const char *lines);

/* All lines, each with a newline; malloc'd. */
char *join_lines(const struct conf_errors *errors);

/* What conf_print() writes; malloc'd. */
char *print_to_text(const struct conf *conf);

/* A whole file's text; malloc'd. */
char *read_text(const char *path);

/* Fails the test unless the two mean the same. */
void expect_same(const struct conf *a, const struct conf *b);

#endif
