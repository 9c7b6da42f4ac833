/*
 * One failure in words, for a person: set by the one who notices, printed
 * once by the one who decides.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/must.h"

#define ERR_TEXT_MAX 512

struct err {
	char	text[ERR_TEXT_MAX];	/* one line, NUL-terminated */
};

/* Sets the text, cutting what does not fit. */
void err_set(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
