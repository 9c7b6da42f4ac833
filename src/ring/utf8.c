/* Strict UTF-8 (RFC 3629): no overlong forms, no surrogates. */
#include "ring/utf8.h"

#include <stdbool.h>

/* Bytes of a sequence by its first byte, and the least it may stand for. */
static size_t
sequence(uint32_t lead, uint32_t *bits_r, uint32_t *least_r)
{
	if (lead >= 0xc2 && lead <= 0xdf) {
		*bits_r = lead & 0x1f;
		*least_r = 0x80;
		return 2;
	}
	if (lead >= 0xe0 && lead <= 0xef) {
		*bits_r = lead & 0x0f;
		*least_r = 0x800;
		return 3;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		*bits_r = lead & 0x07;
		*least_r = 0x10000;
		return 4;
	}
	return 1;
}

uint32_t
utf8_first(struct span bytes, size_t *len_r)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	uint32_t code = 0, least = 0;
	size_t len = sequence(p[0], &code, &least);

	*len_r = 1;
	if (len == 1 || len > bytes.len)
		return p[0];
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return p[0];
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return p[0];
	*len_r = len;
	return code;
}
