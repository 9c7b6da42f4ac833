/* Base64 keys of meta commands (RFC 4648, section 4), with their padding. */
#include "proto/request.h"

static int
letter_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

size_t
request_decode_key(struct span key, char *out)
{
	uint32_t bits = 0;
	size_t len = 0, padding = 0;

	if (key.len == 0 || key.len % 4 != 0 || key.len > REQUEST_KEY_MAX)
		return 0;
	while (padding < 2 && key.p[key.len - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < key.len; i++) {
		bool is_padding = i >= key.len - padding;
		int value = is_padding ? 0 : letter_value(key.p[i]);

		if (value < 0)
			return 0;
		bits = bits << 6 | (uint32_t)value;
		if (i % 4 != 3)
			continue;
		out[len++] = (char)(bits >> 16);
		out[len++] = (char)(bits >> 8);
		out[len++] = (char)bits;
		bits = 0;
	}
	return len - padding;
}
