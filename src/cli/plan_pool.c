/* What a reload would do to one pool. */
#include "cli/plan_pool.h"

#include "base/mem.h"
#include "ring/ring_shares.h"

/* All of the hash space does not fit into 64 bits. */
typedef __int128 positions;

#define WHOLE ((positions)1 << 64)

/* One comparison in the making. */
struct matcher {
	struct plan_pool	*plan;
	size_t			 nold;
	size_t			 nnew;
	uint32_t		*new_of_old;	/* owned; NONE: removed */
	uint32_t		*old_of_new;	/* owned; NONE: added */
	positions		*gains;		/* owned: of each row */
	positions		*losses;	/* owned */
	positions		*left;		/* owned: of each old server */
};

static positions
positions_of(struct ring_extent extent)
{
	return extent.is_whole ? WHOLE : (positions)extent.positions;
}

static double
share_of(positions n)
{
	return (double)n / (double)WHOLE;
}

static const struct conf_server *
old_server(const struct matcher *m, size_t i)
{
	return &m->plan->before->conf->servers[i];
}

static const struct conf_server *
new_server(const struct matcher *m, size_t i)
{
	return &m->plan->after->conf->servers[i];
}

/* Servers of one name are one server. */
static void
match_names(struct matcher *m)
{
	for (uint32_t i = 0; i < m->nold; i++)
		m->new_of_old[i] = PLACEMENT_NONE;
	for (uint32_t i = 0; i < m->nnew; i++) {
		uint32_t old = m->plan->before == NULL ? PLACEMENT_NONE :
		    placement_find(m->plan->before->placement,
			span_str(new_server(m, i)->name));

		m->old_of_new[i] = old;
		if (old != PLACEMENT_NONE)
			m->new_of_old[old] = i;
	}
}

/* Of what is left, those at one address got another name. */
static void
match_addresses(struct matcher *m)
{
	for (uint32_t i = 0; i < m->nnew; i++) {
		if (m->old_of_new[i] != PLACEMENT_NONE)
			continue;
		for (uint32_t j = 0; j < m->nold; j++) {
			if (m->new_of_old[j] != PLACEMENT_NONE ||
			    !endpoint_eq(&old_server(m, j)->endpoint,
				&new_server(m, i)->endpoint))
				continue;
			m->old_of_new[i] = j;
			m->new_of_old[j] = i;
			break;
		}
	}
}

static void
add_row(struct matcher *m, const struct conf_server *before,
    const struct conf_server *after)
{
	struct plan_server row = {.before = before, .after = after};

	if (before != NULL && after != NULL) {
		row.is_renamed = strcmp(before->name, after->name) != 0;
		row.is_readdressed = !endpoint_eq(&before->endpoint,
		    &after->endpoint);
		row.is_reweighted = before->weight != after->weight;
	}
	m->plan->servers[m->plan->nservers++] = row;
}

static void
make_rows(struct matcher *m)
{
	for (size_t i = 0; i < m->nold; i++) {
		m->plan->row_of_old[i] = m->plan->nservers;
		if (m->new_of_old[i] == PLACEMENT_NONE)
			add_row(m, old_server(m, i), NULL);
	}
	for (size_t i = 0; i < m->nnew; i++) {
		uint32_t old = m->old_of_new[i];

		m->plan->row_of_new[i] = m->plan->nservers;
		if (old != PLACEMENT_NONE)
			m->plan->row_of_old[old] = m->plan->nservers;
		add_row(m, old == PLACEMENT_NONE ? NULL : old_server(m, old),
		    new_server(m, i));
	}
}

