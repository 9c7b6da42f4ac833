/* Strict decimals. */
#include "base/num.h"

/* So many digits cannot overflow. */
#define SAFE_DIGITS 19

static bool
parse_few(struct span s, uint64_t *n_r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';

		if (digit > 9)
			return false;
		n = n * 10 + digit;
	}
	*n_r = n;
	return true;
}

bool
num_parse_u64(struct span s, uint64_t *n_r)
{
	uint64_t n = 0;

	if (s.len == 0)
		return false;
	if (s.len <= SAFE_DIGITS)
		return parse_few(s, n_r);
	for (size_t i = 0; i < s.len; i++) {
		unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, digit, &n))
			return false;
	}
	*n_r = n;
	return true;
}

bool
num_parse_u64_max(struct span s, uint64_t max, uint64_t *n_r)
{
	uint64_t n;

	if (!num_parse_u64(s, &n) || n > max)
		return false;
	*n_r = n;
	return true;
}

bool
num_parse_i64(struct span s, int64_t *n_r)
{
	bool is_negative = s.len > 0 && s.p[0] == '-';
	uint64_t n, max = (uint64_t)INT64_MAX + (is_negative ? 1 : 0);

	if (is_negative)
		s = span_of(s.p + 1, s.len - 1);
	if (!num_parse_u64_max(s, max, &n))
		return false;
	/* Negated as unsigned: so the smallest number overflows nothing. */
	*n_r = (int64_t)(is_negative ? 0 - n : n);
	return true;
}

size_t
num_put_u64(char *out, uint64_t n)
{
	char digits[NUM_U64_MAX_LEN];
	size_t len = 0;

	do {
		digits[len++] = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	for (size_t i = 0; i < len; i++)
		out[i] = digits[len - 1 - i];
	return len;
}
