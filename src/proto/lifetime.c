/* Shorter exptimes. */
#include "proto/lifetime.h"

int64_t
lifetime_cap(int64_t exptime, int64_t max_s, int64_t wall_s)
{
	int64_t left = exptime;

	if (exptime < 0)
		return exptime;
	if (exptime > LIFETIME_RELATIVE_MAX)
		left = exptime - wall_s;
	return exptime == 0 || left > max_s ? max_s : exptime;
}
