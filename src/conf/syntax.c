/* What somebody may have meant by YAML that is broken. */
#include "conf/syntax.h"

#include <string.h>

bool
syntax_is_tab_at(struct span text, size_t index)
{
	for (size_t i = 0; i < text.len; i++) {
		if (((unsigned char)text.p[i] & 0xc0) == 0x80)
			continue;
		if (index-- == 0)
			return text.p[i] == '\t';
	}
	return false;
}

/* The rest of the text from that line on. */
static struct span
skip_lines(struct span text, size_t n)
{
	const char *end;

	for (; n > 0; n--) {
		end = text.len > 0 ? memchr(text.p, '\n', text.len) : NULL;
		if (end == NULL)
			return span_of(text.p + text.len, 0);
		text.len -= (size_t)(end + 1 - text.p);
		text.p = end + 1;
	}
	return text;
}

/* Whether the bytes behind a bracket are those of an IPv6 address and port. */
static bool
is_ipv6_rest(struct span s)
{
	size_t ncolons = 0, i = 0;

	for (; i < s.len && s.p[i] != '\0' &&
	    strchr("0123456789abcdefABCDEF.:", s.p[i]) != NULL; i++)
		ncolons += s.p[i] == ':';
	return ncolons >= 2 && i + 1 < s.len && s.p[i] == ']' &&
	    s.p[i + 1] == ':';
}

bool
syntax_has_bare_ipv6(struct span text, size_t line)
{
	struct span rest = skip_lines(text, line);

	for (size_t i = 0; i < rest.len && rest.p[i] != '\n'; i++) {
		if (rest.p[i] == '[' && is_ipv6_rest(span_of(rest.p + i + 1,
		    rest.len - i - 1)))
			return true;
	}
	return false;
}
