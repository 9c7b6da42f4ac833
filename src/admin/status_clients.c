/* Clients, listeners and the tables of stats/ in /status.json. */
#include <string.h>

#include "admin/status.h"
#include "proxy/doorway.h"

/* Bounds of times: 32 µs, then each twice the last but one, up to 11 s. */
#define BOUND_FIRST 32
#define NBOUNDS	    38

static uint64_t
bound_at(size_t i)
{
	uint64_t bound = (uint64_t)BOUND_FIRST << i / 2;

	/* 181/128 is the root of 2, near enough. */
	return i % 2 == 0 ? bound : bound * 181 / 128;
}

void
status_put_bounds(struct json_doc *doc)
{
	json_t *bounds = json_doc_array(doc, doc->root, "bounds_us");

	for (size_t i = 0; i < NBOUNDS; i++)
		json_doc_append_count(doc, bounds, bound_at(i));
}

void
status_put_buckets(struct json_doc *doc, json_t *object,
    const struct histogram_sum *sum)
{
	json_t *buckets = json_doc_array(doc, object, "buckets");
	uint64_t n = 0;
	size_t at = 0;

	for (size_t i = 0; sum->n > 0 && i < NBOUNDS; i++) {
		size_t last = histogram_bucket(bound_at(i));

		for (; at <= last; at++)
			n += sum->counts[at];
		json_doc_append_count(doc, buckets, n);
	}
}

void
status_put_times(struct json_doc *doc, json_t *object,
    const struct histogram_sum *sum)
{
	json_doc_count(doc, object, "count", sum->n);
	json_doc_count(doc, object, "p50_us", histogram_quantile(sum, 0.5));
	json_doc_count(doc, object, "p90_us", histogram_quantile(sum, 0.9));
	json_doc_count(doc, object, "p99_us", histogram_quantile(sum, 0.99));
	json_doc_count(doc, object, "p999_us",
	    histogram_quantile(sum, 0.999));
}

/* What several kinds of requests make together. */
static void
add_sum(struct histogram_sum *all, const struct histogram_sum *one)
{
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		all->counts[i] += one->counts[i];
	all->n += one->n;
}

static void
put_requests(struct json_doc *doc, const struct admin_view *view)
{
	json_t *requests = json_doc_object(doc, doc->root, "requests");
	struct histogram_sum sum, all = {.n = 0};

	for (int i = STATS_REQUEST_GET; i <= STATS_REQUEST_OTHER; i++) {
		stats_read_total(view->proxy->stats, (enum stats_histogram)i,
		    &sum);
		add_sum(&all, &sum);
	}
	status_put_times(doc, requests, &all);
	status_put_buckets(doc, requests, &all);
}

static void
put_counters(struct json_doc *doc, const struct admin_view *view)
{
	json_t *counters = json_doc_object(doc, doc->root, "counters");

	for (int i = 0; i < STATS_NCOUNTERS; i++)
		json_doc_count(doc, counters,
		    stats_name((enum stats_counter)i), stats_total(
		    view->proxy->stats, (enum stats_counter)i));
}

/* Who came by the listener; both 0 if it was never open. */
static void
put_visitors(struct json_doc *doc, json_t *listener,
    const struct doorway_list *doorways, const char *listen)
{
	const struct doorway *doorway;
	uint64_t nclients = 0, naccepted = 0;

	TAILQ_FOREACH(doorway, doorways, next) {
		if (strcmp(doorway->listen, listen) != 0)
			continue;
		nclients = atomic_load_explicit(&doorway->nclients,
		    memory_order_relaxed);
		naccepted = doorway->naccepted;
	}
	json_doc_count(doc, listener, "clients", nclients);
	json_doc_count(doc, listener, "accepted", naccepted);
}

static void
put_listeners(struct json_doc *doc, const struct admin_view *view)
{
	const struct table *table = view->table;
	json_t *listeners = json_doc_array(doc, doc->root, "listeners");

	for (size_t i = 0; i < table->nentrances; i++) {
		const struct entrance *entrance = &table->entrances[i];
		json_t *listener = json_doc_append(doc, listeners);

		json_doc_text(doc, listener, "listen", entrance->listen);
		json_doc_text(doc, listener, "pool",
		    table->pools[entrance->pool].name);
		json_doc_count(doc, listener, "routes", entrance->nroutes);
		put_visitors(doc, listener, view->doorways, entrance->listen);
		json_doc_bool(doc, listener, "is_removed",
		    entrance->conf == NULL);
	}
}

void
status_put_clients(struct json_doc *doc, const struct admin_view *view)
{
	const struct proxy *proxy = view->proxy;
	json_t *clients = json_doc_object(doc, doc->root, "clients");

	json_doc_count(doc, clients, "connected", atomic_load_explicit(
	    &proxy->nclients, memory_order_relaxed));
	json_doc_count(doc, clients, "limit", view->table->limits.clients);
	put_listeners(doc, view);
	put_requests(doc, view);
	put_counters(doc, view);
}
