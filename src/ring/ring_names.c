/* Names to indexes: open addressing, at most half full. */
#include "ring/ring_names.h"

#include <xxhash.h>

#include "base/mem.h"

bool
ring_names_init(struct ring_names *names,
    const struct placement_server *servers, size_t n)
{
	size_t nslots = 4;

	MUST(n < PLACEMENT_NONE);
	while (nslots < 2 * n)
		nslots *= 2;
	names->slots = mem_zalloc(nslots, sizeof(*names->slots));
	if (names->slots == NULL)
		return false;
	for (size_t i = 0; i < nslots; i++)
		names->slots[i] = PLACEMENT_NONE;
	names->servers = servers;
	names->mask = nslots - 1;
	return true;
}

/* The slot that holds `name`, or the free one where it belongs. */
static uint32_t *
find_slot(const struct ring_names *names, struct span name)
{
	size_t at = (size_t)XXH3_64bits(name.p, name.len) & names->mask;

	while (names->slots[at] != PLACEMENT_NONE &&
	    !span_eq(names->servers[names->slots[at]].name, name))
		at = (at + 1) & names->mask;
	return &names->slots[at];
}

uint32_t
ring_names_add(struct ring_names *names, uint32_t i)
{
	uint32_t *slot = find_slot(names, names->servers[i].name);
	uint32_t holder = *slot;

	if (holder == PLACEMENT_NONE)
		*slot = i;
	return holder;
}

uint32_t
ring_names_find(const struct ring_names *names, struct span name)
{
	return *find_slot(names, name);
}

void
ring_names_fini(struct ring_names *names)
{
	mem_free(names->slots);
	names->slots = NULL;
}
