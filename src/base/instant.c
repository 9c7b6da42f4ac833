/* Instants as text, by the proleptic Gregorian calendar of RFC 3339. */
#include "base/instant.h"

#include <stdio.h>

#define DAY_MS UINT64_C(86400000)

/* Reads digits off a text; `is_good` stays false once it turned so. */
struct reader {
	const char	*p;
	const char	*end;
	bool		 is_good;
};

static unsigned
take_number(struct reader *r, size_t digits)
{
	unsigned n = 0;

	for (size_t i = 0; i < digits; i++, r->p++) {
		if (!r->is_good || r->p == r->end || *r->p < '0' ||
		    *r->p > '9') {
			r->is_good = false;
			return 0;
		}
		n = n * 10 + (unsigned)(*r->p - '0');
	}
	return n;
}

/* One of the characters in `any`; '\0' if there is another. */
static char
take_one_of(struct reader *r, const char *any)
{
	for (; r->is_good && r->p != r->end && *any != '\0'; any++) {
		if (*r->p == *any)
			return *r->p++;
	}
	r->is_good = false;
	return '\0';
}

static unsigned
take_number_after(struct reader *r, const char *before, size_t digits)
{
	take_one_of(r, before);
	return take_number(r, digits);
}

static unsigned
days_of_month(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31,
	    30, 31, 30, 31};
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && is_leap ? 1u : 0u);
}

/* Days from 1970-01-01 to the first day of the year. */
static uint64_t
days_before_year(unsigned year)
{
	uint64_t y = year - 1;

	return 365 * (y - 1969) + (y / 4 - 1969 / 4) - (y / 100 - 1969 / 100) +
	    (y / 400 - 1969 / 400);
}

static uint64_t
take_date(struct reader *r)
{
	unsigned year = take_number(r, 4);
	unsigned month = take_number_after(r, "-", 2);
	unsigned day = take_number_after(r, "-", 2);
	uint64_t days;

	if (!r->is_good || year < 1970 || month < 1 || month > 12 || day < 1 ||
	    day > days_of_month(year, month)) {
		r->is_good = false;
		return 0;
	}
	days = days_before_year(year) + day - 1;
	for (unsigned m = 1; m < month; m++)
		days += days_of_month(year, m);
	return days * DAY_MS;
}

/* The decimals of a second, of which there is at least one. */
static unsigned
take_decimals(struct reader *r)
{
	unsigned ms = take_number(r, 1) * 100, unit = 10;

	while (r->is_good && r->p != r->end && *r->p >= '0' && *r->p <= '9') {
		ms += take_number(r, 1) * unit;
		unit /= 10;
	}
	return ms;
}

static uint64_t
take_time(struct reader *r)
{
	unsigned hour = take_number_after(r, "Tt ", 2);
	unsigned minute = take_number_after(r, ":", 2);
	unsigned second = take_number_after(r, ":", 2);
	unsigned ms = 0;

	if (r->is_good && r->p != r->end && *r->p == '.') {
		r->p++;
		ms = take_decimals(r);
	}
	if (hour > 23 || minute > 59 || second > 60)
		r->is_good = false;
	return (hour * 3600 + minute * 60 + second) * UINT64_C(1000) + ms;
}

/* What to take away to come to UTC. */
static int64_t
take_offset(struct reader *r)
{
	char sign = take_one_of(r, "Zz+-");
	unsigned hours, minutes;
	int64_t offset;

	if (sign != '+' && sign != '-')
		return 0;
	hours = take_number(r, 2);
	minutes = take_number_after(r, ":", 2);
	if (hours > 23 || minutes > 59)
		r->is_good = false;
	offset = (int64_t)(hours * 3600 + minutes * 60) * 1000;
	return sign == '+' ? offset : -offset;
}

bool
instant_parse(struct span text, uint64_t *ms_r)
{
	struct reader r = {text.p, text.p + text.len, true};
	int64_t ms;

	/* In the order in which they stand. */
	ms = (int64_t)take_date(&r);
	ms += (int64_t)take_time(&r);
	ms -= take_offset(&r);
	if (!r.is_good || r.p != r.end || ms < 0 ||
	    ms > (int64_t)INSTANT_MAX_MS)
		return false;
	*ms_r = (uint64_t)ms;
	return true;
}

const char *
instant_format(uint64_t ms, char out[INSTANT_TEXT_MAX])
{
	uint64_t days = ms / DAY_MS, second = ms % DAY_MS / 1000;
	unsigned year = 1970 + (unsigned)(days / 366), month = 1;
	int len;

	MUST(ms <= INSTANT_MAX_MS);
	/* The guess is at most some years too early. */
	while (days_before_year(year + 1) <= days)
		year++;
	days -= days_before_year(year);
	while (days >= days_of_month(year, month))
		days -= days_of_month(year, month++);
	len = snprintf(out, INSTANT_TEXT_MAX, "%04u-%02u-%02uT%02u:%02u:%02u",
	    year % 10000, month, (unsigned)days + 1,
	    (unsigned)(second / 3600), (unsigned)(second / 60 % 60),
	    (unsigned)(second % 60));
	if (ms % 1000 != 0)
		len += snprintf(out + len, INSTANT_TEXT_MAX - (size_t)len,
		    ".%03u", (unsigned)(ms % 1000));
	snprintf(out + len, INSTANT_TEXT_MAX - (size_t)len, "Z");
	return out;
}
