/* Clients as memcached shows its connections. */
#include "proxy/local_stats_conns.h"

#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

#include "proxy/stats_page.h"

/* More would hold up the worker's other clients. */
#define CLIENTS_SHOWN 1024

#define ADDRESS_SIZE (NI_MAXHOST + NI_MAXSERV + sizeof("tcp6:[]:"))

/* Clients of a unix socket have no address but the listener's. */
static const char *
show_address(const struct client *client, char out[ADDRESS_SIZE])
{
	char host[NI_MAXHOST], port[NI_MAXSERV];
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	if (getpeername(client->conn.fd, (struct sockaddr *)&ss, &len) != 0)
		return "unknown";
	if (ss.ss_family == AF_UNIX)
		return client->doorway->listen;
	if (getnameinfo((struct sockaddr *)&ss, len, host, sizeof(host), port,
	    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return "unknown";
	snprintf(out, ADDRESS_SIZE, ss.ss_family == AF_INET6 ?
	    "tcp6:[%s]:%s" : "tcp:%s:%s", host, port);
	return out;
}

/* memcached's names, where a client here is what they say. */
static const char *
state_name(const struct client *client)
{
	if (client->state != CLIENT_OPEN)
		return "conn_closing";
	if (client->conn.out.len > 0)
		return "conn_mwrite";
	switch (client->phase) {
	case CLIENT_AT_LINE:
		return client->ntxns > 0 ? "conn_io_queue" : "conn_read";
	case CLIENT_IN_BODY:
		return "conn_nread";
	case CLIENT_SKIPPING:
		return "conn_swallow";
	}
	NEVER();
}

void
local_stats_conns(struct client *asking)
{
	struct env *env = asking->conn.env;
	uint64_t now_ms = env_now_ms(env);
	char address[ADDRESS_SIZE];
	const struct client *client;
	struct stats_page page;
	unsigned n = 0;

	stats_page_init(&page, asking);
	TAILQ_FOREACH(client, &env->clients, all_next) {
		int fd = client->conn.fd;

		/* Out of memory, it was closed by what it was told. */
		if (asking->state == CLIENT_DEAD || n++ == CLIENTS_SHOWN)
			break;
		stats_page_line(&page, "STAT %d:addr %.*s\r\n", fd,
		    STATS_LINE_MAX / 2, show_address(client, address));
		stats_page_line(&page, "STAT %d:state %s\r\n", fd,
		    client == asking ? "conn_parse_cmd" : state_name(client));
		stats_page_line(&page, "STAT %d:secs_since_last_cmd %llu\r\n",
		    fd, (unsigned long long)(now_ms - client->active_ms) /
		    1000);
	}
	stats_page_end(&page);
}
