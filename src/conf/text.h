/* UTF-8, as far as a configuration needs it. */
#ifndef CONF_TEXT_H
#define CONF_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/must.h"
#include "base/span.h"

/*
 * Bytes of the well-formed character that starts at s.p[at] (at < s.len), or
 * 0: cut short, overlong, a surrogate, above U+10FFFF, or no start at all.
 */
size_t text_char_len(struct span s, size_t at) MUST_CHECK;

/* Whether all of `s` is well formed; if not, `at_r` is the offending byte. */
bool text_is_utf8(struct span s, size_t *at_r) MUST_CHECK;

/*
 * Whether the byte at `at` belongs to a control character: C0, DEL or the two
 * bytes of a C1, which some terminals obey as well.
 */
bool text_is_control(struct span s, size_t at) MUST_CHECK;

#endif
