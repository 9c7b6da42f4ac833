/*
 * Where a socket listens or connects, as written in a configuration:
 * "host:port", "1.2.3.4:port", "[v6]:port" or "unix:/path".
 *
 * Pure text: nothing here resolves a name or opens a socket.
 */
#ifndef BASE_ENDPOINT_H
#define BASE_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/must.h"
#include "base/span.h"

enum endpoint_kind {
	ENDPOINT_IPV4,		/* host is a dotted address */
	ENDPOINT_IPV6,		/* host is an address without its brackets */
	ENDPOINT_NAME,		/* host is a name that must be resolved */
	ENDPOINT_UNIX,		/* host is an absolute path; port is 0 */
};

/* Longest host name (DNS) or socket path (sun_path), with its NUL. */
#define ENDPOINT_HOST_MAX 256

struct endpoint {
	enum endpoint_kind	kind;
	uint16_t		port;
	char			host[ENDPOINT_HOST_MAX];
};

/*
 * Parses one written address. On false `err` says what is wrong and what a
 * right one looks like.
 */
bool endpoint_parse(struct span text, struct endpoint *ep_r, struct err *err)
    MUST_CHECK;

bool endpoint_eq(const struct endpoint *a, const struct endpoint *b);

/* Whether it is an IPv4 address written as an IPv6 one: [::ffff:127.0.0.1]. */
bool endpoint_is_mapped(const struct endpoint *ep);

/* Whether only this host can reach it, as far as the text tells. */
bool endpoint_is_loopback(const struct endpoint *ep);

/* Bytes that endpoint_format() may need, with the NUL. */
#define ENDPOINT_TEXT_MAX (ENDPOINT_HOST_MAX + 16)

/* The address in the form that endpoint_parse() takes; `out` is given back. */
const char *endpoint_format(const struct endpoint *ep,
    char out[ENDPOINT_TEXT_MAX]);

#endif
