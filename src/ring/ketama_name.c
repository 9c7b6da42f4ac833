/* Spellings of servers. */
#include "ring/ketama_name.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/endpoint.h"
#include "base/must.h"
#include "base/num.h"

/* The port that memcached listens on, and that names leave out. */
#define DEFAULT_PORT 11211

/* What a name says of a host and a port. */
struct identity {
	struct span	host;
	uint64_t	port;	/* 0: a unix socket */
};

/* Whether the server has a name of its own, other than its address. */
static bool
is_named(const struct placement_server *server)
{
	struct endpoint ep;
	struct err err;

	return server->is_named || !endpoint_parse(server->name, &ep, &err) ||
	    ep.port != server->port ||
	    !span_eq(span_str(ep.host), server->host);
}

/* "host:port", or a host alone, which then has the default port. */
static struct identity
identity_in_name(struct span name)
{
	struct identity id = {name, DEFAULT_PORT};
	const char *colon = memrchr(name.p, ':', name.len);
	struct span host, port;

	if (colon == NULL)
		return id;
	host = span_of(name.p, (size_t)(colon - name.p));
	port = span_of(colon + 1, name.len - host.len - 1);
	if (host.len > 0 && num_parse_u64_max(port, UINT16_MAX, &id.port))
		id.host = host;
	return id;
}

static struct identity
identity_of(const struct placement_server *server)
{
	if (server->name.len > 0 && is_named(server))
		return identity_in_name(server->name);
	return (struct identity){server->host, server->port};
}

size_t
ketama_spelled_max(const struct placement_server *server)
{
	size_t host = server->host.len > server->name.len ? server->host.len
							  : server->name.len;

	/* "host/host:port" is the longest. */
	return 2 * host + 2 + NUM_U64_MAX_LEN;
}

static size_t
put(char *out, struct span s)
{
	if (s.len > 0)
		memcpy(out, s.p, s.len);
	return s.len;
}

static size_t
put_host_port(char *out, struct identity id)
{
	size_t len = put(out, id.host);

	out[len++] = ':';
	return len + num_put_u64(out + len, id.port);
}

static size_t
put_short(char *out, struct identity id)
{
	return id.port == DEFAULT_PORT ? put(out, id.host)
				       : put_host_port(out, id);
}

static size_t
put_twemproxy(char *out, const struct placement_server *server)
{
	struct identity id = {server->host, server->port};
	size_t len;

	if (is_named(server))
		return put(out, server->name);
	if (server->port != 0)
		return put_short(out, id);
	len = put(out, server->host);
	out[len++] = ':';
	return len;
}

/* A socket without a name of its own is the path it is at. */
static size_t
put_address(char *out, const struct placement_server *server)
{
	if (server->port == 0 && !is_named(server))
		return put(out, server->host);
	return put_host_port(out, identity_of(server));
}

static size_t
put_envoy(char *out, const struct placement_server *server)
{
	struct span host = server->host;
	size_t len = 0;

	if (is_named(server))
		return put(out, server->name);
	if (server->port == 0 || memchr(host.p, ':', host.len) == NULL)
		return put_address(out, server);
	out[len++] = '[';
	len += put(out + len, host);
	out[len++] = ']';
	out[len++] = ':';
	return len + num_put_u64(out + len, server->port);
}

static bool
is_localhost(struct span host)
{
	return span_eq(host, span_str("localhost"));
}

static size_t
put_spymemcached(char *out, const struct placement_server *server)
{
	size_t len;

	if (is_named(server))
		return put(out, server->name);
	if (!is_localhost(server->host))
		return put_address(out, server);
	len = put(out, span_str("localhost/127.0.0.1:"));
	return len + num_put_u64(out + len, server->port);
}

bool
ketama_spymemcached_knows(const struct placement_server *server)
{
	char host[INET_ADDRSTRLEN];
	struct in_addr address;

	if (is_named(server))
		return true;
	if (server->port == 0 || server->host.len >= sizeof(host))
		return false;
	if (is_localhost(server->host))
		return true;
	host[put(host, server->host)] = '\0';
	return inet_pton(AF_INET, host, &address) == 1;
}

size_t
ketama_spell(enum ketama_spelling spelling,
    const struct placement_server *server, char *out)
{
	struct identity id = identity_of(server);
	size_t len;

	switch (spelling) {
	case KETAMA_AS_WRITTEN:
		return put(out, server->name);
	case KETAMA_HOST_PORT:
		return put_host_port(out, id);
	case KETAMA_SHORT:
		return put_short(out, id);
	case KETAMA_SPY:
		out[0] = '/';
		return 1 + put_host_port(out + 1, id);
	case KETAMA_EVCACHE:
		len = put(out, id.host);
		out[len++] = '/';
		return len + put_host_port(out + len, id);
	case KETAMA_ADDRESS:
		return put_address(out, server);
	case KETAMA_ENVOY:
		return put_envoy(out, server);
	case KETAMA_SPYMEMCACHED:
		return put_spymemcached(out, server);
	case KETAMA_TWEMPROXY:
		return put_twemproxy(out, server);
	}
	NEVER();
}
