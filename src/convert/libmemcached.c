/*
 * libmemcached's configuration string, and its older list of servers.
 *
 * The order of the options counts, as it does there:
 *
 * - The ring is weighted if a server of weight 2 or more comes after
 *   --DISTRIBUTION=consistent. Before it, and with modula, weights are
 *   forgotten.
 * - --HASH after the servers and the distribution is for keys alone: the
 *   points of an unweighted ring keep the hash they were made with. That
 *   mixture has no placement of ours.
 * - --SORT-HOSTS sorts all servers, by host and then by port.
 *
 * Proven against libmemcached 1.1.4: tests/system/test_convert.py.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/endpoint.h"
#include "base/num.h"
#include "convert/convert.h"
#include "convert/source.h"

#define PORT "11211"

struct reading {
	struct draft		*draft;
	struct draft_pool	*pool;
	struct node		 at;		/* place of the option */
	bool			 is_consistent;
	bool			 is_weighted;
	bool			 is_hash_late;	/* after the last rebuild */
	bool			 has_weights;
	bool			 sorts;
	bool			 has_namespace;
	bool			 hashes_namespace;
};

#define NOTE(r, ...) draft_note((r)->draft, &(r)->pool->notes, __VA_ARGS__)

/* --- servers ------------------------------------------------------------ */

/* Cuts what follows `mark` off `rest`; false if it is not there. */
static bool
cut(struct span *rest, const char *mark, struct span *part_r)
{
	const char *at = rest->len == 0 ? NULL : memmem(rest->p, rest->len,
	    mark, strlen(mark));

	if (at == NULL)
		return false;
	*part_r = span_of(at + strlen(mark), rest->len -
	    (size_t)(at - rest->p) - strlen(mark));
	rest->len = (size_t)(at - rest->p);
	return true;
}

static void
weigh(struct reading *r, struct draft_server *server, struct span weight)
{
	uint64_t n;

	if (!num_parse_u64_max(weight, 1000000, &n)) {
		source_complain(r->draft, &r->at, "a weight must be a whole "
		    "number of at most 1000000");
		return;
	}
	if (n < 2)
		return;
	server->weight = draft_copy(r->draft, weight);
	r->has_weights = true;
	r->is_weighted |= r->is_consistent;
}

static void
add_server(struct reading *r, struct span host, struct span weight)
{
	struct draft_server *server = draft_add_server(r->draft, r->pool);
	struct span port = span_str(PORT);

	if (server == NULL)
		return;
	if (host.len > 0 && host.p[0] == '/') {
		server->address = source_unix_address(r->draft, &r->at, host);
	} else {
		cut(&host, ":", &port);
		server->address = source_address(r->draft, &r->at, host, port);
	}
	if (weight.len > 0)
		weigh(r, server, weight);
	r->is_hash_late = false;
}

static void
read_server(struct reading *r, struct span value)
{
	struct span weight = span_of(NULL, 0);

	cut(&value, "/?", &weight);
	add_server(r, value, weight);
}

static int
by_host(const void *a, const void *b)
{
	const struct draft_server *const *one = a, *const *other = b;
	struct endpoint x, y;
	struct err err;
	int order;

	MUST(endpoint_parse(span_str((*one)->address), &x, &err));
	MUST(endpoint_parse(span_str((*other)->address), &y, &err));
	order = strcmp(x.host, y.host);
	return order != 0 ? order : (int)x.port - (int)y.port;
}

static void
sort_servers(struct reading *r)
{
	struct draft_pool *pool = r->pool;
	struct draft_server **list, *server;
	size_t n = 0;

	if (!r->sorts || pool->nservers == 0)
		return;
	list = arena_alloc(r->draft->arena, pool->nservers, sizeof(*list));
	if (list == NULL) {
		errors_out_of_memory(r->draft->errors);
		return;
	}
	STAILQ_FOREACH(server, &pool->servers, next) {
		if (server->address == NULL)
			return;
		list[n++] = server;
	}
	qsort(list, n, sizeof(*list), by_host);
	STAILQ_INIT(&pool->servers);
	for (size_t i = 0; i < n; i++)
		STAILQ_INSERT_TAIL(&pool->servers, list[i], next);
}

/* --- options ------------------------------------------------------------ */

static void
read_distribution(struct reading *r, struct span value)
{
	struct span hash;

	/* The hash after the comma is taken, and used nowhere. */
	cut(&value, ",", &hash);
	r->is_consistent = value.len == 10 &&
	    strncasecmp(value.p, "consistent", 10) == 0;
	r->is_weighted = false;
	r->is_hash_late = false;
	if (value.len == 6 && strncasecmp(value.p, "random", 6) == 0)
		NOTE(r, "LOST: the distribution random places no key. Here "
		    "each key has its place, as modula has it.");
	else if (!r->is_consistent && (value.len != 6 ||
	    strncasecmp(value.p, "modula", 6) != 0))
		source_complain(r->draft, &r->at, "--DISTRIBUTION must be "
		    "modula, consistent or random");
}

