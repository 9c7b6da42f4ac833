/*
 * The text of single values to numbers and back. Pure: no place, no list of
 * errors, only words about what is wrong and what would be right.
 */
#ifndef CONF_VALUE_H
#define CONF_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/must.h"
#include "base/span.h"
#include "conf/keys.h"

/*
 * A KEY_INTEGER, KEY_DURATION, KEY_SIZE, KEY_PERCENT, KEY_MODE, KEY_TIME
 * or KEY_BOOL within the bounds of its key, in the unit that the table stores.
 */
bool value_parse(const struct key *key, struct span text, uint64_t *n_r,
    struct err *err) MUST_CHECK;

/* Such a value as value_parse() takes it, in its largest whole unit. */
#define VALUE_TEXT_MAX 32

const char *value_format(const struct key *key, uint64_t n,
    char out[VALUE_TEXT_MAX]);

/*
 * A KEY_WEIGHT: digits, perhaps a point and up to VALUE_WEIGHT_DECIMALS more,
 * above zero. The double nearest to what is written.
 */
#define VALUE_WEIGHT_DECIMALS 6

bool value_parse_weight(const struct key *key, struct span text,
    double *weight_r, struct err *err) MUST_CHECK;

/* Such a weight as value_parse_weight() takes it. */
const char *value_format_weight(double weight, char out[VALUE_TEXT_MAX]);

#endif
