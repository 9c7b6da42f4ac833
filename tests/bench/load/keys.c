/* Keys and values. */
#include "keys.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* Values of neighbours start at different places of the pattern. */
#define STARTS 4093

static bool
make_cdf(struct keys *keys, double zipf)
{
	double sum = 0;

	keys->cdf = mem_alloc(keys->n * sizeof(*keys->cdf));
	if (keys->cdf == NULL)
		return false;
	for (uint32_t i = 0; i < keys->n; i++) {
		sum += 1 / pow((double)i + 1, zipf);
		keys->cdf[i] = sum;
	}
	for (uint32_t i = 0; i < keys->n; i++)
		keys->cdf[i] /= sum;
	return true;
}

bool
keys_init(struct keys *keys, uint32_t n, size_t value_len, double zipf,
    uint64_t seed)
{
	*keys = (struct keys){.n = n, .value_len = value_len,
	    .random = seed * 0x9e3779b97f4a7c15u + 1};
	keys->pattern = mem_alloc(value_len + STARTS);
	if (keys->pattern == NULL || (zipf > 0 && !make_cdf(keys, zipf)))
		return false;
	/* Every byte, line ends among them. */
	for (size_t i = 0; i < value_len + STARTS; i++)
		keys->pattern[i] = (char)(i * 7 + i / 251);
	return true;
}

void
keys_fini(struct keys *keys)
{
	mem_free(keys->pattern);
	mem_free(keys->cdf);
}

/* xorshift64. */
static uint64_t
next_random(struct keys *keys)
{
	keys->random ^= keys->random << 13;
	keys->random ^= keys->random >> 7;
	keys->random ^= keys->random << 17;
	return keys->random;
}

uint32_t
keys_random(struct keys *keys, uint32_t below)
{
	return (uint32_t)((next_random(keys) >> 16) % below);
}

uint32_t
keys_draw(struct keys *keys)
{
	double wanted;
	uint32_t low = 0, high = keys->n - 1, middle;

	if (keys->cdf == NULL)
		return keys_random(keys, keys->n);
	wanted = (double)(next_random(keys) >> 11) / (double)(1ull << 53);
	while (low < high) {
		middle = low + (high - low) / 2;
		if (keys->cdf[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
keys_name(uint32_t key, char *out)
{
	memcpy(out, "bench:", 6);
	for (int i = KEY_LEN - 1; i >= 6; i--) {
		out[i] = (char)('0' + key % 10);
		key /= 10;
	}
}

static const char *
filler(const struct keys *keys, uint32_t key)
{
	return keys->pattern + key * 31u % STARTS;
}

void
keys_value(const struct keys *keys, uint32_t key, char *out)
{
	char name[KEY_LEN];
	size_t head = keys->value_len < KEY_LEN ? keys->value_len : KEY_LEN;

	keys_name(key, name);
	memcpy(out, name, head);
	memcpy(out + head, filler(keys, key), keys->value_len - head);
}

bool
keys_value_is_right(const struct keys *keys, uint32_t key, const char *value,
    size_t len)
{
	char name[KEY_LEN];
	size_t head = len < KEY_LEN ? len : KEY_LEN;

	keys_name(key, name);
	return len == keys->value_len && memcmp(value, name, head) == 0 &&
	    memcmp(value + head, filler(keys, key), len - head) == 0;
}
