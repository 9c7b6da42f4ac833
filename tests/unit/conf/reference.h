/* The reference of all keys, written from the table of keys. */
#ifndef TESTS_CONF_REFERENCE_H
#define TESTS_CONF_REFERENCE_H

#include <stdio.h>

/* A heading and a table for each section, as docs/configuration.md has it. */
void reference_write_markdown(FILE *out);

/* The same in the macros of man(7), as docs/fairlead.yaml.5 has it. */
void reference_write_man(FILE *out);

#endif
