/* Stage, then commit. */
#include "ring/ring_state.h"

#include "base/mem.h"

struct ring_state {
	struct placement	*current;	/* owned, as all below */
	struct ring_update	*update;	/* that brought it */
	struct placement	*candidate;	/* NULL: none is staged */
	struct ring_update	*next_update;	/* NULL exactly with it */
	uint64_t		 generation;
};

struct ring_state *
ring_state_new(void)
{
	return mem_zalloc(1, sizeof(struct ring_state));
}

void
ring_state_free(struct ring_state **state)
{
	struct ring_state *st = *state;

	*state = NULL;
	if (st == NULL)
		return;
	ring_state_discard(st);
	placement_free(&st->current);
	ring_update_free(&st->update);
	mem_free(st);
}

enum ring_stage
ring_state_stage(struct ring_state *state, const struct placement_spec *spec,
    const struct placement_server *servers, size_t n,
    enum placement_error *error_r, struct err *err)
{
	ring_state_discard(state);
	*error_r = PLACEMENT_OK;
	if (state->current != NULL &&
	    placement_is_of(state->current, spec, servers, n))
		return RING_STAGE_UNCHANGED;
	state->candidate = placement_build(spec, servers, n, error_r, err);
	if (state->candidate == NULL)
		return RING_STAGE_FAILED;
	state->next_update =
	    ring_update_between(state->current, state->candidate);
	if (state->next_update == NULL) {
		placement_free(&state->candidate);
		err_set(err, "out of memory for comparing two placements");
		*error_r = PLACEMENT_STATE_CAPACITY_EXCEEDED;
		return RING_STAGE_FAILED;
	}
	return RING_STAGE_READY;
}

const struct ring_update *
ring_state_commit(struct ring_state *state)
{
	MUST(state->candidate != NULL && state->next_update != NULL);
	placement_free(&state->current);
	ring_update_free(&state->update);
	state->current = state->candidate;
	state->update = state->next_update;
	state->candidate = NULL;
	state->next_update = NULL;
	state->generation++;
	return state->update;
}

void
ring_state_discard(struct ring_state *state)
{
	placement_free(&state->candidate);
	ring_update_free(&state->next_update);
}

const struct placement *
ring_state_current(const struct ring_state *state)
{
	return state->current;
}

uint64_t
ring_state_generation(const struct ring_state *state)
{
	return state->generation;
}
