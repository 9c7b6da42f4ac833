/* UTF-8, as far as a configuration needs it. */
#include "conf/text.h"

#include "ring/utf8.h"

static unsigned char
byte_at(struct span s, size_t at)
{
	return (unsigned char)s.p[at];
}

size_t
text_char_len(struct span s, size_t at)
{
	size_t len;

	utf8_first(span_of(s.p + at, s.len - at), &len);
	return len == 1 && byte_at(s, at) >= 0x80 ? 0 : len;
}

bool
text_is_utf8(struct span s, size_t *at_r)
{
	size_t at = 0, len;

	while (at < s.len) {
		len = text_char_len(s, at);
		if (len == 0) {
			*at_r = at;
			return false;
		}
		at += len;
	}
	return true;
}

bool
text_is_control(struct span s, size_t at)
{
	unsigned char c = byte_at(s, at);

	if (c < ' ' || c == 0x7f)
		return true;
	if (c == 0xc2 && at + 1 < s.len)
		return byte_at(s, at + 1) >= 0x80 && byte_at(s, at + 1) < 0xa0;
	return c >= 0x80 && c < 0xa0 && at > 0 && byte_at(s, at - 1) == 0xc2;
}