/* The least that weights ask to move: what servers lose by them. */
static double
ideal_of(const struct plan_pool *plan)
{
	double old_sum = 0, new_sum = 0, ideal = 0;

	for (size_t i = 0; i < plan->nservers; i++) {
		const struct plan_server *s = &plan->servers[i];

		old_sum += s->before == NULL ? 0 : s->before->weight;
		new_sum += s->after == NULL ? 0 : s->after->weight;
	}
	for (size_t i = 0; i < plan->nservers; i++) {
		const struct plan_server *s = &plan->servers[i];
		double old_share = s->before == NULL ? 0 :
		    s->before->weight / old_sum;
		double new_share = s->after == NULL ? 0 :
		    s->after->weight / new_sum;

		if (old_share > new_share)
			ideal += old_share - new_share;
	}
	return ideal;
}

/* Shares of one placement, by the method that the update used. */
static bool
measure(const struct plan_pool *plan, const struct placement *p,
    positions *shares_r)
{
	size_t n = placement_servers(p);
	struct ring_extent *extents;
	uint64_t *counts;

	if (plan->is_exact) {
		extents = mem_zalloc(n, sizeof(*extents));
		if (extents == NULL)
			return false;
		MUST(ring_shares_exact(p, extents));
		for (size_t i = 0; i < n; i++)
			shares_r[i] = positions_of(extents[i]);
		mem_free(extents);
		return true;
	}
	counts = mem_zalloc(n, sizeof(*counts));
	if (counts == NULL)
		return false;
	ring_shares_sampled(p, RING_UPDATE_SAMPLES, counts);
	for (size_t i = 0; i < n; i++)
		shares_r[i] = counts[i] * (WHOLE / RING_UPDATE_SAMPLES);
	mem_free(counts);
	return true;
}

static bool
set_shares(struct matcher *m)
{
	struct plan_pool *plan = m->plan;
	positions *shares = mem_zalloc(m->nnew, sizeof(*shares));
	bool is_measured;

	/* What each old server has before anything leaves it. */
	if (shares == NULL)
		return false;
	is_measured = measure(plan, plan->before->placement, m->left) &&
	    measure(plan, plan->after->placement, shares);
	for (size_t i = 0; is_measured && i < m->nold; i++)
		plan->servers[m->plan->row_of_old[i]].old_share =
		    share_of(m->left[i]);
	for (size_t i = 0; is_measured && i < m->nnew; i++)
		plan->servers[m->plan->row_of_new[i]].new_share =
		    share_of(shares[i]);
	mem_free(shares);
	return is_measured;
}

/* Not so from a server to itself under another name. */
static bool
is_a_move(const struct plan_pool *plan, const struct ring_flow *flow)
{
	return plan->row_of_old[flow->from] != plan->row_of_new[flow->to];
}

/* Who gave what to whom, and how much of that each got back. */
static void
sum_flows(struct matcher *m)
{
	const struct ring_update *update = m->plan->update;
	positions moved = 0, elsewhere = 0, needed = 0;

	for (size_t i = 0; update != NULL && i < update->nflows; i++) {
		const struct ring_flow *flow = &update->flows[i];
		positions extent = positions_of(flow->extent);

		m->left[flow->from] -= extent;
		if (!is_a_move(m->plan, flow))
			continue;
		moved += extent;
		m->losses[m->plan->row_of_old[flow->from]] += extent;
		m->gains[m->plan->row_of_new[flow->to]] += extent;
		if (!endpoint_eq(&old_server(m, flow->from)->endpoint,
		    &new_server(m, flow->to)->endpoint))
			elsewhere += extent;
	}
	/* What keeps its server goes where that goes. */
	for (size_t i = 0; i < m->nold; i++) {
		if (m->plan->servers[m->plan->row_of_old[i]].is_readdressed)
			elsewhere += m->left[i];
	}
	for (size_t i = 0; i < m->plan->nservers; i++) {
		if (m->losses[i] > m->gains[i])
			needed += m->losses[i] - m->gains[i];
	}
	m->plan->moved = share_of(moved);
	m->plan->elsewhere = share_of(elsewhere);
	m->plan->needless = share_of(moved - needed);
}

