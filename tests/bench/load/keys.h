/*
 * The keys of a load and the value of each: the same bytes whenever it is
 * set, so that whoever reads one can tell whether all of it is right.
 */
#ifndef BENCH_KEYS_H
#define BENCH_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"

#define KEY_LEN	  14		/* "bench:" and eight digits */
#define VALUE_MAX (1u << 20)

struct keys {
	uint32_t	 n;
	size_t		 value_len;
	uint64_t	 random;
	double		*cdf;		/* of a Zipf distribution; NULL: even */
	char		*pattern;	/* what values are cut from */
};

/* False without memory. `zipf` is the exponent; 0: all keys alike. */
bool keys_init(struct keys *keys, uint32_t n, size_t value_len, double zipf,
    uint64_t seed) MUST_CHECK;

void keys_fini(struct keys *keys);

/* A key by chance; the first are the likely ones. */
uint32_t keys_draw(struct keys *keys);

/* A number below `below`. */
uint32_t keys_random(struct keys *keys, uint32_t below);

/* Writes KEY_LEN bytes. */
void keys_name(uint32_t key, char *out);

/* Writes `value_len` bytes: the key's name, then what follows from it. */
void keys_value(const struct keys *keys, uint32_t key, char *out);

bool keys_value_is_right(const struct keys *keys, uint32_t key,
    const char *value, size_t len);

#endif
