/* "Did you mean ...?": the known word nearest to one that is not known. */
#ifndef CONF_SUGGEST_H
#define CONF_SUGGEST_H

#include "base/span.h"

/*
 * Feeds known words one by one and keeps the nearest. Start from
 * {.text = ...}.
 */
struct suggest {
	struct span	 text;		/* the unknown word */
	const char	*nearest;	/* lent; NULL while none is near */
	size_t		 distance;	/* of `nearest` */
};

void suggest_offer(struct suggest *suggest, const char *word);

/*
 * Steps from `a` to `b`, each a letter added, left out, changed or swapped
 * with its neighbour; case does not count, and '-' is as good as '_'. Words
 * longer than SUGGEST_MAX are SIZE_MAX apart from all others.
 */
#define SUGGEST_MAX 48

size_t suggest_distance(struct span a, struct span b);

#endif
