/* Servers repeated by weight. */
#include "ring/slots.h"

#include "base/mem.h"

/* The largest weight of one server; more slots than that never fit. */
#define WEIGHT_MAX (UINT64_C(1) << 32)

struct slots *
slots_new(const struct rule_build *build, uint64_t divisor)
{
	uint32_t max = build->spec->max_points;
	struct slots *slots;
	uint64_t sum;

	MUST(divisor > 0);
	if (!rule_takes_whole_weights(build, WEIGHT_MAX, &sum))
		return NULL;
	if (max == 0)
		max = SLOTS_MAX;
	if (sum / divisor > max) {
		(void)rule_refuse(build, PLACEMENT_STATE_CAPACITY_EXCEEDED,
		    "the weights need %llu slots, max_points is %u",
		    (unsigned long long)(sum / divisor), max);
		return NULL;
	}
	slots = mem_alloc(sizeof(*slots) +
	    (size_t)(sum / divisor) * sizeof(slots->owners[0]));
	if (slots == NULL) {
		(void)rule_no_memory(build);
		return NULL;
	}
	slots->servers = build->servers;
	slots->divisor = divisor;
	slots->n = 0;
	for (uint32_t i = 0; i < build->n; i++) {
		uint64_t weight = (uint64_t)build->servers[i].weight;

		for (uint64_t slot = 0; slot < weight / divisor; slot++)
			slots->owners[slots->n++] = i;
	}
	return slots;
}

uint64_t
slots_of(const struct slots *slots, uint32_t server)
{
	return (uint64_t)slots->servers[server].weight / slots->divisor;
}
