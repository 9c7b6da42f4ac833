/* Host names to addresses, by libevent's asynchronous resolver. */
#include "daemon/resolver.h"

#include <event2/dns.h>
#include <event2/event.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

/* After which names that have no address are first asked for again. */
#define RETRY_MS 1000

/* What look-ups go by. libevent reads both once, at its start. */
#define CONF_PATH  "/etc/resolv.conf"
#define HOSTS_PATH "/etc/hosts"

/* Enough of a file to see that it is another; all 0 if there is none. */
struct look {
	dev_t		dev;
	ino_t		ino;
	off_t		size;
	struct timespec	changed;
};

struct lookup {
	struct resolver			*resolver;
	struct server			*server;	/* one reference */
	struct evdns_getaddrinfo_request *request;
};

struct resolver {
	struct event_base	*base;
	struct evdns_base	*dns;		/* NULL: no look-ups at all */
	struct look		 conf, hosts;	/* as it has read them */
	struct event		*refresh;
	struct event		*retry;
	uint64_t		 retry_ms;	/* until the next one */
	struct table		*table;		/* one reference */
	struct server		*named[SERVER_IDS_MAX];	/* of the table */
	size_t			 nnamed;
	struct lookup		*lookups[SERVER_IDS_MAX];	/* under way */
};

static void
lookup_free(struct lookup *lookup)
{
	lookup->resolver->lookups[lookup->server->id] = NULL;
	server_unref(&lookup->server);
	mem_free(lookup);
}

static struct server_address
address_of(const struct evutil_addrinfo *ai)
{
	struct server_address address = {.len = ai->ai_addrlen};

	memcpy(&address.ss, ai->ai_addr, ai->ai_addrlen);
	return address;
}

/*
 * The answer to use: the present one if it is among them, for a name with
 * several addresses says them in any order. If that one does not answer, the
 * next in line; after the last and with a new set, the first.
 */
static const struct evutil_addrinfo *
choose(struct server *server, const struct evutil_addrinfo *answers)
{
	struct server_address now;

	if (!server_address(server, &now))
		return answers;
	for (const struct evutil_addrinfo *ai = answers; ai != NULL;
	    ai = ai->ai_next) {
		struct server_address answer = address_of(ai);

		if (!server_has_host(&now, &answer))
			continue;
		if (health_state(&server->health) != HEALTH_DOWN)
			return ai;
		return ai->ai_next != NULL ? ai->ai_next : answers;
	}
	return answers;
}

static void
take_address(struct server *server, const struct evutil_addrinfo *answers)
{
	const struct evutil_addrinfo *chosen = choose(server, answers);
	char host[NI_MAXHOST] = "unknown";
	struct server_address address;

	if (chosen == NULL)
		return;
	address = address_of(chosen);
	if (!server_set_address(server, &address))
		return;
	getnameinfo(chosen->ai_addr, chosen->ai_addrlen, host, sizeof(host),
	    NULL, 0, NI_NUMERICHOST);
	log_info("server %s resolved address=%s pool=%s", server->name, host,
	    server->pool);
}

static void
log_failure(struct server *server, const char *why)
{
	struct server_address now;

	log_warn("server %s host name not resolved: %s host=%s pool=%s %s",
	    server->name, why, server->endpoint.host, server->pool,
	    server_address(server, &now) ? "kept=last_address" :
	    "kept=none");
}

static void
on_answer(int error, struct evutil_addrinfo *answers, void *arg)
{
	struct lookup *lookup = arg;
	struct server *server = lookup->server;

	if (error == EVUTIL_EAI_CANCEL) {
		lookup_free(lookup);
		return;
	}
	if (error == 0)
		take_address(server, answers);
	else
		log_failure(server, evutil_gai_strerror(error));
	if (answers != NULL)
		evutil_freeaddrinfo(answers);
	lookup_free(lookup);
}

