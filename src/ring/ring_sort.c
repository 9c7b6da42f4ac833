/*
 * Radix sort, least significant digit first.
 *
 * Positions are hashes, spread evenly. So the digits that tell most of them
 * apart are the top ones: sorting by the top two (22 bits) leaves even a
 * million points nearly in order, and one insertion pass puts the few others
 * right. Should the positions crowd after all (names can be chosen), that pass
 * gives up and all six digits are sorted. Every step keeps the order of
 * points that are equal.
 */
#include "ring/ring_sort.h"

#include <stdbool.h>
#include <string.h>

#define DIGIT_BITS   11
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define TOP_SHIFT    (64 - 2 * DIGIT_BITS)

/* Moves a point costs the insertion pass before crowding is certain. */
#define MOVES_PER_POINT 4

/* Below this many points, or so, clearing the counts is the greater cost. */
#define SMALL 64

static size_t
digit(uint64_t position, unsigned shift)
{
	return (size_t)(position >> shift) & (DIGIT_VALUES - 1);
}

/* From how many points have each value to where the first of them goes. */
static void
counts_to_places(uint32_t counts[DIGIT_VALUES])
{
	uint32_t sum = 0;

	for (size_t d = 0; d < DIGIT_VALUES; d++) {
		uint32_t count = counts[d];

		counts[d] = sum;
		sum += count;
	}
}

static void
move_to_places(const struct ring_point *from, struct ring_point *to,
    size_t n, unsigned shift, uint32_t places[DIGIT_VALUES])
{
	for (size_t i = 0; i < n; i++)
		to[places[digit(from[i].position, shift)]++] = from[i];
}

/* Sorts by the digits at `shift` and above it, with both counted in one go. */
static void
sort_two_digits(struct ring_point *points, struct ring_point *scratch,
    size_t n, unsigned shift)
{
	uint32_t low[DIGIT_VALUES] = {0}, high[DIGIT_VALUES] = {0};

	for (size_t i = 0; i < n; i++) {
		low[digit(points[i].position, shift)]++;
		high[digit(points[i].position, shift + DIGIT_BITS)]++;
	}
	counts_to_places(low);
	counts_to_places(high);
	move_to_places(points, scratch, n, shift, low);
	move_to_places(scratch, points, n, shift + DIGIT_BITS, high);
}

/* False when it gave up, the points being a permutation of what they were. */
static bool
sort_by_insertion(struct ring_point *points, size_t n, size_t max_moves)
{
	size_t moves = 0;

	for (size_t i = 1; i < n; i++) {
		struct ring_point point = points[i];
		size_t at = i;

		while (at > 0 && points[at - 1].position > point.position) {
			points[at] = points[at - 1];
			at--;
		}
		points[at] = point;
		moves += i - at;
		if (moves > max_moves)
			return false;
	}
	return true;
}

void
ring_sort(struct ring_point *points, struct ring_point *scratch, size_t n)
{
	if (n <= SMALL) {
		(void)sort_by_insertion(points, n, SMALL * SMALL);
		return;
	}
	sort_two_digits(points, scratch, n, TOP_SHIFT);
	if (sort_by_insertion(points, n, MOVES_PER_POINT * n))
		return;
	/* The last of the six digits has only the 9 bits that are left. */
	for (unsigned shift = 0; shift < 64; shift += 2 * DIGIT_BITS)
		sort_two_digits(points, scratch, n, shift);
}
