/* UTF-8 by the table of well-formed sequences in the Unicode standard. */
#include "conf/text.h"

/* Sequences that start with first..last have these bytes second. */
struct lead {
	unsigned char	first, last;
	unsigned char	second_min, second_max;
	unsigned char	len;
};

static const struct lead leads[] = {
	{0x00, 0x7f, 0, 0, 1},
	{0xc2, 0xdf, 0x80, 0xbf, 2},
	{0xe0, 0xe0, 0xa0, 0xbf, 3},
	{0xe1, 0xec, 0x80, 0xbf, 3},
	{0xed, 0xed, 0x80, 0x9f, 3},
	{0xee, 0xef, 0x80, 0xbf, 3},
	{0xf0, 0xf0, 0x90, 0xbf, 4},
	{0xf1, 0xf3, 0x80, 0xbf, 4},
	{0xf4, 0xf4, 0x80, 0x8f, 4},
};

static unsigned char
byte_at(struct span s, size_t at)
{
	return (unsigned char)s.p[at];
}

static bool
fits(const struct lead *lead, struct span s, size_t at)
{
	if (s.len - at < lead->len)
		return false;
	if (lead->len > 1 && (byte_at(s, at + 1) < lead->second_min ||
	    byte_at(s, at + 1) > lead->second_max))
		return false;
	for (size_t i = 2; i < lead->len; i++) {
		if ((byte_at(s, at + i) & 0xc0) != 0x80)
			return false;
	}
	return true;
}

size_t
text_char_len(struct span s, size_t at)
{
	unsigned char c = byte_at(s, at);

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (c >= leads[i].first && c <= leads[i].last)
			return fits(&leads[i], s, at) ? leads[i].len : 0;
	}
	return 0;
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
