/* Numbers, durations, sizes, modes and booleans as they are written. */
#include "conf/value.h"

#include <stdio.h>

#include "base/instant.h"
#include "base/num.h"
#include "conf/errors.h"

struct unit {
	struct span	suffix;
	uint64_t	factor;
};

/* The largest unit first, for value_format(). */
static const struct unit duration_units[] = {
	{SPAN_LIT("h"), 3600000},
	{SPAN_LIT("m"), 60000},
	{SPAN_LIT("s"), 1000},
	{SPAN_LIT("ms"), 1},
};

static const struct unit size_units[] = {
	{SPAN_LIT("GiB"), UINT64_C(1) << 30},
	{SPAN_LIT("MiB"), UINT64_C(1) << 20},
	{SPAN_LIT("KiB"), UINT64_C(1) << 10},
	{SPAN_LIT("B"), 1},
};

#define UNITS 4

_Static_assert(sizeof(duration_units) == UNITS * sizeof(struct unit) &&
    sizeof(size_units) == UNITS * sizeof(struct unit), "as many units each");

static const struct unit *
units_of(const struct key *key)
{
	return key->type == KEY_DURATION ? duration_units : size_units;
}

static const char *
unit_names(const struct key *key)
{
	return key->type == KEY_DURATION ? "ms, s, m or h" :
	    "B, KiB, MiB or GiB";
}

