/*
 * Reading the fields of a configuration's structs, where the table of keys
 * says that they are. `base` is the struct of the key's section.
 */
#ifndef CONF_FIELD_H
#define CONF_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "conf/keys.h"

/* The number, enum or bool of `key`. */
static inline uint64_t
field_number(const struct key *key, const char *base)
{
	uint64_t wide;
	uint32_t narrow;

	if (key->width == sizeof(wide)) {
		memcpy(&wide, base + key->offset, sizeof(wide));
		return wide;
	}
	if (key->width == sizeof(narrow)) {
		memcpy(&narrow, base + key->offset, sizeof(narrow));
		return narrow;
	}
	MUST(key->width == sizeof(bool));
	return *(const bool *)(base + key->offset);
}

/* The pointer at `offset`: a text, or the first member of an array. */
static inline const char *
field_pointer(const char *base, size_t offset)
{
	const char *p;

	memcpy(&p, base + offset, sizeof(p));
	return p;
}

/* The length at `offset`: of a text, or of an array. */
static inline size_t
field_count(const char *base, size_t offset)
{
	size_t n;

	memcpy(&n, base + offset, sizeof(n));
	return n;
}

#endif
