/* The end of a process whose own invariant broke. */
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

void
must_fail(const char *file, int line, const char *claim)
{
	fprintf(stderr, "fairlead: bug: %s:%d: MUST(%s)\n", file, line, claim);
	abort();
}
