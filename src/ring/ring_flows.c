/* Flows by (from, to): an array, and a hash table of places in it. */
#include "ring/ring_flows.h"

#include <stdlib.h>

#include "base/mem.h"

#define ROOM_FIRST 64
#define NO_FLOW	   UINT32_MAX

static uint32_t *
find_slot(const struct ring_flows *f, uint32_t from, uint32_t to)
{
	uint64_t pair = (uint64_t)from << 32 | to;
	size_t at = (size_t)hash_mix64(pair) & (f->nslots - 1);

	while (f->slots[at] != NO_FLOW) {
		const struct ring_flow *flow = &f->flows[f->slots[at]];

		if (flow->from == from && flow->to == to)
			break;
		at = (at + 1) & (f->nslots - 1);
	}
	return &f->slots[at];
}

/* Twice the room; the table stays at most half full. */
static bool
grow(struct ring_flows *f)
{
	size_t room = f->room == 0 ? ROOM_FIRST : 2 * f->room;
	struct ring_flow *flows;
	uint32_t *slots;

	if (room >= NO_FLOW / 2)
		return false;
	flows = mem_resize(f->flows, room, sizeof(*flows));
	if (flows == NULL)
		return false;
	f->flows = flows;
	slots = mem_resize(NULL, 2 * room, sizeof(*slots));
	if (slots == NULL)
		return false;
	mem_free(f->slots);
	f->slots = slots;
	f->nslots = 2 * room;
	f->room = room;
	for (size_t i = 0; i < f->nslots; i++)
		slots[i] = NO_FLOW;
	for (uint32_t i = 0; i < f->nflows; i++)
		*find_slot(f, f->flows[i].from, f->flows[i].to) = i;
	return true;
}

bool
ring_flows_add(struct ring_flows *f, uint32_t from, uint32_t to,
    uint64_t extent)
{
	struct ring_flow *flow;
	uint32_t *slot;

	if (f->nflows == f->room && !grow(f))
		return false;
	slot = find_slot(f, from, to);
	if (*slot == NO_FLOW) {
		*slot = (uint32_t)f->nflows++;
		f->flows[*slot] = (struct ring_flow){from, to, {0, false}};
	}
	flow = &f->flows[*slot];
	if (__builtin_add_overflow(flow->extent.positions, extent,
	    &flow->extent.positions))
		flow->extent.is_whole = true;
	return true;
}

static int
compare(const void *a, const void *b)
{
	const struct ring_flow *x = a, *y = b;

	/* A whole circle is the only flow there is. */
	if (x->extent.positions != y->extent.positions)
		return x->extent.positions > y->extent.positions ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

void
ring_flows_sort(struct ring_flows *f)
{
	if (f->nflows > 0)
		qsort(f->flows, f->nflows, sizeof(*f->flows), compare);
	mem_free(f->slots);
	f->slots = NULL;
}

void
ring_flows_fini(struct ring_flows *f)
{
	mem_free(f->slots);
	mem_free(f->flows);
	*f = (struct ring_flows){0};
}
