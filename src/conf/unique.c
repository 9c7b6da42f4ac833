/* Finding the same text twice: sort, then compare neighbours. */
#include "conf/unique.h"

#include <stdlib.h>

static int
compare(const void *left, const void *right)
{
	const struct unique_item *a = left, *b = right;
	int c = span_cmp(a->text, b->text);

	if (c != 0)
		return c;
	if (a->place.line != b->place.line)
		return a->place.line < b->place.line ? -1 : 1;
	return (a->place.column > b->place.column) -
	    (a->place.column < b->place.column);
}

void
unique_check(struct unique_item *items, size_t n,
    void (*twice)(void *arg, const struct unique_item *first,
    const struct unique_item *again), void *arg)
{
	size_t first = 0;

	if (n > 1)
		qsort(items, n, sizeof(items[0]), compare);
	for (size_t i = 1; i < n; i++) {
		if (span_eq(items[i].text, items[first].text))
			twice(arg, &items[first], &items[i]);
		else
			first = i;
	}
}
