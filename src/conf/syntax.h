/* What somebody may have meant by YAML that is broken. */
#ifndef CONF_SYNTAX_H
#define CONF_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/must.h"
#include "base/span.h"

/*
 * Whether the character at `index`, from 0, is a tab; characters of UTF-8 are
 * counted, as libyaml does.
 */
bool syntax_is_tab_at(struct span text, size_t index) MUST_CHECK;

/*
 * Whether the line number `line`, from 0, has something like [::1]:11211. That
 * is an address to us, and to YAML a list with more behind it.
 */
bool syntax_has_bare_ipv6(struct span text, size_t line) MUST_CHECK;

#endif
