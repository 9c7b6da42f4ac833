/*
 * From one placement to the next.
 *
 * The exact share comes from a merge of two circles, each cut into arcs of
 * one owner:
 *
 *	old	|----- a -----|--- b ---|------ a ------|-- b --|
 *	new	|-- a --|-- c --|- b -|------ a --------|-- b --|
 *	moved		 a->c   b->c   b->a
 */
#include "ring/ring_update.h"

#include <string.h>

#include "base/mem.h"
#include "ring/ring_flows.h"
#include "ring/ring_shares.h"
#include "ring/rule.h"

/* One update in the making. */
struct builder {
	const struct placement	*old_p;
	const struct placement	*new_p;
	struct ring_update	*update;
	char			*text_end;	/* where the next name goes */
	uint32_t		*new_of_old;	/* owned; NONE: removed */
	struct ring_flows	 flows;
};

double
ring_extent_share(struct ring_extent extent)
{
	return extent.is_whole ? 1.0 : (double)extent.positions * 0x1p-64;
}

/* The lists have room for every server, and the text for every name. */
static void
add_change(struct builder *b, struct ring_change change, struct span name)
{
	struct ring_update *u = b->update;

	if (name.len > 0)
		memcpy(b->text_end, name.p, name.len);
	change.name = span_of(b->text_end, name.len);
	b->text_end += name.len;
	u->changes[u->nchanges++] = change;
	u->nadded += ring_change_is_added(&change);
	u->nremoved += ring_change_is_removed(&change);
	u->nreweighted += ring_change_is_reweighted(&change);
	u->nreordered += change.is_reordered;
}

/* The servers that left, and where the others went. */
static void
compare_old_servers(struct builder *b)
{
	for (uint32_t i = 0; i < placement_servers(b->old_p); i++) {
		const struct placement_server *s =
		    placement_server_at(b->old_p, i);
		struct ring_change change = {
			.old_index = i,
			.new_index = PLACEMENT_NONE,
			.old_weight = s->weight,
		};

		b->new_of_old[i] = placement_find(b->new_p, s->name);
		if (b->new_of_old[i] == PLACEMENT_NONE)
			add_change(b, change, s->name);
	}
}

/* The next old index at or after `i` whose server stayed. */
static uint32_t
next_that_stayed(const struct builder *b, uint32_t i)
{
	size_t n = placement_servers(b->old_p);

	while (i < n && b->new_of_old[i] == PLACEMENT_NONE)
		i++;
	return i;
}

/* A server that stayed, whose next old index in turn is `at_rank`. */
static void
compare_staying_server(struct builder *b, struct ring_change change,
    uint32_t at_rank)
{
	const struct placement_server *was =
	    placement_server_at(b->old_p, change.old_index);

	change.old_weight = was->weight;
	change.is_reordered = change.old_index != at_rank;
	if (!ring_change_is_reweighted(&change) &&
	    placement_server_points(b->old_p, change.old_index) !=
	    placement_server_points(b->new_p, change.new_index))
		b->update->is_rescaled = true;
	if (ring_change_is_reweighted(&change) || change.is_reordered)
		add_change(b, change, was->name);
}

/*
 * The servers that came or changed. Those that stayed are met here in the new
 * order and counted off in the old one: a rank is kept when both agree.
 */
static void
compare_new_servers(struct builder *b)
{
	uint32_t at_rank = b->old_p == NULL ? 0 : next_that_stayed(b, 0);

	for (uint32_t i = 0; i < placement_servers(b->new_p); i++) {
		const struct placement_server *s =
		    placement_server_at(b->new_p, i);
		struct ring_change change = {
			.old_index = PLACEMENT_NONE,
			.new_index = i,
			.new_weight = s->weight,
		};

		if (b->old_p != NULL)
			change.old_index = placement_find(b->old_p, s->name);
		if (ring_change_is_added(&change)) {
			add_change(b, change, s->name);
			continue;
		}
		compare_staying_server(b, change, at_rank);
		at_rank = next_that_stayed(b, at_rank + 1);
	}
}

/* `extent` positions that belonged to `from` belong to `to`. */
static bool
take_arc(struct builder *b, uint32_t from, uint32_t to, uint64_t extent)
{
	struct ring_extent *moved = &b->update->moved;

	if (b->new_of_old[from] == to || extent == 0)
		return true;
	if (__builtin_add_overflow(moved->positions, extent,
	    &moved->positions))
		moved->is_whole = true;
	return ring_flows_add(&b->flows, from, to, extent);
}

