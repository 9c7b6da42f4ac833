/* The registry of servers. */
#include "route/server.h"

#include <netinet/in.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "route/address.h"

struct server_registry {
	pthread_mutex_t	 mtx;			/* guards all below */
	struct server	*by_id[SERVER_IDS_MAX];
	/* What host names resolved to; no port. len 0: not yet. */
	struct server_address addresses[SERVER_IDS_MAX];
	uint32_t	 end;			/* ids from here on are free */
};

struct server_registry *
server_registry_new(void)
{
	struct server_registry *registry = mem_zalloc(1, sizeof(*registry));

	if (registry != NULL)
		pthread_mutex_init(&registry->mtx, NULL);
	return registry;
}

void
server_registry_free(struct server_registry **registryp)
{
	struct server_registry *registry = *registryp;

	*registryp = NULL;
	if (registry == NULL)
		return;
	for (uint32_t id = 0; id < registry->end; id++)
		MUST(registry->by_id[id] == NULL);
	pthread_mutex_destroy(&registry->mtx);
	mem_free(registry);
}

static bool
is_the_one(const struct server *server, const struct server_identity *identity)
{
	return strcmp(server->pool, identity->pool) == 0 &&
	    strcmp(server->name, identity->name) == 0 &&
	    endpoint_eq(&server->endpoint, identity->endpoint);
}

/* The strings live behind the struct, in one allocation. */
static struct server *
server_new(const struct server_identity *identity)
{
	size_t pool_size = strlen(identity->pool) + 1;
	size_t name_size = strlen(identity->name) + 1;
	struct server *server;
	char *text;

	server = mem_zalloc(1, sizeof(*server) + pool_size + name_size);
	if (server == NULL)
		return NULL;
	text = (char *)(server + 1);
	memcpy(text, identity->pool, pool_size);
	memcpy(text + pool_size, identity->name, name_size);
	server->pool = text;
	server->name = text + pool_size;
	server->endpoint = *identity->endpoint;
	atomic_init(&server->refs, 1);
	return server;
}

/* Under the mutex: the server, its count raised, and a free id. */
static struct server *
find(struct server_registry *registry, const struct server_identity *identity,
    uint32_t *free_id_r)
{
	*free_id_r = registry->end;
	for (uint32_t id = registry->end; id-- > 0;) {
		struct server *server = registry->by_id[id];

		if (server == NULL)
			*free_id_r = id;
		else if (is_the_one(server, identity))
			return server_ref(server);
	}
	return NULL;
}

struct server *
server_get(struct server_registry *registry,
    const struct server_identity *identity, const struct health_policy *policy)
{
	struct server *server;
	uint32_t id;

	pthread_mutex_lock(&registry->mtx);
	server = find(registry, identity, &id);
	if (server == NULL && id < SERVER_IDS_MAX &&
	    (server = server_new(identity)) != NULL) {
		server->registry = registry;
		server->id = id;
		health_init(&server->health, policy);
		registry->by_id[id] = server;
		registry->addresses[id].len = 0;
		if (id == registry->end)
			registry->end++;
	}
	pthread_mutex_unlock(&registry->mtx);
	return server;
}

struct server *
server_ref(struct server *server)
{
	/* Relaxed: whoever adds a reference holds one, or the mutex. */
	atomic_fetch_add_explicit(&server->refs, 1, memory_order_relaxed);
	return server;
}

/*
 * The count falls under the registry's mutex, so that find() never hands out
 * a server whose last reference just went.
 */
void
server_unref(struct server **serverp)
{
	struct server *server = *serverp;
	struct server_registry *registry;
	bool is_last;

	*serverp = NULL;
	if (server == NULL)
		return;
	registry = server->registry;
	pthread_mutex_lock(&registry->mtx);
	is_last = atomic_fetch_sub_explicit(&server->refs, 1,
	    memory_order_acq_rel) == 1;
	if (is_last)
		registry->by_id[server->id] = NULL;
	pthread_mutex_unlock(&registry->mtx);
	if (!is_last)
		return;
	server_stats_fini(&server->stats);
	mem_free(server);
}

bool
server_has_answered(struct server *server)
{
	return server_stats_count(&server->stats, SERVER_REPLIES) > 0 ||
	    server_stats_count(&server->stats, SERVER_LATE_REPLIES) > 0 ||
	    health_count(&server->health, HEALTH_TRIALS) > 0;
}

static void
set_port(struct server_address *address, uint16_t port)
{
	if (address->ss.ss_family == AF_INET)
		((struct sockaddr_in *)&address->ss)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)&address->ss)->sin6_port = htons(port);
}

bool
server_has_host(const struct server_address *a, const struct server_address *b)
{
	const struct sockaddr_in *a4 = (const struct sockaddr_in *)&a->ss;
	const struct sockaddr_in *b4 = (const struct sockaddr_in *)&b->ss;
	const struct sockaddr_in6 *a6 = (const struct sockaddr_in6 *)&a->ss;
	const struct sockaddr_in6 *b6 = (const struct sockaddr_in6 *)&b->ss;

	if (a->ss.ss_family != b->ss.ss_family)
		return false;
	if (a->ss.ss_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a->ss.ss_family == AF_INET6 &&
	    memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr)) == 0;
}

bool
server_address(struct server *server, struct server_address *address_r)
{
	struct server_registry *registry = server->registry;

	if (server->endpoint.kind != ENDPOINT_NAME)
		return address_of_endpoint(&server->endpoint, &address_r->ss,
		    &address_r->len);
	pthread_mutex_lock(&registry->mtx);
	*address_r = registry->addresses[server->id];
	pthread_mutex_unlock(&registry->mtx);
	if (address_r->len == 0)
		return false;
	set_port(address_r, server->endpoint.port);
	return true;
}

bool
server_is_suspect(struct server *server)
{
	return health_state(&server->health) == HEALTH_SUSPECT;
}

bool
server_is_up(struct server *server)
{
	struct server_address address;

	return health_state(&server->health) != HEALTH_DOWN &&
	    server_address(server, &address);
}

bool
server_set_address(struct server *server, const struct server_address *address)
{
	struct server_registry *registry = server->registry;
	struct server_address *known = &registry->addresses[server->id];
	bool is_new, was_known;

	MUST(server->endpoint.kind == ENDPOINT_NAME);
	pthread_mutex_lock(&registry->mtx);
	was_known = known->len != 0;
	is_new = known->len != address->len ||
	    memcmp(&known->ss, &address->ss, address->len) != 0;
	*known = *address;
	pthread_mutex_unlock(&registry->mtx);
	/* Else two proxies could use two hosts by one name for good. */
	if (is_new && was_known)
		health_renew(&server->health);
	return is_new;
}
