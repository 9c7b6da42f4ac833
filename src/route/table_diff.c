/* What changes from one routing table to the next. */
#include "route/table_diff.h"

#include <string.h>

#include "base/mem.h"
#include "ring/ring_update.h"

static size_t
text_size(const struct table *old, const struct table *new)
{
	size_t size = 0;

	for (size_t i = 0; old != NULL && i < old->npools; i++)
		size += strlen(old->pools[i].name) + 1;
	for (size_t i = 0; i < new->npools; i++)
		size += strlen(new->pools[i].name) + 1;
	return size;
}

/* Servers of the same name whose address is another one. */
static size_t
count_readdressed(const struct pool *before, const struct pool *after)
{
	size_t n = 0;

	for (size_t i = 0; i < after->nservers; i++) {
		const struct conf_server *server = &after->conf->servers[i];
		uint32_t at = placement_find(before->placement,
		    span_str(server->name));

		if (at != PLACEMENT_NONE && !endpoint_eq(&server->endpoint,
		    &before->conf->servers[at].endpoint))
			n++;
	}
	return n;
}

/* False without memory. */
static bool
compare_placements(struct table_diff_pool *diff, const struct pool *before,
    const struct pool *after)
{
	struct ring_update *update;

	diff->is_exact = true;
	if (before->placement == after->placement)
		return true;
	update = ring_update_between(before->placement, after->placement);
	if (update == NULL)
		return false;
	diff->counts.added = update->nadded;
	diff->counts.removed = update->nremoved;
	diff->counts.reweighted = update->nreweighted;
	diff->counts.reordered = update->nreordered;
	diff->moved = ring_extent_share(update->moved);
	diff->is_exact = update->is_exact;
	diff->is_rescaled = update->is_rescaled;
	diff->is_other_spec = update->is_other_spec;
	ring_update_free(&update);
	return true;
}

/* The next row; its name is copied to `*text`, which moves on. */
static struct table_diff_pool *
add_row(struct table_diff *diff, const struct pool *pool, char **text)
{
	struct table_diff_pool *row = &diff->pools[diff->npools++];
	size_t size = strlen(pool->name) + 1;

	memcpy(*text, pool->name, size);
	row->name = *text;
	*text += size;
	return row;
}

static void
fill_added(struct table_diff_pool *row, const struct pool *pool)
{
	row->kind = TABLE_DIFF_ADDED;
	row->nservers = row->counts.added = pool->nservers;
	row->membership = pool->membership;
}

/* False without memory. Leaves no row where nothing differs. */
static bool
add_kept(struct table_diff *diff, const struct pool *before,
    const struct pool *after, char **text)
{
	struct table_diff_pool found = {.kind = TABLE_DIFF_CHANGED,
	    .nservers = after->nservers, .membership = after->membership};
	struct table_diff_pool *row;

	found.counts.readdressed = count_readdressed(before, after);
	if (!compare_placements(&found, before, after))
		return false;
	if (before->placement == after->placement &&
	    found.counts.readdressed == 0)
		return true;
	row = add_row(diff, after, text);
	found.name = row->name;
	*row = found;
	return true;
}

static bool
compare(struct table_diff *diff, const struct table *old,
    const struct table *new, char *text)
{
	for (size_t i = 0; i < new->npools; i++) {
		const struct pool *pool = &new->pools[i];
		const struct pool *before = table_pool_by_name(old,
		    pool->name);

		if (before == NULL)
			fill_added(add_row(diff, pool, &text), pool);
		else if (!add_kept(diff, before, pool, &text))
			return false;
	}
	for (size_t i = 0; old != NULL && i < old->npools; i++) {
		const struct pool *pool = &old->pools[i];
		struct table_diff_pool *row;

		if (table_pool_by_name(new, pool->name) != NULL)
			continue;
		row = add_row(diff, pool, &text);
		row->kind = TABLE_DIFF_REMOVED;
		row->counts.removed = pool->nservers;
	}
	return true;
}

static void
add_up(struct table_diff *diff)
{
	for (size_t i = 0; i < diff->npools; i++) {
		const struct table_diff_pool *row = &diff->pools[i];

		diff->sum.added += row->counts.added;
		diff->sum.removed += row->counts.removed;
		diff->sum.reweighted += row->counts.reweighted;
		diff->sum.reordered += row->counts.reordered;
		diff->sum.readdressed += row->counts.readdressed;
		if (row->moved > diff->moved_most)
			diff->moved_most = row->moved;
	}
}

struct table_diff *
table_diff_new(const struct table *old, const struct table *new)
{
	size_t n = new->npools + (old == NULL ? 0 : old->npools);
	struct table_diff *diff = mem_zalloc(1, sizeof(*diff));

	if (diff == NULL)
		return NULL;
	/* The names stand behind the rows. */
	diff->pools = mem_zalloc(1, n * sizeof(*diff->pools) +
	    text_size(old, new));
	if (diff->pools == NULL ||
	    !compare(diff, old, new, (char *)(diff->pools + n))) {
		table_diff_free(&diff);
		return NULL;
	}
	add_up(diff);
	return diff;
}

void
table_diff_free(struct table_diff **diff)
{
	if (*diff == NULL)
		return;
	mem_free((*diff)->pools);
	mem_free(*diff);
	*diff = NULL;
}
