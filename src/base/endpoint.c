/* Written addresses. */
#include "base/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "base/num.h"

static const struct span unix_prefix = SPAN_LIT("unix:");

static bool
parse_unix(struct span path, struct endpoint *ep, struct err *err)
{
	struct sockaddr_un sun;

	if (path.len == 0 || path.p[0] != '/') {
		err_set(err, "a unix socket needs an absolute path, "
		    "as in unix:/run/fairlead.sock");
		return false;
	}
	if (path.len >= sizeof(sun.sun_path)) {
		err_set(err, "the unix socket path has %zu bytes, "
		    "at most %zu are possible", path.len,
		    sizeof(sun.sun_path) - 1);
		return false;
	}
	if (memchr(path.p, '\0', path.len) != NULL) {
		err_set(err, "the unix socket path holds a NUL byte");
		return false;
	}
	ep->kind = ENDPOINT_UNIX;
	memcpy(ep->host, path.p, path.len);
	return true;
}

/* Letters, digits, '-', '_' and single dots; a dot may end it. */
static bool
is_host_name(struct span s)
{
	if (s.len == 0 || s.p[0] == '.' || s.p[0] == '-')
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.p[i];

		if (c == '.' && i > 0 && s.p[i - 1] == '.')
			return false;
		if (!(c == '.' || c == '-' || c == '_' ||
		    (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z')))
			return false;
	}
	return true;
}

/* "10.0.0.300" is an address typed wrong, not a name to look up. */
static bool
looks_numeric(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] != '.' && (s.p[i] < '0' || s.p[i] > '9'))
			return false;
	}
	return true;
}

/* Of what has no brackets: hexadecimal digits, at least one colon. */
static bool
looks_like_ipv6(struct span s)
{
	static const char legal[] = "0123456789abcdefABCDEF:.%";

	for (size_t i = 0; i < s.len; i++) {
		if (memchr(legal, s.p[i], sizeof(legal) - 1) == NULL)
			return false;
	}
	return memchr(s.p, ':', s.len) != NULL;
}

static void
explain_host(struct span host, const struct endpoint *ep, struct err *err)
{
	if (looks_like_ipv6(host))
		err_set(err, "an IPv6 address needs brackets, as in "
		    "[::1]:11211");
	else if (span_eq(host, span_of("*", 1)))
		err_set(err, "\"*\" is not a host name or address; all of a "
		    "host's are 0.0.0.0 or [::]");
	else
		err_set(err, "\"%s\" is not a host name or address", ep->host);
}

static bool
parse_host(struct span host, bool in_brackets, struct endpoint *ep,
    struct err *err)
{
	struct in6_addr addr;

	if (host.len == 0) {
		err_set(err, "the host is missing before the port");
		return false;
	}
	if (host.len >= ENDPOINT_HOST_MAX) {
		err_set(err, "the host has %zu bytes, at most %d are possible",
		    host.len, ENDPOINT_HOST_MAX - 1);
		return false;
	}
	memcpy(ep->host, host.p, host.len);
	if (in_brackets) {
		ep->kind = ENDPOINT_IPV6;
		if (memchr(host.p, '\0', host.len) == NULL &&
		    inet_pton(AF_INET6, ep->host, &addr) == 1)
			return true;
		err_set(err, "\"%s\" is not an IPv6 address", ep->host);
		return false;
	}
	if (looks_numeric(host)) {
		ep->kind = ENDPOINT_IPV4;
		if (inet_pton(AF_INET, ep->host, &addr) == 1)
			return true;
		err_set(err, "\"%s\" is not an IPv4 address", ep->host);
		return false;
	}
	ep->kind = ENDPOINT_NAME;
	if (is_host_name(host))
		return true;
	explain_host(host, ep, err);
	return false;
}

static bool
parse_port(struct span text, struct endpoint *ep, struct err *err)
{
	uint64_t port;

	if (!num_parse_u64_max(text, 65535, &port) || port == 0) {
		err_set(err, "the port \"%.*s\" is not a number from 1 to "
		    "65535", (int)(text.len > 32 ? 32 : text.len), text.p);
		return false;
	}
	ep->port = (uint16_t)port;
	return true;
}

