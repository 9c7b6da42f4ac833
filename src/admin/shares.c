/* The shares of all servers of a table. */
#include "admin/shares.h"

#include "admin/circle.h"
#include "base/mem.h"

static bool
measure(struct shares *shares, const struct table *table)
{
	double *values = shares->values;

	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];

		shares->samples[i] = circle_shares(pool->placement, values);
		if (shares->samples[i] == CIRCLE_NO_MEMORY)
			return false;
		values += pool->nservers;
	}
	return true;
}

bool
shares_update(struct shares *shares, const struct table *table)
{
	if (shares->generation == table->generation)
		return true;
	shares_fini(shares);
	shares->values = mem_zalloc(table->nservers, sizeof(*shares->values));
	shares->samples = mem_zalloc(table->npools, sizeof(*shares->samples));
	if (shares->values == NULL || shares->samples == NULL ||
	    !measure(shares, table)) {
		shares_fini(shares);
		return false;
	}
	shares->generation = table->generation;
	return true;
}

void
shares_fini(struct shares *shares)
{
	mem_free(shares->values);
	mem_free(shares->samples);
	*shares = (struct shares){.generation = 0};
}
