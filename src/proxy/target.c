/* From keys to upstreams. */
#include "proxy/target.h"

#include "proto/request.h"
#include "proxy/hotkeys.h"

struct span
target_key(struct span key, bool is_base64, char *decoded)
{
	size_t len;

	if (!is_base64)
		return key;
	len = request_decode_key(key, decoded);
	MUST(len > 0);
	return span_of(decoded, len);
}

/* The client's entrance in the present table, looked up once a table. */
static const struct entrance *
entrance_of(struct client *client)
{
	const struct table *table = client->conn.env->table;
	const struct entrance *entrance;

	if (client->generation == table->generation)
		return &table->entrances[client->entrance];
	entrance = table_entrance(table, client->doorway->listen);
	if (entrance == NULL)
		return NULL;
	client->generation = table->generation;
	client->entrance = (uint32_t)(entrance - table->entrances);
	return entrance;
}

const struct conf_listener *
target_listener(struct client *client)
{
	const struct entrance *entrance = entrance_of(client);

	return entrance == NULL ? NULL : entrance->conf;
}

const struct pool *
target_pool(struct client *client, struct span key)
{
	const struct entrance *entrance = entrance_of(client);

	if (entrance == NULL)
		return NULL;
	return table_pool(client->conn.env->table, entrance, key);
}

static bool
is_not_down(void *arg, uint32_t server)
{
	const struct pool *pool = arg;

	return health_state(&pool->servers[server]->health) != HEALTH_DOWN;
}

/* The owner, or the next one clockwise where the pool wants that. */
static uint32_t
choose(const struct pool *pool, struct span key)
{
	uint32_t owner = placement_owner(pool->placement, key), next;

	if (pool->policy.on_down != ON_DOWN_NEXT ||
	    is_not_down((void *)pool, owner))
		return owner;
	next = placement_owner_where(pool->placement, key, is_not_down,
	    (void *)pool);
	return next == PLACEMENT_NONE ? owner : next;
}

struct owner
target_owner(struct client *client, struct span key)
{
	struct env *env = client->conn.env;
	struct owner owner = {.pool = target_pool(client, key)};

	if (--env->hotkeys_gap == 0)
		env->hotkeys_gap = hotkeys_count(env->hotkeys, key,
		    env_now_ms(env), env_random(env));
	if (owner.pool == NULL)
		return owner;
	owner.index = choose(owner.pool, key);
	if (owner.pool->gutter == NULL ||
	    is_not_down((void *)owner.pool, owner.index))
		return owner;
	owner.max_ttl_s = owner.pool->policy.gutter_ttl_s;
	owner.pool = owner.pool->gutter;
	owner.index = choose(owner.pool, key);
	stats_bump(env->stats, STATS_GUTTER_KEYS);
	return owner;
}

enum reason
target_open(struct client *client, const struct owner *owner,
    struct target *target_r)
{
	enum reason reason;

	if (owner->pool == NULL) {
		*target_r = (struct target){.on_down = ON_DOWN_ERROR};
		return REASON_UNROUTED;
	}
	reason = target_server(client, owner->pool, owner->index, target_r);
	target_r->max_ttl_s = owner->max_ttl_s;
	return reason;
}

enum reason
target_find(struct client *client, struct span key, struct target *target_r)
{
	struct owner owner = target_owner(client, key);

	return target_open(client, &owner, target_r);
}

enum reason
target_server(struct client *client, const struct pool *pool, size_t index,
    struct target *target_r)
{
	const struct policy *policy = &pool->policy;

	*target_r = (struct target){.on_down = policy->on_down,
	    .server = pool->servers[index]};
	if (health_state(&target_r->server->health) == HEALTH_DOWN)
		return REASON_DOWN;
	target_r->up = upstream_get(client->conn.env, target_r->server, policy,
	    client->serial % policy->server_connections);
	if (target_r->up == NULL)
		return REASON_NO_MEMORY;
	return upstream_refusal(target_r->up);
}