/*
 * Both circles at once, from one end of an arc to the next. The last position
 * is taken alone, as it would make the arc of a whole circle 2^64 long.
 */
static bool
merge_circles(struct builder *b)
{
	struct placement_arc old_arc, new_arc;
	size_t old_i = 0, new_i = 0;
	uint64_t from = 0;

	MUST(placement_arc_at(b->old_p, old_i, &old_arc));
	MUST(placement_arc_at(b->new_p, new_i, &new_arc));
	for (;;) {
		uint64_t last = old_arc.last < new_arc.last ? old_arc.last
							    : new_arc.last;

		if (last == UINT64_MAX)
			break;
		if (last >= from && !take_arc(b, old_arc.owner, new_arc.owner,
		    last - from + 1))
			return false;
		from = last + 1;
		if (old_arc.last == last)
			MUST(placement_arc_at(b->old_p, ++old_i, &old_arc));
		if (new_arc.last == last)
			MUST(placement_arc_at(b->new_p, ++new_i, &new_arc));
	}
	return take_arc(b, old_arc.owner, new_arc.owner, UINT64_MAX - from) &&
	    take_arc(b, old_arc.owner, new_arc.owner, 1);
}

/* Each made-up key stands for its part of the circle. */
static bool
sample_keys(struct builder *b)
{
	for (uint32_t i = 0; i < RING_UPDATE_SAMPLES; i++) {
		char buf[RING_SAMPLE_KEY_MAX];
		struct span key = ring_sample_key(i, buf);

		if (!take_arc(b, placement_owner(b->old_p, key),
		    placement_owner(b->new_p, key),
		    UINT64_MAX / RING_UPDATE_SAMPLES + 1))
			return false;
	}
	return true;
}

/* Whether a key has the same position on both circles. */
static bool
have_same_circle(const struct builder *b)
{
	struct placement_spec spec = *placement_spec_of(b->old_p);

	/* How many points there are does not say where a key lies. */
	spec.points_per_weight =
	    placement_spec_of(b->new_p)->points_per_weight;
	spec.max_points = placement_spec_of(b->new_p)->max_points;
	return placement_spec_eq(&spec, placement_spec_of(b->new_p)) &&
	    ring_has_circle(b->old_p) && ring_has_circle(b->new_p);
}

static bool
find_moves(struct builder *b)
{
	struct ring_update *u = b->update;

	u->is_other_spec = !placement_spec_eq(placement_spec_of(b->old_p),
	    placement_spec_of(b->new_p));
	u->is_exact = have_same_circle(b);
	return u->is_exact ? merge_circles(b) : sample_keys(b);
}

static size_t
name_bytes(const struct placement *p)
{
	size_t bytes = 0;

	for (size_t i = 0; p != NULL && i < placement_servers(p); i++)
		bytes += placement_server_at(p, i)->name.len;
	return bytes;
}

static bool
build(struct builder *b)
{
	struct ring_update *u = b->update;
	size_t nold = b->old_p == NULL ? 0 : placement_servers(b->old_p);
	size_t nnew = placement_servers(b->new_p);

	u->changes = mem_zalloc(nold + nnew, sizeof(*u->changes));
	u->text = mem_alloc(name_bytes(b->old_p) + name_bytes(b->new_p) + 1);
	if (u->changes == NULL || u->text == NULL)
		return false;
	b->text_end = u->text;
	if (b->old_p == NULL) {
		compare_new_servers(b);
		u->is_exact = true;
		return true;
	}
	b->new_of_old = mem_zalloc(nold, sizeof(*b->new_of_old));
	if (b->new_of_old == NULL)
		return false;
	compare_old_servers(b);
	compare_new_servers(b);
	return find_moves(b);
}

struct ring_update *
ring_update_between(const struct placement *old_placement,
    const struct placement *new_placement)
{
	struct builder b = {.old_p = old_placement, .new_p = new_placement};
	bool is_built;

	b.update = mem_zalloc(1, sizeof(*b.update));
	if (b.update == NULL)
		return NULL;
	is_built = build(&b);
	mem_free(b.new_of_old);
	if (!is_built) {
		ring_flows_fini(&b.flows);
		ring_update_free(&b.update);
		return NULL;
	}
	ring_flows_sort(&b.flows);
	b.update->flows = b.flows.flows;
	b.update->nflows = b.flows.nflows;
	return b.update;
}

void
ring_update_free(struct ring_update **update)
{
	struct ring_update *u = *update;

	*update = NULL;
	if (u == NULL)
		return;
	mem_free(u->text);
	mem_free(u->changes);
	mem_free(u->flows);
	mem_free(u);
}
