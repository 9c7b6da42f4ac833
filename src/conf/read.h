/* The first stage: the bytes of a file, or why there are none. */
#ifndef CONF_READ_H
#define CONF_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/must.h"
#include "base/span.h"
#include "conf/errors.h"

/*
 * All bytes of the regular file at `path`, at most CONF_FILE_MAX, which the
 * caller frees with mem_free(); NULL with a line in `errors`. The path is
 * opened afresh, so a link that was switched shows its new target.
 */
char *read_file(const char *path, size_t *len_r, struct conf_errors *errors)
    MUST_CHECK;

/*
 * Whether the bytes can be text at all: UTF-8 without NUL. If not, says
 * where and why in `errors`.
 */
bool read_check_text(struct span text, struct conf_errors *errors) MUST_CHECK;

/* The place of the byte at `at`, its column counted in characters. */
struct conf_place read_place(struct span text, size_t at);

#endif
