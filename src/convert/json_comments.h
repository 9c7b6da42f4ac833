/* Comments in JSON, which mcrouter takes out before it parses. */
#ifndef CONVERT_JSON_COMMENTS_H
#define CONVERT_JSON_COMMENTS_H

#include "convert/draft.h"

/*
 * A copy in which blanks stand for what is between slash and star, and behind
 * two slashes, outside of quotes: every place stays as it is. NULL without
 * memory, which is among the errors then.
 */
const char *json_comments_blank(struct draft *draft, struct span text)
    MUST_CHECK;

#endif
