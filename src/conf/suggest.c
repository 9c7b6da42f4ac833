/* Nearest words: the optimal string alignment distance, in three rows. */
#include "conf/suggest.h"

#include <stdint.h>

static unsigned char
fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned char)(c - 'A' + 'a');
	return c == '-' ? '_' : (unsigned char)c;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t
suggest_distance(struct span a, struct span b)
{
	size_t rows[3][SUGGEST_MAX + 1];

	if (a.len > SUGGEST_MAX || b.len > SUGGEST_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t *now = rows[i % 3];
		const size_t *last = rows[(i + 2) % 3];
		const size_t *before = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			unsigned char x = fold(a.p[i - 1]);
			unsigned char y = fold(b.p[j - 1]);

			now[j] = least(last[j - 1] + (x == y ? 0 : 1),
			    least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && x == fold(b.p[j - 2]) &&
			    y == fold(a.p[i - 2]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return rows[a.len % 3][b.len];
}

void
suggest_offer(struct suggest *suggest, const char *word)
{
	struct span known = span_str(word);
	size_t longest = known.len > suggest->text.len ? known.len :
	    suggest->text.len;
	size_t distance = suggest_distance(suggest->text, known);

	/* A third of the letters wrong is still a typing error. */
	if (distance > (longest + 2) / 3)
		return;
	if (suggest->nearest != NULL && distance >= suggest->distance)
		return;
	suggest->nearest = word;
	suggest->distance = distance;
}
