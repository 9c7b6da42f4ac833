/* Two configurations, key by key. */
#include "cli/compare.h"

#include "base/mem.h"
#include "proto/request.h"

static bool
side_init(struct compare_side *side)
{
	const struct table *table = side->table;
	size_t n = 0;

	side->first = mem_zalloc(table->npools, sizeof(*side->first));
	side->servers = mem_zalloc(table->nservers, sizeof(*side->servers));
	side->pools = mem_zalloc(table->npools, sizeof(*side->pools));
	side->pool_of = mem_zalloc(table->nservers, sizeof(*side->pool_of));
	if (side->first == NULL || side->servers == NULL ||
	    side->pools == NULL || side->pool_of == NULL)
		return false;
	for (size_t i = 0; i < table->npools; i++) {
		side->first[i] = n;
		for (size_t j = 0; j < table->pools[i].conf->nservers; j++)
			side->pool_of[n++] = (uint32_t)i;
	}
	return true;
}

static void
side_fini(struct compare_side *side)
{
	mem_free(side->first);
	mem_free(side->servers);
	mem_free(side->pools);
	mem_free(side->pool_of);
}

bool
compare_init(struct compare *c)
{
	return side_init(&c->a) && side_init(&c->b);
}

void
compare_fini(struct compare *c)
{
	side_fini(&c->a);
	side_fini(&c->b);
	ring_flows_fini(&c->flows);
}

const struct conf_pool *
compare_pool(const struct compare_side *side, size_t i)
{
	return side->table->pools[side->pool_of[i]].conf;
}

const struct conf_server *
compare_server(const struct compare_side *side, size_t i)
{
	return &compare_pool(side, i)->servers[i -
	    side->first[side->pool_of[i]]];
}

static size_t
owner_of(const struct compare_side *side, struct span key)
{
	const struct pool *pool = table_pool(side->table, side->entrance, key);

	return side->first[pool - side->table->pools] +
	    placement_owner(pool->placement, key);
}

static void
count(struct compare_side *side, size_t server, bool is_alike)
{
	struct compare_count *pool = &side->pools[side->pool_of[server]];

	side->servers[server].keys++;
	side->servers[server].alike += is_alike;
	pool->keys++;
	pool->alike += is_alike;
}

static bool
is_key(struct span line)
{
	return line.len <= REQUEST_KEY_MAX &&
	    memchr(line.p, ' ', line.len) == NULL;
}

void
compare_key(struct compare *c, struct span key)
{
	const struct conf_server *x, *y;
	size_t from, to;
	bool is_alike;

	if (!is_key(key)) {
		c->not_keys++;
		return;
	}
	from = owner_of(&c->a, key);
	to = owner_of(&c->b, key);
	x = compare_server(&c->a, from);
	y = compare_server(&c->b, to);
	is_alike = c->is_by_address ? endpoint_eq(&x->endpoint, &y->endpoint) :
	    strcmp(x->name, y->name) == 0;
	c->total.keys++;
	c->total.alike += is_alike;
	count(&c->a, from, is_alike);
	count(&c->b, to, is_alike);
	if (!is_alike && !ring_flows_add(&c->flows, (uint32_t)from,
	    (uint32_t)to, 1))
		c->is_broken = true;
}
