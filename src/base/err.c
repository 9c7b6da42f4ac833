/* A failure in words. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

void
err_set(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
}
