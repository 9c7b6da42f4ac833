/*
 * Values that name their key, so that whoever reads one can tell from the
 * bytes alone whether it was handed the right one, whole.
 *
 * "KEY SALT " and then filler up to a length that follows from both. The
 * filler holds every byte value, line ends among them.
 */
#ifndef LOAD_VALUE_H
#define LOAD_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_KEY_SIZE 32	/* a key, its NUL included */
#define VALUE_MAX_LEN  24576

/* Writes the name of key `n`; its length. */
size_t value_key(char out[VALUE_KEY_SIZE], uint32_t n);

/* Writes the value of key `n` with that salt; its length. */
size_t value_make(char out[VALUE_MAX_LEN], uint32_t n, uint32_t salt);

/* Whether `len` bytes are one of the values that key `n` may have. */
bool value_is_right(const char *value, size_t len, uint32_t n);

#endif
