/* Whether two written addresses mean the same socket. */
#include "conf/overlap.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

/* An IP address in binary; a host name is neither family. */
struct ip {
	int		family;		/* AF_INET, AF_INET6 or AF_UNSPEC */
	unsigned char	bytes[16];
};

static struct ip
ip_of(const struct endpoint *ep)
{
	struct ip ip = {.family = AF_UNSPEC};

	if (ep->kind == ENDPOINT_IPV4)
		ip.family = AF_INET;
	else if (ep->kind == ENDPOINT_IPV6)
		ip.family = AF_INET6;
	if (ip.family != AF_UNSPEC)
		MUST(inet_pton(ip.family, ep->host, ip.bytes) == 1);
	if (endpoint_is_mapped(ep)) {
		ip.family = AF_INET;
		memmove(ip.bytes, ip.bytes + 12, 4);
		memset(ip.bytes + 4, 0, 12);
	}
	return ip;
}

static bool
ip_eq(struct ip a, struct ip b)
{
	return a.family == b.family &&
	    memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}

static bool
is_wildcard(struct ip ip)
{
	static const unsigned char zero[16];

	return memcmp(ip.bytes, zero, sizeof(zero)) == 0;
}

static bool
is_same_path(const struct endpoint *a, const struct endpoint *b)
{
	return a->kind == ENDPOINT_UNIX && b->kind == ENDPOINT_UNIX &&
	    strcmp(a->host, b->host) == 0;
}

static bool
is_same_port(const struct endpoint *a, const struct endpoint *b)
{
	return a->kind != ENDPOINT_UNIX && b->kind != ENDPOINT_UNIX &&
	    a->port == b->port;
}

bool
overlap_listeners(const struct endpoint *a, const struct endpoint *b)
{
	struct ip x, y;

	if (!is_same_port(a, b))
		return is_same_path(a, b);
	x = ip_of(a);
	y = ip_of(b);
	return ip_eq(x, y) ||
	    (x.family == y.family && (is_wildcard(x) || is_wildcard(y)));
}

bool
overlap_loops(const struct endpoint *server, const struct endpoint *listener)
{
	struct ip to, at;

	if (!is_same_port(server, listener))
		return is_same_path(server, listener);
	to = ip_of(server);
	at = ip_of(listener);
	if (to.family == AF_UNSPEC)
		return endpoint_is_loopback(server) &&
		    (endpoint_is_loopback(listener) || is_wildcard(at));
	if (to.family != at.family)
		return false;
	/* To connect to a wildcard is to connect to this host's loopback. */
	return ip_eq(to, at) ||
	    (endpoint_is_loopback(server) && is_wildcard(at)) ||
	    (is_wildcard(to) && endpoint_is_loopback(listener));
}
