/*
 * The clock. Only base reads it: everyone else is passed the time, read once
 * a turn of the loop.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Milliseconds of a clock that never goes back; its zero means nothing. */
uint64_t clock_now_ms(void);

/* The same clock in microseconds. */
uint64_t clock_now_us(void);

/*
 * Milliseconds since 1970, by the wall clock: it may jump, both ways. For what
 * people read, and for what is to happen everywhere at once.
 */
uint64_t clock_wall_ms(void);

#endif
