/*
 * A node list of one.
 *
 *	CONFIG cluster 0 LENGTH CRLF
 *	VERSION LF
 *	HOST|IP|PORT LF
 *	CRLF END CRLF
 *
 * LENGTH counts the two lines in the middle with their line feeds.
 */
#include "proxy/local_config.h"

#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

#include "proto/answer.h"

static bool
asks_for_cluster(const struct request *req)
{
	struct span rest = req->args, what, key, more;

	return request_next_word(&rest, &what) &&
	    request_next_word(&rest, &key) &&
	    !request_next_word(&rest, &more) &&
	    span_eq(what, span_str("get")) && span_eq(key, span_str("cluster"));
}

/* Where the client reached us; false through a unix socket. */
static bool
own_address(const struct client *client, char host[NI_MAXHOST],
    char port[NI_MAXSERV])
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	return getsockname(client->conn.fd, (struct sockaddr *)&ss,
	    &len) == 0 && ss.ss_family != AF_UNIX &&
	    getnameinfo((struct sockaddr *)&ss, len, host, NI_MAXHOST, port,
	    NI_MAXSERV, NI_NUMERICHOST | NI_NUMERICSERV) == 0;
}

void
local_config(struct client *client, const struct request *req)
{
	char host[NI_MAXHOST], port[NI_MAXSERV];
	char nodes[2 * NI_MAXHOST + NI_MAXSERV + 64], head[64];
	int len;

	if (!asks_for_cluster(req) || !own_address(client, host, port)) {
		client_say(client, span_str(ANSWER_ERROR));
		return;
	}
	len = snprintf(nodes, sizeof(nodes), "%llu\n%s|%s|%s\n\r\n" ANSWER_END,
	    (unsigned long long)client->conn.env->table->generation, host,
	    host, port);
	snprintf(head, sizeof(head), "CONFIG cluster 0 %d\r\n",
	    len - (int)sizeof("\r\n" ANSWER_END) + 1);
	client_say(client, span_str(head));
	if (client->state != CLIENT_DEAD)
		client_say(client, span_str(nodes));
}
