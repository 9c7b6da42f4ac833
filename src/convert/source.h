/* What the converters of YAML and JSON have in common. */
#ifndef CONVERT_SOURCE_H
#define CONVERT_SOURCE_H

#include <stdint.h>

#include "base/must.h"
#include "conf/node.h"
#include "convert/draft.h"

/*
 * The document in `text`, in which, other than in ours, no '$' has a meaning.
 * NULL with errors. Lent by the draft.
 */
const struct node *source_parse(struct draft *draft, struct span text)
    MUST_CHECK;

/*
 * The text of a key of a map. (Keys are not expanded, so that what
 * source_parse() did to '$' is undone here.) NULL without memory.
 */
const char *source_key(struct draft *draft, const struct node *key)
    MUST_CHECK;

/* Complains about `node`. */
void source_complain(struct draft *draft, const struct node *node,
    const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * Each reads `node`, complaining of `name` and giving false if it is something
 * else: a whole number, also a negative one; true or false, quoted or not; a
 * lone value.
 */
bool source_number(struct draft *draft, const struct node *node,
    const char *name, int64_t *n_r) MUST_CHECK;
bool source_bool(struct draft *draft, const struct node *node,
    const char *name, bool *is_r) MUST_CHECK;
bool source_text(struct draft *draft, const struct node *node,
    const char *name, struct span *text_r) MUST_CHECK;

/* Milliseconds that our time-outs can have: at most an hour. */
uint64_t source_clamp_ms(int64_t ms);

/*
 * An address of ours from a host, which may be IPv6 without brackets, and a
 * port; NULL with a complaint about `node`.
 */
const char *source_address(struct draft *draft, const struct node *node,
    struct span host, struct span port) MUST_CHECK;

/* Whether an address from here has a host name in it. */
bool source_is_host_name(const char *address) MUST_CHECK;

/* The same from a path. */
const char *source_unix_address(struct draft *draft, const struct node *node,
    struct span path) MUST_CHECK;

#endif
