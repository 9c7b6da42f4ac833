/* GET /metrics */
#include <event2/buffer.h>
#include <string.h>

#include "admin/metrics.h"
#include "admin/site.h"

/* Parts of the metrics that may be asked for, as bits. */
enum scope {
	SCOPE_PROCESS = 1,
	SCOPE_CLIENTS = 2,
	SCOPE_POOLS = 4,
	SCOPE_SERVERS = 8,
	SCOPE_SERVER_TIMES = 16,
};

#define SCOPE_INITIAL (SCOPE_PROCESS | SCOPE_CLIENTS | SCOPE_POOLS |           \
	SCOPE_SERVERS)

static const struct {
	const char	*name;
	enum scope	 scope;
} scopes[] = {
	{"process", SCOPE_PROCESS},
	{"clients", SCOPE_CLIENTS},
	{"pools", SCOPE_POOLS},
	{"servers", SCOPE_SERVERS},
	{"server_times", SCOPE_SERVER_TIMES},
};

/* The bit of one name; 0: there is none. */
static unsigned
scope_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++) {
		if (strlen(scopes[i].name) == len &&
		    memcmp(scopes[i].name, name, len) == 0)
			return scopes[i].scope;
	}
	return 0;
}

/* The bits of names with commas between; 0 if one is unknown. */
static unsigned
parse_scopes(const char *names)
{
	unsigned bits = 0, bit;
	size_t len;

	for (;; names += len + 1) {
		len = strcspn(names, ",");
		bit = scope_of(names, len);
		if (bit == 0)
			return 0;
		bits |= bit;
		if (names[len] == '\0')
			return bits;
	}
}

static bool
write_metrics(struct prom *prom, const struct admin_view *view, unsigned bits)
{
	bool is_good = true;

	if (bits & SCOPE_PROCESS) {
		metrics_process(prom, view);
		metrics_reloads(prom, view);
	}
	if (bits & SCOPE_CLIENTS)
		metrics_clients(prom, view);
	if (bits & SCOPE_POOLS) {
		metrics_pools(prom, view);
		metrics_all_servers(prom, view);
	}
	if (bits & SCOPE_SERVERS)
		is_good = metrics_servers(prom, view);
	if (bits & SCOPE_SERVER_TIMES)
		metrics_server_times(prom, view);
	return prom_end(prom) && is_good;
}

void
site_metrics(void *arg, struct http_call *call)
{
	struct admin_view view = site_look(arg);
	char *names = http_value(call, "scope", NULL);
	unsigned bits = names == NULL ? SCOPE_INITIAL : parse_scopes(names);
	struct prom prom = {
		.out = http_body(call),
		.is_openmetrics = prom_wants_openmetrics(
		    http_header(call, "Accept")),
	};

	http_free_value(&names);
	if (bits == 0) {
		http_say(call, 400, "scope is a list of process, clients, "
		    "pools, servers, server_times, with commas between");
	} else if (!write_metrics(&prom, &view, bits)) {
		evbuffer_drain(prom.out, evbuffer_get_length(prom.out));
		http_say(call, 503, "out of memory");
	} else {
		http_answer(call, 200, prom_media_type(prom.is_openmetrics));
	}
}
