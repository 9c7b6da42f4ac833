/* Numbers as a person reads them at once. */
#include "cli/figures.h"

#include <stdio.h>

#include "base/num.h"

const char *
figures_share(double share, char out[FIGURES_MAX])
{
	if (share <= 0)
		return "0 %";
	if (share < 0.00005)
		return "<0.01 %";
	if (share >= 1)
		return "100 %";
	if (share >= 0.99995)
		return ">99.99 %";
	snprintf(out, FIGURES_MAX, "%.2f %%", 100 * share);
	return out;
}

const char *
figures_ratio(double ratio, char out[FIGURES_MAX])
{
	snprintf(out, FIGURES_MAX, "%.3f", ratio);
	return out;
}

const char *
figures_count(uint64_t n, char out[FIGURES_MAX])
{
	char digits[NUM_U64_MAX_LEN];
	size_t len = num_put_u64(digits, n), at = 0;

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

const char *
figures_bytes(uint64_t n, char out[FIGURES_MAX])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double amount = (double)n;
	size_t unit = 0;

	/* What would be rounded to 1024 is one of the next unit. */
	while (amount >= 1023.95 && unit + 1 < sizeof(units) / sizeof(*units)) {
		amount /= 1024;
		unit++;
	}
	snprintf(out, FIGURES_MAX, unit == 0 ? "%.0f %s" : "%.1f %s", amount,
	    units[unit]);
	return out;
}
