/*
 * Characters out of UTF-8, for clients that hash text and not bytes.
 */
#ifndef RING_UTF8_H
#define RING_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/*
 * The code point that starts `bytes`, which are not empty, and in `len_r` how
 * many bytes it takes. Where they are not UTF-8 (no client of text could have
 * sent them) the first byte stands for itself: every key has an answer.
 */
uint32_t utf8_first(struct span bytes, size_t *len_r);

#endif
