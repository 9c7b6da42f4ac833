/* What servers know of themselves: reading it, and publishing the sums. */
#include "stats/backend_totals.h"

#include <stdbool.h>
#include <string.h>

#include "base/num.h"

static const char *const names[] = {
#define X(member, name) name,
	BACKEND_TOTALS(X)
#undef X
};

const char *
backend_total_name(enum backend_total which)
{
	return names[which];
}

/* Takes the next line off `rest`, without its end; false if it has none. */
static bool
next_line(struct span *rest, struct span *line_r)
{
	const char *newline = memchr(rest->p, '\n', rest->len);
	size_t len;

	if (newline == NULL)
		return false;
	len = (size_t)(newline - rest->p);
	*line_r = span_of(rest->p, len);
	if (len > 0 && rest->p[len - 1] == '\r')
		line_r->len--;
	*rest = span_of(newline + 1, rest->len - len - 1);
	return true;
}

/* "STAT name value", where only values of our names must be numbers. */
static bool
take_line(struct span line, uint64_t values[BACKEND_NTOTALS])
{
	static const char word[] = "STAT ";
	struct span name, value;
	const char *blank;

	if (!span_starts(line, span_str(word)))
		return false;
	line = span_of(line.p + strlen(word), line.len - strlen(word));
	blank = memchr(line.p, ' ', line.len);
	if (blank == NULL)
		return false;
	name = span_of(line.p, (size_t)(blank - line.p));
	value = span_of(blank + 1, line.len - name.len - 1);
	for (size_t i = 0; i < BACKEND_NTOTALS; i++) {
		if (span_eq(name, span_str(names[i])))
			return num_parse_u64_max(value, BACKEND_VALUE_MAX,
			    &values[i]);
	}
	return true;
}

enum backend_reply
backend_totals_read(struct span reply, struct backend_sum *sum)
{
	uint64_t values[BACKEND_NTOTALS] = {0};
	struct span line;

	while (next_line(&reply, &line)) {
		if (!span_eq(line, span_str("END"))) {
			if (!take_line(line, values))
				return BACKEND_REPLY_NONSENSE;
			continue;
		}
		if (reply.len > 0)
			return BACKEND_REPLY_NONSENSE;
		for (size_t i = 0; i < BACKEND_NTOTALS; i++)
			sum->values[i] += values[i];
		sum->nservers++;
		return BACKEND_REPLY_WHOLE;
	}
	return BACKEND_REPLY_MORE;
}

void
backend_totals_publish(struct backend_totals *totals,
    const struct backend_sum *sum)
{
	for (size_t i = 0; i < BACKEND_NTOTALS; i++)
		atomic_store_explicit(&totals->values[i], sum->values[i],
		    memory_order_relaxed);
	atomic_store_explicit(&totals->nservers, sum->nservers,
	    memory_order_relaxed);
}
