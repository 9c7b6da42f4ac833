/* Whom the admin listener serves. */
#include "admin/guard.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/endpoint.h"

/* Longest host that is looked at. */
#define HOST_MAX 128

bool
guard_is_host_plain(const char *host)
{
	char text[HOST_MAX + sizeof(":1")];
	struct endpoint ep;
	struct err err;
	size_t len;

	if (host == NULL)
		return true;
	len = strlen(host);
	if (len == 0 || len > HOST_MAX)
		return false;
	memcpy(text, host, len + 1);
	/* endpoint_parse() wants a port, and a Host need not have one. */
	if (strchr(host, ':') == NULL || host[len - 1] == ']')
		memcpy(text + len, ":1", sizeof(":1"));
	if (!endpoint_parse(span_str(text), &ep, &err))
		return false;
	return ep.kind == ENDPOINT_IPV4 || ep.kind == ENDPOINT_IPV6 ||
	    (ep.kind == ENDPOINT_NAME && strcasecmp(ep.host, "localhost") == 0);
}

bool
guard_is_same_origin(const struct guard_origin *origin)
{
	static const char scheme[] = "http://";

	if (origin->site != NULL && strcmp(origin->site, "same-origin") != 0 &&
	    strcmp(origin->site, "none") != 0)
		return false;
	if (origin->origin == NULL)
		return true;
	return origin->host != NULL &&
	    strncmp(origin->origin, scheme, sizeof(scheme) - 1) == 0 &&
	    strcasecmp(origin->origin + sizeof(scheme) - 1,
		origin->host) == 0;
}
