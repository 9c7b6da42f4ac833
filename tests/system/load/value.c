/* Values that name their key. */
#include "value.h"

#include <stdio.h>
#include <string.h>

#define HEAD_SIZE 64	/* "KEY SALT ", its NUL included */

size_t
value_key(char out[VALUE_KEY_SIZE], uint32_t n)
{
	return (size_t)snprintf(out, VALUE_KEY_SIZE, "soak:%u", n);
}

/* Murmur3's finish: every bit of both numbers in every bit of the result. */
static uint32_t
mixed(uint32_t a, uint32_t b)
{
	uint32_t h = a * 0x9e3779b1u ^ b;

	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	h *= 0xc2b2ae35u;
	return h ^ h >> 16;
}

/* Mostly small, one in sixteen up to 2 KiB, one in 256 up to 24 KiB. */
static size_t
filler_len(uint32_t h)
{
	if ((h & 0xff) == 0)
		return (h >> 8) % (VALUE_MAX_LEN - HEAD_SIZE);
	if ((h & 0xf) == 0)
		return (h >> 8) % 2048;
	return (h >> 8) % 120;
}

static size_t
make_head(char out[HEAD_SIZE], uint32_t n, uint32_t salt)
{
	char key[VALUE_KEY_SIZE];

	value_key(key, n);
	return (size_t)snprintf(out, HEAD_SIZE, "%s %u ", key, salt);
}

size_t
value_make(char out[VALUE_MAX_LEN], uint32_t n, uint32_t salt)
{
	uint32_t h = mixed(n, salt);
	size_t head = make_head(out, n, salt), filler = filler_len(h);

	for (size_t i = 0; i < filler; i++)
		out[head + i] = (char)(unsigned char)(h + i * 7);
	return head + filler;
}

/* The number after the first blank, or 0: the comparison then fails. */
static uint32_t
salt_of(const char *value, size_t len)
{
	const char *p = memchr(value, ' ', len), *end = value + len;
	uint32_t salt = 0;

	if (p == NULL)
		return 0;
	for (p++; p < end && *p >= '0' && *p <= '9'; p++)
		salt = salt * 10 + (uint32_t)(*p - '0');
	return salt;
}

bool
value_is_right(const char *value, size_t len, uint32_t n)
{
	char wanted[VALUE_MAX_LEN];
	size_t wanted_len = value_make(wanted, n, salt_of(value, len));

	return len == wanted_len && memcmp(value, wanted, len) == 0;
}