/*
 * Without a name server only the hosts file answers, and that at once: what
 * is asked besides would wait for one, and stand in the way of the next
 * look-up. Its end is told later, as that of any other.
 */
static void
give_up(struct resolver *resolver, struct lookup *lookup)
{
	if (evdns_base_count_nameservers(resolver->dns) > 0)
		return;
	log_failure(lookup->server, "it is not in the hosts file, and no "
	    "name server is configured");
	evdns_getaddrinfo_cancel(lookup->request);
}

static void
give_up_all(struct resolver *resolver)
{
	for (uint32_t id = 0; id < SERVER_IDS_MAX; id++) {
		if (resolver->lookups[id] != NULL)
			give_up(resolver, resolver->lookups[id]);
	}
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
	if (request == NULL)
		return;
	lookup->request = request;
	give_up(resolver, lookup);
}

static bool
is_any(struct server *server)
{
	(void)server;
	return true;
}

static bool
is_down(struct server *server)
{
	return health_state(&server->health) == HEALTH_DOWN;
}

static bool
has_no_address(struct server *server)
{
	struct server_address address;

	return !server_address(server, &address);
}

/* Looks up the names of servers that are so; how many there are. */
static size_t
look_up_names(struct resolver *resolver, bool (*is_so)(struct server *))
{
	size_t n = 0;

	for (size_t i = 0; i < resolver->nnamed; i++) {
		struct server *server = resolver->named[i];

		if (!is_so(server))
			continue;
		n++;
		if (resolver->lookups[server->id] == NULL)
			look_up(resolver, server);
	}
	return n;
}

static void
arm(struct event *event, uint64_t ms)
{
	struct timeval tv = {.tv_sec = (time_t)(ms / 1000),
	    .tv_usec = (suseconds_t)(ms % 1000 * 1000)};

	if (event_add(event, &tv) != 0)
		log_error("a timer could not be set: out of memory");
}

static struct look
look_at(const char *path)
{
	struct stat st;

	if (stat(path, &st) == -1)
		return (struct look){.size = 0};
	return (struct look){.dev = st.st_dev, .ino = st.st_ino,
	    .size = st.st_size, .changed = st.st_mtim};
}

static bool
is_same(const struct look *a, const struct look *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	    a->changed.tv_sec == b->changed.tv_sec &&
	    a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Whether the files are others than when they were noted. */
static bool
have_changed(const struct resolver *resolver)
{
	struct look conf = look_at(CONF_PATH), hosts = look_at(HOSTS_PATH);

	return !is_same(&conf, &resolver->conf) ||
	    !is_same(&hosts, &resolver->hosts);
}

static void
note_files(struct resolver *resolver)
{
	resolver->conf = look_at(CONF_PATH);
	resolver->hosts = look_at(HOSTS_PATH);
}

/* Whether there are some for a file and for as many name servers as usual. */
static bool
has_descriptors(void)
{
	int fds[4], n = 0;
	bool is_enough;

	while (n < 4 && (fds[n] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC,
	    0)) != -1)
		n++;
	is_enough = n == 4;
	while (n > 0)
		close(fds[--n]);
	return is_enough;
}

static void
warn_of_no_name_server(void)
{
	log_warn("no name server is configured: host names are looked up in "
	    "the hosts file only");
}

/* Questions that are under way go to the new name servers, if there are. */
static void
read_again(struct resolver *resolver)
{
	struct evdns_base *dns = resolver->dns;

	if (!has_descriptors()) {
		/* Better what it has than nothing: it is tried again. */
		log_warn("host names are not looked up anew, though " CONF_PATH
		    " or " HOSTS_PATH " has changed: no file descriptor is "
		    "left");
		return;
	}
	note_files(resolver);
	log_info("host names are looked up anew: " CONF_PATH " or " HOSTS_PATH
	    " has changed");
	evdns_base_clear_nameservers_and_suspend(dns);
	evdns_base_search_clear(dns);
	evdns_base_clear_host_addresses(dns);
	if (evdns_base_resolv_conf_parse(dns, DNS_OPTIONS_ALL &
	    ~DNS_OPTION_HOSTSFILE, CONF_PATH) != 0) {
		/* It took the local host for one. */
		evdns_base_clear_nameservers_and_suspend(dns);
		warn_of_no_name_server();
	}
	evdns_base_load_hosts(dns, HOSTS_PATH);
	evdns_base_resume(dns);
	give_up_all(resolver);
}