static size_t
count_digits(struct span text)
{
	size_t n = 0;

	while (n < text.len && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	return n;
}

static bool
check_range(const struct key *key, uint64_t n, struct span text,
    struct err *err)
{
	char min[VALUE_TEXT_MAX], max[VALUE_TEXT_MAX];
	char quoted[ERRORS_QUOTED_MAX];

	if (n >= key->min && n <= key->max)
		return true;
	if (key->min == key->max)
		err_set(err, "must be %s, not %s",
		    value_format(key, key->min, min),
		    errors_quote(text, quoted));
	else
		err_set(err, "must be from %s to %s, not %s",
		    value_format(key, key->min, min),
		    value_format(key, key->max, max),
		    errors_quote(text, quoted));
	return false;
}

/* A right value to show: the default, or else the least one. */
static const char *
example(const struct key *key, char out[VALUE_TEXT_MAX])
{
	return value_format(key, key->initial != 0 ? key->initial : key->min,
	    out);
}

static bool
parse_integer(const struct key *key, struct span text, uint64_t *n_r,
    struct err *err)
{
	char quoted[ERRORS_QUOTED_MAX];

	if (text.len == 0 || count_digits(text) < text.len) {
		err_set(err, "must be a whole number, not %s",
		    errors_quote(text, quoted));
		return false;
	}
	if (!num_parse_u64(text, n_r))
		*n_r = UINT64_MAX;
	return check_range(key, *n_r, text, err);
}

/* "250" with units: say which. */
static void
set_unit_missing(const struct key *key, struct span digits, struct err *err)
{
	int len = digits.len > 20 ? 20 : (int)digits.len;

	if (key->type == KEY_DURATION)
		err_set(err, "needs a unit: %.*sms, %.*ss, %.*sm or %.*sh",
		    len, digits.p, len, digits.p, len, digits.p, len,
		    digits.p);
	else
		err_set(err, "needs a unit: %.*sB, %.*sKiB, %.*sMiB or "
		    "%.*sGiB", len, digits.p, len, digits.p, len, digits.p,
		    len, digits.p);
}

/* A duration or a size. */
static bool
parse_measure(const struct key *key, struct span text, uint64_t *n_r,
    struct err *err)
{
	struct span digits = span_of(text.p, count_digits(text));
	struct span suffix = span_of(text.p + digits.len,
	    text.len - digits.len);
	const struct unit *units = units_of(key);
	char quoted[ERRORS_QUOTED_MAX], right[VALUE_TEXT_MAX];
	size_t i = 0;

	if (digits.len == 0) {
		err_set(err, "must be a whole number and a unit, as in %s, "
		    "not %s", example(key, right), errors_quote(text, quoted));
		return false;
	}
	if (!num_parse_u64(digits, n_r))
		*n_r = UINT64_MAX;
	if (suffix.len == 0 && *n_r == 0)
		return check_range(key, 0, text, err);
	if (suffix.len == 0) {
		set_unit_missing(key, digits, err);
		return false;
	}
	while (i < UNITS && !span_eq(units[i].suffix, suffix))
		i++;
	if (i == UNITS) {
		err_set(err, "must be a whole number and a unit (%s), not %s",
		    unit_names(key), errors_quote(text, quoted));
		return false;
	}
	if (__builtin_mul_overflow(*n_r, units[i].factor, n_r))
		*n_r = UINT64_MAX;
	return check_range(key, *n_r, text, err);
}

static bool
parse_percent(const struct key *key, struct span text, uint64_t *n_r,
    struct err *err)
{
	struct span digits = span_of(text.p, count_digits(text));
	char quoted[ERRORS_QUOTED_MAX], right[VALUE_TEXT_MAX];

	if (digits.len == 0 || text.len != digits.len + 1 ||
	    text.p[digits.len] != '%') {
		err_set(err, "must be a whole percentage, as in %s, not %s",
		    example(key, right), errors_quote(text, quoted));
		return false;
	}
	if (!num_parse_u64(digits, n_r))
		*n_r = UINT64_MAX;
	return check_range(key, *n_r, text, err);
}

static bool
parse_mode(const struct key *key, struct span text, uint64_t *n_r,
    struct err *err)
{
	char quoted[ERRORS_QUOTED_MAX];
	uint64_t n = 0;
	bool is_octal = text.len == 3 || text.len == 4;

	for (size_t i = 0; is_octal && i < text.len; i++) {
		is_octal = text.p[i] >= '0' && text.p[i] <= '7';
		n = n * 8 + (uint64_t)(text.p[i] - '0');
	}
	if (!is_octal || n < key->min || n > key->max) {
		err_set(err, "must be octal permissions, as in \"0660\", "
		    "not %s", errors_quote(text, quoted));
		return false;
	}
	*n_r = n;
	return true;
}

static bool
parse_bool(struct span text, uint64_t *n_r, struct err *err)
{
	char quoted[ERRORS_QUOTED_MAX];

	*n_r = span_eq(text, span_str("true"));
	if (*n_r == 1 || span_eq(text, span_str("false")))
		return true;
	err_set(err, "must be true or false, not %s",
	    errors_quote(text, quoted));
	return false;
}

static bool
parse_time(struct span text, uint64_t *n_r, struct err *err)
{
	char quoted[ERRORS_QUOTED_MAX];

	if (instant_parse(text, n_r))
		return true;
	err_set(err, "must be a time by RFC 3339, as in "
	    "2026-11-30T12:00:00Z or 2026-11-30T13:00:00+01:00, not %s",
	    errors_quote(text, quoted));
	return false;
}

bool
value_parse(const struct key *key, struct span text, uint64_t *n_r,
    struct err *err)
{
	if (key->type == KEY_INTEGER)
		return parse_integer(key, text, n_r, err);
	if (key->type == KEY_PERCENT)
		return parse_percent(key, text, n_r, err);
	if (key->type == KEY_MODE)
		return parse_mode(key, text, n_r, err);
	if (key->type == KEY_TIME)
		return parse_time(text, n_r, err);
	if (key->type == KEY_BOOL)
		return parse_bool(text, n_r, err);
	MUST(key->type == KEY_DURATION || key->type == KEY_SIZE);
	return parse_measure(key, text, n_r, err);
}

static const char *
format_measure(const struct key *key, uint64_t n, char out[VALUE_TEXT_MAX])
{
	const struct unit *units = units_of(key);
	size_t i = 0;

	while (i < UNITS - 1 && n % units[i].factor != 0)
		i++;
	snprintf(out, VALUE_TEXT_MAX, "%llu%s",
	    (unsigned long long)(n / units[i].factor), units[i].suffix.p);
	return out;
}

const char *
value_format(const struct key *key, uint64_t n, char out[VALUE_TEXT_MAX])
{
	if (key->type == KEY_BOOL)
		return n != 0 ? "true" : "false";
	if (key->type == KEY_TIME)
		return instant_format(n, out);
	if (key->type == KEY_MODE)
		snprintf(out, VALUE_TEXT_MAX, "0%03llo",
		    (unsigned long long)n);
	else if (key->type == KEY_PERCENT)
		snprintf(out, VALUE_TEXT_MAX, "%llu%%",
		    (unsigned long long)n);
	else if (key->type == KEY_INTEGER || n == 0)
		snprintf(out, VALUE_TEXT_MAX, "%llu", (unsigned long long)n);
	else
		return format_measure(key, n, out);
	return out;
}

/* Whole and decimal digits as one number of millionths. */
static bool
parse_millionths(struct span text, uint64_t *n_r)
{
	size_t whole = count_digits(text);
	struct span rest = span_of(text.p + whole, text.len - whole);
	uint64_t decimals = 0;

	if (!num_parse_u64_max(span_of(text.p, whole), UINT32_MAX, n_r))
		return false;
	if (rest.len > 0 && (rest.p[0] != '.' || rest.len == 1 ||
	    rest.len > 1 + VALUE_WEIGHT_DECIMALS ||
	    !num_parse_u64(span_of(rest.p + 1, rest.len - 1), &decimals)))
		return false;
	for (size_t i = rest.len == 0 ? 1 : rest.len;
	    i < 1 + VALUE_WEIGHT_DECIMALS; i++)
		decimals *= 10;
	*n_r = *n_r * 1000000 + decimals;
	return true;
}

bool
value_parse_weight(const struct key *key, struct span text, double *weight_r,
    struct err *err)
{
	char quoted[ERRORS_QUOTED_MAX];
	uint64_t n;

	if (!parse_millionths(text, &n) || n == 0 || n > key->max * 1000000) {
		err_set(err, "must be a number above 0, at most %llu, with "
		    "at most %d decimals, not %s",
		    (unsigned long long)key->max, VALUE_WEIGHT_DECIMALS,
		    errors_quote(text, quoted));
		return false;
	}
	/* Both are exact as doubles, so the quotient is the nearest one. */
	*weight_r = (double)n / 1e6;
	return true;
}

const char *
value_format_weight(double weight, char out[VALUE_TEXT_MAX])
{
	uint64_t n = (uint64_t)(weight * 1e6 + 0.5);
	int len = snprintf(out, VALUE_TEXT_MAX, "%llu.%06llu",
	    (unsigned long long)(n / 1000000),
	    (unsigned long long)(n % 1000000));

	while (out[len - 1] == '0')
		len--;
	if (out[len - 1] == '.')
		len--;
	out[len] = '\0';
	return out;
}
