/*
 * The list of complaints about one file, kept in the order of their places
 * whatever the order in which they are found. The public half is in conf.h.
 */
#ifndef CONF_ERRORS_H
#define CONF_ERRORS_H

#include <stdarg.h>
#include <stdbool.h>

#include "base/must.h"
#include "base/span.h"
#include "conf/conf.h"

/* More than these are counted, not kept: the first ones of the file stay. */
#define ERRORS_MAX 100

/* An empty list about the file `path`, or NULL without memory. */
struct conf_errors *errors_new(const char *path) MUST_CHECK;

/*
 * Adds a line about `place` (line 0: about the file as a whole). Without
 * memory the list becomes the one complaint that there was none.
 */
void errors_add(struct conf_errors *errors, struct conf_place place,
    const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same with the arguments in `ap`. */
void errors_vadd(struct conf_errors *errors, struct conf_place place,
    const char *fmt, va_list ap) PRINTF_LIKE(3, 0);

/* Turns the list into the one complaint that there was no memory. */
void errors_out_of_memory(struct conf_errors *errors);

/* Whether that has happened. */
bool errors_is_out_of_memory(const struct conf_errors *errors);

/* Says that the file could not be read at all. */
void errors_set_unreadable(struct conf_errors *errors);

/* Whether nothing went wrong so far. */
bool errors_is_empty(const struct conf_errors *errors);

/*
 * Whether there are so many that the next one is hardly going to be kept: no
 * words worth a long search are needed for it.
 */
bool errors_is_full(const struct conf_errors *errors);

/*
 * Text of a file for use in a message: in double quotes, control characters
 * masked, cut when long. Gives back `out`.
 */
#define ERRORS_QUOTED_MAX 80

const char *errors_quote(struct span text, char out[ERRORS_QUOTED_MAX]);

#endif