/* Made when the first name needs it: most fleets are listed by address. */
static void
open_dns(struct resolver *resolver)
{
	if (resolver->dns != NULL) {
		if (have_changed(resolver))
			read_again(resolver);
		return;
	}
	note_files(resolver);
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
	evdns_base_load_hosts(resolver->dns, HOSTS_PATH);
	warn_of_no_name_server();
}

static bool
is_usable(struct resolver *resolver)
{
	if (resolver->nnamed == 0)
		return false;
	open_dns(resolver);
	if (resolver->dns == NULL)
		log_error("host names cannot be looked up: out of memory");
	return resolver->dns != NULL;
}

void
resolver_wake(struct resolver *resolver)
{
	if (is_usable(resolver))
		look_up_names(resolver, is_down);
}

/* Asks soon again for names that never had an address, and then later. */
static void
retry(struct resolver *resolver)
{
	uint64_t refresh_ms = resolver->table->conf->dns_refresh_ms;

	if (!is_usable(resolver) ||
	    look_up_names(resolver, has_no_address) == 0)
		return;
	arm(resolver->retry, resolver->retry_ms);
	resolver->retry_ms *= 2;
	if (resolver->retry_ms > refresh_ms)
		resolver->retry_ms = refresh_ms;
}

static void
on_retry(evutil_socket_t fd, short events, void *arg)
{
	(void)fd;
	(void)events;
	retry(arg);
}

static void
refresh(struct resolver *resolver)
{
	if (!is_usable(resolver))
		return;
	look_up_names(resolver, is_any);
	arm(resolver->refresh, resolver->table->conf->dns_refresh_ms);
}

static void
on_refresh(evutil_socket_t fd, short events, void *arg)
{
	(void)fd;
	(void)events;
	refresh(arg);
}

static void
free_events(struct resolver *resolver)
{
	if (resolver->refresh != NULL)
		event_free(resolver->refresh);
	if (resolver->retry != NULL)
		event_free(resolver->retry);
}

struct resolver *
resolver_new(struct event_base *base)
{
	struct resolver *resolver = mem_zalloc(1, sizeof(*resolver));

	if (resolver == NULL)
		return NULL;
	resolver->base = base;
	resolver->refresh = event_new(base, -1, 0, on_refresh, resolver);
	resolver->retry = event_new(base, -1, 0, on_retry, resolver);
	if (resolver->refresh == NULL || resolver->retry == NULL) {
		free_events(resolver);
		mem_free(resolver);
		return NULL;
	}
	return resolver;
}

/* Which of the table's servers are known by a name. */
static void
list_named(struct resolver *resolver)
{
	const struct table *table = resolver->table;

	resolver->nnamed = 0;
	for (size_t i = 0; i < table->npools; i++) {
		const struct pool *pool = &table->pools[i];

		for (size_t j = 0; j < pool->nservers; j++) {
			struct server *server = pool->servers[j];

			if (server->endpoint.kind == ENDPOINT_NAME)
				resolver->named[resolver->nnamed++] = server;
		}
	}
}

void
resolver_set_table(struct resolver *resolver, struct table *table)
{
	table_unref(&resolver->table);
	resolver->table = table_ref(table);
	list_named(resolver);
	refresh(resolver);
	resolver->retry_ms = RETRY_MS;
	retry(resolver);
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
	free_events(resolver);
	table_unref(&resolver->table);
	mem_free(resolver);
}
