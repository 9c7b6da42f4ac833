/* From endpoints to socket addresses. */
#include "route/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

bool
address_of_endpoint(const struct endpoint *ep, struct sockaddr_storage *ss_r,
    socklen_t *len_r)
{
	struct sockaddr_in *sin = (struct sockaddr_in *)ss_r;
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)ss_r;
	struct sockaddr_un *sun = (struct sockaddr_un *)ss_r;

	memset(ss_r, 0, sizeof(*ss_r));
	switch (ep->kind) {
	case ENDPOINT_IPV4:
		sin->sin_family = AF_INET;
		sin->sin_port = htons(ep->port);
		*len_r = sizeof(*sin);
		return inet_pton(AF_INET, ep->host, &sin->sin_addr) == 1;
	case ENDPOINT_IPV6:
		sin6->sin6_family = AF_INET6;
		sin6->sin6_port = htons(ep->port);
		*len_r = sizeof(*sin6);
		return inet_pton(AF_INET6, ep->host, &sin6->sin6_addr) == 1;
	case ENDPOINT_UNIX:
		sun->sun_family = AF_UNIX;
		/* endpoint_parse() saw to it that the path and a NUL fit. */
		memcpy(sun->sun_path, ep->host, sizeof(sun->sun_path));
		*len_r = sizeof(*sun);
		return true;
	case ENDPOINT_NAME:
		return false;
	}
	NEVER();
}