static void
read_hash(struct reading *r, struct span value)
{
	static const char *const hashes[] = {"md5", "crc", "fnv1_64",
	    "fnv1a_64", "fnv1_32", "fnv1a_32", "murmur", "jenkins"};

	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++) {
		if (strlen(hashes[i]) != value.len ||
		    strncasecmp(hashes[i], value.p, value.len) != 0)
			continue;
		r->pool->hash = hashes[i];
		r->is_hash_late = r->pool->nservers > 0;
		return;
	}
	source_complain(r->draft, &r->at, "--HASH=%.*s is not known",
	    (int)value.len, value.p);
}

static bool
read_number(struct reading *r, struct span value, uint64_t *n_r)
{
	if (num_parse_u64_max(value, INT32_MAX, n_r))
		return true;
	source_complain(r->draft, &r->at, "needs a whole number");
	return false;
}

static void
read_connect_timeout(struct reading *r, struct span value)
{
	uint64_t n;

	if (read_number(r, value, &n))
		r->pool->connect_ms = source_clamp_ms((int64_t)n);
}

static void
read_poll_timeout(struct reading *r, struct span value)
{
	uint64_t n;

	if (read_number(r, value, &n))
		r->pool->request_ms = source_clamp_ms((int64_t)n);
}

static void
read_retry(struct reading *r, struct span value)
{
	uint64_t n;

	if (read_number(r, value, &n))
		r->pool->retry_ms = source_clamp_ms((int64_t)n * 1000);
}

static void
read_failures(struct reading *r, struct span value)
{
	uint64_t n;

	if (read_number(r, value, &n) && n > 0)
		r->pool->failures = n;
}

static void
read_remove(struct reading *r, struct span value)
{
	(void)value;
	r->pool->on_down = "next";
	NOTE(r, "--REMOVE-FAILED-SERVERS: the client takes a server that "
	    "failed out of its list, and other keys move as well. Here the "
	    "server keeps its place, and the next one has its keys meanwhile.");
}

static void
read_sort(struct reading *r, struct span value)
{
	(void)value;
	r->sorts = true;
}

static void
read_namespace(struct reading *r, struct span value)
{
	(void)value;
	r->has_namespace = true;
}

static void
read_hash_namespace(struct reading *r, struct span value)
{
	(void)value;
	r->hashes_namespace = true;
}

static void
read_replicas(struct reading *r, struct span value)
{
	uint64_t n;

	if (read_number(r, value, &n) && n > 0)
		NOTE(r, "LOST: --NUMBER-OF-REPLICAS: each key has one server "
		    "here");
}

static void
read_binary(struct reading *r, struct span value)
{
	(void)value;
	NOTE(r, "LOST: --BINARY-PROTOCOL: clients of Fairlead must speak the "
	    "text protocol: take the option out of theirs");
}

static void
read_udp(struct reading *r, struct span value)
{
	(void)value;
	NOTE(r, "LOST: --USE-UDP: Fairlead speaks TCP: take the option out of "
	    "the clients'");
}

/* The client's own business, whatever is at the other end. */
static void
ignore(struct reading *r, struct span value)
{
	(void)r;
	(void)value;
}

static const struct {
	const char	*name;
	void		(*read)(struct reading *r, struct span value);
} options_known[] = {
	{"SERVER", read_server},
	{"SOCKET", read_server},
	{"DISTRIBUTION", read_distribution},
	{"HASH", read_hash},
	{"HASH-WITH-NAMESPACE", read_hash_namespace},
	{"NAMESPACE", read_namespace},
	{"SORT-HOSTS", read_sort},
	{"CONNECT-TIMEOUT", read_connect_timeout},
	{"POLL-TIMEOUT", read_poll_timeout},
	{"RETRY-TIMEOUT", read_retry},
	{"SERVER-FAILURE-LIMIT", read_failures},
	{"REMOVE-FAILED-SERVERS", read_remove},
	{"NUMBER-OF-REPLICAS", read_replicas},
	{"RANDOMIZE-REPLICA-READ", ignore},
	{"BINARY-PROTOCOL", read_binary},
	{"USE-UDP", read_udp},
	{"BUFFER-REQUESTS", ignore},
	{"FETCH-VERSION", ignore},
	{"IO-BYTES-WATERMARK", ignore},
	{"IO-KEY-PREFETCH", ignore},
	{"IO-MSG-WATERMARK", ignore},
	{"NOREPLY", ignore},
	{"POOL-MIN", ignore},
	{"POOL-MAX", ignore},
	{"RCV-TIMEOUT", ignore},
	{"SND-TIMEOUT", ignore},
	{"SOCKET-RECV-SIZE", ignore},
	{"SOCKET-SEND-SIZE", ignore},
	{"SUPPORT-CAS", ignore},
	{"TCP-KEEPALIVE", ignore},
	{"TCP-KEEPIDLE", ignore},
	{"TCP-NODELAY", ignore},
	{"VERIFY-KEY", ignore},
};

