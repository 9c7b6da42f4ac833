/*
 * Finding the ends of words, several bytes at a time.
 *
 * The words of the protocol end at a blank or a line end, which are both less
 * than 0x21; so are other controls, which are rare. One scan for any of them
 * finds all ends; what was found is the caller's to tell apart.
 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdint.h>
#include <string.h>

/* The first byte less than 0x21 from `p` on, or `end`. */
static inline const char *
scan_to_low(const char *p, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	/*
	 * Per byte: its high bit is set if taking 0x21 away borrows. A borrow
	 * can mark a byte wrongly only above one that is marked rightly, and
	 * the lowest mark is the one that counts.
	 */
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t bytes, low;

	while (end - p >= 8) {
		memcpy(&bytes, p, sizeof(bytes));
		low = (bytes - 0x21 * ones) & ~bytes & (0x80 * ones);
		if (low != 0)
			return p + (__builtin_ctzll(low) >> 3);
		p += 8;
	}
#endif
	while (p < end && (unsigned char)*p >= 0x21)
		p++;
	return p;
}

/* The first blank from `p` on, or `end`. */
static inline const char *
scan_to_blank(const char *p, const char *end)
{
	p = scan_to_low(p, end);
	while (p < end && *p != ' ')
		p = scan_to_low(p + 1, end);
	return p;
}

#endif
