/* Numbers as a person reads them at once. JSON has the same ones unrounded. */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include <stdint.h>

#define FIGURES_MAX 40

/*
 * A part of a whole, 0 to 1, in per cent with two decimals. Only nothing is
 * "0 %", and only the whole is "100 %".
 */
const char *figures_share(double share, char out[FIGURES_MAX]);

/* A factor: "1.08". */
const char *figures_ratio(double ratio, char out[FIGURES_MAX]);

/* "1,048,576". */
const char *figures_count(uint64_t n, char out[FIGURES_MAX]);

/* "12.0 MiB". */
const char *figures_bytes(uint64_t n, char out[FIGURES_MAX]);

#endif