/* Case does not count, nor does '-' against '_'. */
static bool
is_name(struct span text, const char *name)
{
	if (text.len != strlen(name))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i] == '_' ? '-' : text.p[i];

		if (strncasecmp(&c, &name[i], 1) != 0)
			return false;
	}
	return true;
}

static void
read_option(struct reading *r, struct span option)
{
	struct span name = option, value = span_of(NULL, 0);
	char quoted[ERRORS_QUOTED_MAX];

	cut(&name, "=", &value);
	if (value.len > 1 && value.p[0] == '"' &&
	    value.p[value.len - 1] == '"')
		value = span_of(value.p + 1, value.len - 2);
	for (size_t i = 0; span_starts(name, span_str("--")) &&
	    i < sizeof(options_known) / sizeof(options_known[0]); i++) {
		if (is_name(span_of(name.p + 2, name.len - 2),
		    options_known[i].name)) {
			options_known[i].read(r, value);
			return;
		}
	}
	source_complain(r->draft, &r->at, "%s is no option of libmemcached "
	    "that is known here", errors_quote(name, quoted));
}

/* --- the whole ---------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next word, which may have blanks between quotes; empty at the end. */
static struct span
next_word(struct span *rest)
{
	struct span word;
	bool is_quoted = false;
	size_t i = 0;

	while (rest->len > 0 && is_blank(rest->p[0]))
		*rest = span_of(rest->p + 1, rest->len - 1);
	for (; i < rest->len && (is_quoted || !is_blank(rest->p[i])); i++)
		is_quoted ^= rest->p[i] == '"';
	word = span_of(rest->p, i);
	*rest = span_of(rest->p + i, rest->len - i);
	return word;
}

static void
read_options(struct reading *r, struct span text)
{
	struct span rest = text, word;

	while ((word = next_word(&rest)).len > 0) {
		r->at.place = (struct conf_place){1,
		    (uint32_t)(word.p - text.p) + 1};
		read_option(r, word);
	}
}

/* Of "host:port:weight"; with another colon it is an IPv6 address. */
static void
cut_weight(struct span *word, struct span *weight_r)
{
	struct span host = *word, port, weight;

	if (span_starts(host, span_str("/")) || !cut(&host, ":", &port) ||
	    !cut(&port, ":", &weight) || port.len == 0 ||
	    memchr(weight.p, ':', weight.len) != NULL)
		return;
	*weight_r = weight;
	word->len -= weight.len + 1;
}

/* "host:port weight, host" */
static void
read_list(struct reading *r, struct span text)
{
	struct span rest = text, next;
	bool has_more = true;

	while (has_more) {
		struct span word, weight;

		has_more = cut(&rest, ",", &next);
		r->at.place = (struct conf_place){1,
		    (uint32_t)(rest.p - text.p) + 1};
		word = next_word(&rest);
		weight = next_word(&rest);
		if (weight.len == 0)
			cut_weight(&word, &weight);
		add_server(r, word, weight);
		rest = next;
	}
}

/* What the options mean together, as libmemcached would place keys. */
static void
settle(struct reading *r)
{
	struct draft_pool *pool = r->pool;
	struct draft_server *server;

	pool->placement = !r->is_consistent ? "libmemcached-modula" :
	    r->is_weighted ? "libmemcached-ketama-weighted" :
	    "libmemcached-ketama";
	/* The weighted preset would hash keys by MD5. */
	if (pool->hash == NULL)
		pool->hash = "one_at_a_time";
	if (r->is_consistent && !r->is_weighted && r->is_hash_late)
		NOTE(r, "LOST: --HASH comes after the servers, so the clients "
		    "hash keys by it and servers by one_at_a_time. No "
		    "placement does that: nearly all keys move.");
	if (r->has_namespace && !r->hashes_namespace)
		NOTE(r, "LOST: --NAMESPACE: the clients place keys without "
		    "their namespace. Fairlead sees it as a part of the keys, "
		    "and places them with it: nearly all keys move.");
	if (r->has_weights && !r->is_weighted) {
		NOTE(r, "the weights are left out: libmemcached forgets them, "
		    "as they do not come after --DISTRIBUTION=consistent");
		STAILQ_FOREACH(server, &pool->servers, next)
			server->weight = NULL;
	}
	if (pool->on_down == NULL)
		pool->on_down = "error";
	sort_servers(r);
}

void
convert_libmemcached(struct draft *draft, struct span text,
    const struct convert_options *options)
{
	struct draft_listener *listener = draft_add_listener(draft);
	struct reading r = {
		.draft = draft,
		.pool = draft_add_pool(draft),
		.at = {.place = {1, 1}},
	};

	if (listener == NULL || r.pool == NULL)
		return;
	listener->listen = options->listen;
	draft_name_pool(draft, r.pool, span_str("main"));
	listener->pool = r.pool->name;
	while (text.len > 0 && is_blank(text.p[text.len - 1]))
		text.len--;
	if (text.len > 0 && text.p[0] != '-')
		read_list(&r, text);
	else
		read_options(&r, text);
	if (r.pool->nservers == 0)
		source_complain(draft, &r.at, "names no server");
	settle(&r);
}
