/* Host names to addresses, by libevent's asynchronous resolver. */
#include "daemon/resolver.h"

#include <event2/dns.h>
#include <event2/event.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

struct lookup {
	struct resolver			*resolver;
	struct server			*server;	/* one reference */
	struct evdns_getaddrinfo_request *request;
};

struct resolver {
	struct event_base	*base;
	struct evdns_base	*dns;		/* NULL: no look-ups at all */
	struct event		*refresh;
	struct table		*table;		/* one reference */
	struct lookup		*lookups[SERVER_IDS_MAX];	/* under way */
};

static void
lookup_free(struct lookup *lookup)
{
	lookup->resolver->lookups[lookup->server->id] = NULL;
	server_unref(&lookup->server);
	mem_free(lookup);
}

/* The answer that is in use if it is among them, else the first one. */
static void
take_address(struct server *server, const struct evutil_addrinfo *answers)
{
	struct server_address address = {.len = 0}, now;
	bool has_address = server_address(server, &now);

	for (const struct evutil_addrinfo *ai = answers; ai != NULL;
	    ai = ai->ai_next) {
		struct server_address answer = {.len = ai->ai_addrlen};

		memcpy(&answer.ss, ai->ai_addr, ai->ai_addrlen);
		if (address.len == 0)
			address = answer;
		if (has_address && server_has_host(&now, &answer))
			return;
	}
	if (address.len > 0 && server_set_address(server, &address))
		log_info("server %s resolved: its address is %s pool=%s",
		    server->name, has_address ? "another one" : "known",
		    server->pool);
}

static void
on_answer(int error, struct evutil_addrinfo *answers, void *arg)
{
	struct lookup *lookup = arg;
	struct server *server = lookup->server;
	struct server_address now;

	if (error == EVUTIL_EAI_CANCEL) {
		lookup_free(lookup);
		return;
	}
	if (error == 0)
		take_address(server, answers);
	else
		log_warn("server %s host name not resolved: %s host=%s "
		    "pool=%s %s", server->name, evutil_gai_strerror(error),
		    server->endpoint.host, server->pool,
		    server_address(server, &now) ? "kept=last_address" :
		    "kept=none");
	if (answers != NULL)
		evutil_freeaddrinfo(answers);
	lookup_free(lookup);
}

static void
look_up(struct resolver *resolver, struct server *server)
{
	struct evutil_addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = EVUTIL_AI_ADDRCONFIG,
	};
	struct lookup *lookup = mem_zalloc(1, sizeof(*lookup));
	struct evdns_getaddrinfo_request *request;

	if (lookup == NULL)
		return;
	lookup->resolver = resolver;
	lookup->server = server_ref(server);
	resolver->lookups[server->id] = lookup;
	request = evdns_getaddrinfo(resolver->dns, server->endpoint.host,
	    NULL, &hints, on_answer, lookup);
	/* NULL: answered already, from the hosts file, and freed. */
	if (request != NULL)
		lookup->request = request;
}

static void
look_up_all(struct resolver *resolver)
{
	const struct table *table = resolver->table;

	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];

		for (size_t j = 0; j < pool->nservers; j++) {
			struct server *server = pool->servers[j];

			if (server->endpoint.kind == ENDPOINT_NAME &&
			    resolver->lookups[server->id] == NULL)
				look_up(resolver, server);
		}
	}
}

static bool
has_names(const struct table *table)
{
	for (size_t i = 0; i < SERVER_IDS_MAX; i++) {
		if (table->by_id[i].server != NULL &&
		    table->by_id[i].server->endpoint.kind == ENDPOINT_NAME)
			return true;
	}
	return false;
}

/* Made when the first name needs it: most fleets are listed by address. */
static void
open_dns(struct resolver *resolver)
{
	if (resolver->dns != NULL)
		return;
	resolver->dns = evdns_base_new(resolver->base,
	    EVDNS_BASE_INITIALIZE_NAMESERVERS |
	    EVDNS_BASE_DISABLE_WHEN_INACTIVE);
	if (resolver->dns != NULL)
		return;
	/* Without a name server the hosts file still answers. */
	resolver->dns = evdns_base_new(resolver->base,
	    EVDNS_BASE_DISABLE_WHEN_INACTIVE);
	if (resolver->dns == NULL)
		return;
	evdns_base_load_hosts(resolver->dns, "/etc/hosts");
	log_warn("no name server is configured: host names are looked up in "
	    "the hosts file only");
}

void
resolver_wake(struct resolver *resolver)
{
	struct timeval tv = {.tv_sec = RESOLVER_REFRESH_S};

	if (!has_names(resolver->table))
		return;
	open_dns(resolver);
	if (resolver->dns == NULL) {
		log_error("host names cannot be looked up: out of memory");
		return;
	}
	look_up_all(resolver);
	if (event_add(resolver->refresh, &tv) != 0)
		log_error("a timer could not be set: out of memory");
}

static void
on_refresh(evutil_socket_t fd, short events, void *arg)
{
	(void)fd;
	(void)events;
	resolver_wake(arg);
}

struct resolver *
resolver_new(struct event_base *base)
{
	struct resolver *resolver = mem_zalloc(1, sizeof(*resolver));

	if (resolver == NULL)
		return NULL;
	resolver->base = base;
	resolver->refresh = event_new(base, -1, 0, on_refresh, resolver);
	if (resolver->refresh == NULL) {
		mem_free(resolver);
		return NULL;
	}
	return resolver;
}

void
resolver_set_table(struct resolver *resolver, struct table *table)
{
	table_unref(&resolver->table);
	resolver->table = table_ref(table);
	resolver_wake(resolver);
}

void
resolver_free(struct resolver **resolverp)
{
	struct resolver *resolver = *resolverp;

	*resolverp = NULL;
	if (resolver == NULL)
		return;
	for (uint32_t id = 0; id < SERVER_IDS_MAX; id++) {
		if (resolver->lookups[id] != NULL)
			evdns_getaddrinfo_cancel(
			    resolver->lookups[id]->request);
	}
	if (resolver->dns != NULL)
		evdns_base_free(resolver->dns, 1);
	/* Cancelled look-ups report so on the loop's next turn. */
	event_base_loop(resolver->base, EVLOOP_NONBLOCK);
	event_free(resolver->refresh);
	table_unref(&resolver->table);
	mem_free(resolver);
}