static void
mark_reordered(struct matcher *m)
{
	const struct ring_update *update = m->plan->update;

	for (size_t i = 0; i < update->nchanges; i++) {
		const struct ring_change *change = &update->changes[i];

		if (change->is_reordered)
			m->plan->servers[m->plan->row_of_new[change->new_index]]
			    .is_reordered = true;
	}
}

static bool
compare_placements(struct matcher *m)
{
	struct plan_pool *plan = m->plan;
	const struct placement *before = plan->before->placement;
	const struct placement *after = plan->after->placement;

	if (before != after) {
		plan->update = ring_update_between(before, after);
		if (plan->update == NULL)
			return false;
		mark_reordered(m);
	}
	plan->is_exact = plan->update == NULL ? ring_has_circle(after) :
	    plan->update->is_exact;
	if (!set_shares(m))
		return false;
	sum_flows(m);
	plan->ideal = ideal_of(plan);
	return true;
}

static bool
compare(struct matcher *m)
{
	size_t n = m->nold + m->nnew;

	m->plan->servers = mem_zalloc(n, sizeof(*m->plan->servers));
	m->new_of_old = mem_zalloc(m->nold, sizeof(*m->new_of_old));
	m->old_of_new = mem_zalloc(m->nnew, sizeof(*m->old_of_new));
	m->plan->row_of_old = mem_zalloc(m->nold, sizeof(size_t));
	m->plan->row_of_new = mem_zalloc(m->nnew, sizeof(size_t));
	m->gains = mem_zalloc(n, sizeof(*m->gains));
	m->losses = mem_zalloc(n, sizeof(*m->losses));
	m->left = mem_zalloc(m->nold, sizeof(*m->left));
	if (m->plan->servers == NULL || m->new_of_old == NULL ||
	    m->old_of_new == NULL || m->plan->row_of_old == NULL ||
	    m->plan->row_of_new == NULL || m->gains == NULL ||
	    m->losses == NULL || m->left == NULL)
		return false;
	match_names(m);
	match_addresses(m);
	make_rows(m);
	return m->plan->before == NULL || m->plan->after == NULL ||
	    compare_placements(m);
}

bool
plan_pool_init(struct plan_pool *plan, const struct pool *before,
    const struct pool *after)
{
	struct matcher m = {
		.plan = plan,
		.nold = before == NULL ? 0 : before->conf->nservers,
		.nnew = after == NULL ? 0 : after->conf->nservers,
	};
	bool is_compared;

	MUST(before != NULL || after != NULL);
	*plan = (struct plan_pool){.before = before, .after = after};
	is_compared = compare(&m);
	mem_free(m.new_of_old);
	mem_free(m.old_of_new);
	mem_free(m.gains);
	mem_free(m.losses);
	mem_free(m.left);
	return is_compared;
}

void
plan_pool_fini(struct plan_pool *plan)
{
	mem_free(plan->servers);
	mem_free(plan->row_of_old);
	mem_free(plan->row_of_new);
	ring_update_free(&plan->update);
}

bool
plan_pool_has_changes(const struct plan_pool *plan)
{
	if (plan->before == NULL || plan->after == NULL ||
	    plan->update != NULL)
		return true;
	/* Placed as before: nothing but addresses may differ. */
	for (size_t i = 0; i < plan->nservers; i++) {
		if (plan->servers[i].is_readdressed)
			return true;
	}
	return false;
}

void
plan_pool_visit_flows(const struct plan_pool *plan,
    void (*visit)(void *arg, const struct plan_flow *flow), void *arg)
{
	const struct ring_update *update = plan->update;

	for (size_t i = 0; update != NULL && i < update->nflows; i++) {
		const struct ring_flow *flow = &update->flows[i];

		if (is_a_move(plan, flow))
			visit(arg, &(struct plan_flow){
			    plan->before->conf->servers[flow->from].name,
			    plan->after->conf->servers[flow->to].name,
			    ring_extent_share(flow->extent)});
	}
}