/* There is no colon where one would stand before the port. */
static void
explain_missing_port(struct span text, struct err *err)
{
	int shown = (int)(text.len > 64 ? 64 : text.len);
	uint64_t port;

	if (text.len > 0 && text.p[0] == '/')
		err_set(err, "a unix socket is written as in unix:%.*s",
		    shown, text.p);
	else if (num_parse_u64(text, &port))
		err_set(err, "the host is missing, as in 127.0.0.1:%.*s",
		    shown, text.p);
	else
		err_set(err, "the port is missing, as in %.*s:11211", shown,
		    text.p);
}

bool
endpoint_parse(struct span text, struct endpoint *ep_r, struct err *err)
{
	struct endpoint ep = {0};
	struct span host;
	const char *colon;
	bool in_brackets = text.len > 0 && text.p[0] == '[';

	if (span_starts(text, unix_prefix)) {
		if (!parse_unix(span_of(text.p + unix_prefix.len,
		    text.len - unix_prefix.len), &ep, err))
			return false;
		*ep_r = ep;
		return true;
	}
	if (in_brackets && memchr(text.p, ']', text.len) == NULL) {
		err_set(err, "the bracket is not closed; write it as in "
		    "[::1]:11211");
		return false;
	}
	colon = text.len == 0 ? NULL : memrchr(text.p, ':', text.len);
	if (colon == NULL || (in_brackets && colon[-1] != ']')) {
		explain_missing_port(text, err);
		return false;
	}
	host = span_of(text.p, (size_t)(colon - text.p));
	if (in_brackets)
		host = span_of(host.p + 1, host.len - 2);
	if (!parse_host(host, in_brackets, &ep, err) ||
	    !parse_port(span_of(colon + 1,
	    text.len - (size_t)(colon + 1 - text.p)), &ep, err))
		return false;
	*ep_r = ep;
	return true;
}

bool
endpoint_eq(const struct endpoint *a, const struct endpoint *b)
{
	return a->kind == b->kind && a->port == b->port &&
	    strcmp(a->host, b->host) == 0;
}

bool
endpoint_is_mapped(const struct endpoint *ep)
{
	struct in6_addr ip6;

	if (ep->kind != ENDPOINT_IPV6)
		return false;
	MUST(inet_pton(AF_INET6, ep->host, &ip6) == 1);
	return IN6_IS_ADDR_V4MAPPED(&ip6);
}

bool
endpoint_is_loopback(const struct endpoint *ep)
{
	struct in_addr ip4;
	struct in6_addr ip6;

	switch (ep->kind) {
	case ENDPOINT_IPV4:
		MUST(inet_pton(AF_INET, ep->host, &ip4) == 1);
		return ntohl(ip4.s_addr) >> 24 == 127;
	case ENDPOINT_IPV6:
		MUST(inet_pton(AF_INET6, ep->host, &ip6) == 1);
		return IN6_IS_ADDR_LOOPBACK(&ip6) ||
		    (IN6_IS_ADDR_V4MAPPED(&ip6) && ip6.s6_addr[12] == 127);
	case ENDPOINT_NAME:
		return strcasecmp(ep->host, "localhost") == 0;
	case ENDPOINT_UNIX:
		return false;
	}
	NEVER();
}

const char *
endpoint_format(const struct endpoint *ep, char out[ENDPOINT_TEXT_MAX])
{
	switch (ep->kind) {
	case ENDPOINT_IPV4:
	case ENDPOINT_NAME:
		snprintf(out, ENDPOINT_TEXT_MAX, "%s:%u", ep->host,
		    (unsigned)ep->port);
		return out;
	case ENDPOINT_IPV6:
		snprintf(out, ENDPOINT_TEXT_MAX, "[%s]:%u", ep->host,
		    (unsigned)ep->port);
		return out;
	case ENDPOINT_UNIX:
		snprintf(out, ENDPOINT_TEXT_MAX, "unix:%s", ep->host);
		return out;
	}
	NEVER();
}
