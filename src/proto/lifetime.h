/*
 * Exptimes of the protocol: what they mean, and how to make them shorter.
 *
 * As memcached's realtime() has it: negative is at once, 0 is never, up to 30
 * days is from now on, and more is a time since 1970.
 */
#ifndef PROTO_LIFETIME_H
#define PROTO_LIFETIME_H

#include <stdint.h>

/* The most seconds that are taken from now on: 30 days. */
#define LIFETIME_RELATIVE_MAX 2592000

/*
 * An exptime as `exptime`, but at most `max_s` seconds after `wall_s`, the
 * present time since 1970. `max_s` is from 1 to LIFETIME_RELATIVE_MAX.
 */
int64_t lifetime_cap(int64_t exptime, int64_t max_s, int64_t wall_s);

#endif
