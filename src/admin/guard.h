/*
 * Whom the admin listener serves: requests that a browser was talked into by
 * some other page are turned away. Pure.
 */
#ifndef ADMIN_GUARD_H
#define ADMIN_GUARD_H

#include <stdbool.h>

#include "base/must.h"

/*
 * Whether a Host header (NULL: none) is of somebody who knows where he is: an
 * IP address or "localhost", with or without a port. A page whose own name
 * was made to resolve to this host has that name there.
 */
bool guard_is_host_plain(const char *host) MUST_CHECK;

/* What a browser says of where a request comes from; each may be NULL. */
struct guard_origin {
	const char	*host;		/* Host */
	const char	*origin;	/* Origin */
	const char	*site;		/* Sec-Fetch-Site */
};

/* Whether it is no browser, or one that shows a page of ours. */
bool guard_is_same_origin(const struct guard_origin *origin) MUST_CHECK;

#endif
