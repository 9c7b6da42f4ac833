/*
 * ${VAR} and ${VAR:-default} inside a scalar, from the environment; $$ is one
 * dollar sign, and a dollar sign before anything else stands for itself.
 * Done after parsing, so a value can never change the shape of the document.
 */
#ifndef CONF_EXPAND_H
#define CONF_EXPAND_H

#include <stdbool.h>

#include "base/err.h"
#include "base/must.h"
#include "base/span.h"
#include "conf/arena.h"

/* Most bytes one scalar may have once it is expanded. */
#define EXPAND_MAX 65536

enum expand_result {
	EXPAND_OK,
	EXPAND_BAD,		/* `err` says why */
	EXPAND_NO_MEMORY,
};

/* Whether expanding `text` could change it. */
bool expand_is_needed(struct span text);

/* The expanded text in `text_r`, lent by `arena`, NUL-terminated as well. */
enum expand_result expand(struct span text, struct arena *arena,
    struct span *text_r, struct err *err) MUST_CHECK;

#endif
