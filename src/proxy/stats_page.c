/* Pages of STAT lines. */
#include "proxy/stats_page.h"

#include <stdarg.h>
#include <stdio.h>

#include "proto/answer.h"

void
stats_page_init(struct stats_page *page, struct client *client)
{
	page->client = client;
	page->len = 0;
}

/* A client that could not be told is dead, and is told no more. */
static void
say_page(struct stats_page *page)
{
	if (page->len > 0 && page->client->state != CLIENT_DEAD)
		client_say(page->client, span_of(page->text, page->len));
	page->len = 0;
}

void
stats_page_line(struct stats_page *page, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (STATS_PAGE_SIZE - page->len < STATS_LINE_MAX)
		say_page(page);
	va_start(ap, fmt);
	n = vsnprintf(page->text + page->len, STATS_LINE_MAX, fmt, ap);
	va_end(ap);
	MUST(n > 0 && n < STATS_LINE_MAX);
	page->len += (size_t)n;
}

void
stats_page_number(struct stats_page *page, const char *name, uint64_t n)
{
	stats_page_line(page, "STAT %s %llu\r\n", name, (unsigned long long)n);
}

void
stats_page_end(struct stats_page *page)
{
	stats_page_line(page, ANSWER_END);
	say_page(page);
}
