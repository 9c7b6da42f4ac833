/* The reference of all keys in Markdown, written from the table of keys. */
#ifndef TESTS_CONF_REFERENCE_H
#define TESTS_CONF_REFERENCE_H

#include <stdio.h>

/* A heading and a table for each section, as docs/configuration.md has it. */
void reference_write(FILE *out);

#endif
