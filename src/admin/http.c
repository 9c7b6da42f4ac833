/* HTTP for the admin listener. */
#include "admin/http.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "admin/guard.h"
#include "admin/visits.h"
#include "base/log.h"
#include "base/mem.h"

#define HEADERS_MAX (16 << 10)
#define BODY_MAX    (16 << 10)

/* On a connection with nothing to read, or nobody who reads. */
#define IDLE_S 20

/* How often accepting begins again, if it had to rest. */
#define RESUME_S 1

#define TEXT "text/plain; charset=utf-8"

struct http {
	struct evhttp			*evhttp;
	struct evhttp_bound_socket	*bound;		/* NULL: listens not */
	struct event			*resume;	/* while it listens */
	bool				 is_local;
	struct visits			*visits;
	struct http_site		 site;
};

struct http_call {
	struct evhttp_request	*req;
	struct evbuffer		*body;		/* owned */
};

static struct bufferevent *
begin_visit(struct event_base *base, void *arg)
{
	(void)base;
	return visits_begin(arg);
}

static const struct {
	const char	*name;
	const char	*value;
} safe_headers[] = {
	{"Cache-Control", "no-store"},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"X-Frame-Options", "DENY"},
};

void
http_add_header(struct http_call *call, const char *name, const char *value)
{
	/* Without memory the answer says less, and that is all. */
	(void)evhttp_add_header(
	    evhttp_request_get_output_headers(call->req), name, value);
}

void
http_answer(struct http_call *call, int status, const char *type)
{
	size_t n = sizeof(safe_headers) / sizeof(*safe_headers);

	http_add_header(call, "Content-Type", type);
	for (size_t i = 0; i < n; i++)
		http_add_header(call, safe_headers[i].name,
		    safe_headers[i].value);
	/* A word that libevent does not know. */
	evhttp_send_reply(call->req, status,
	    status == 422 ? "Unprocessable Content" : NULL, call->body);
}

void
http_say(struct http_call *call, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	evbuffer_add_vprintf(call->body, fmt, ap);
	va_end(ap);
	evbuffer_add_printf(call->body, "\n");
	http_answer(call, status, TEXT);
}

struct evbuffer *
http_body(struct http_call *call)
{
	return call->body;
}

const char *
http_header(const struct http_call *call, const char *name)
{
	return evhttp_find_header(evhttp_request_get_input_headers(call->req),
	    name);
}

bool
http_is_same_origin(const struct http_call *call)
{
	return guard_is_same_origin(&(struct guard_origin){
	    .host = http_header(call, "Host"),
	    .origin = http_header(call, "Origin"),
	    .site = http_header(call, "Sec-Fetch-Site"),
	});
}

/* The raw value in "name=value&..." whose name is `name`, or NULL. */
static const char *
find_value(const char *query, const char *name, size_t *len_r)
{
	size_t name_len = strlen(name), len;

	for (const char *p = query; p != NULL && *p != '\0'; p += len) {
		p += *p == '&';
		len = strcspn(p, "&");
		if (len < name_len || memcmp(p, name, name_len) != 0)
			continue;
		if (len > name_len && p[name_len] != '=')
			continue;
		*len_r = len == name_len ? 0 : len - name_len - 1;
		return len == name_len ? p + len : p + name_len + 1;
	}
	return NULL;
}

static const char *
query_of(const struct http_call *call)
{
	return evhttp_uri_get_query(evhttp_request_get_evhttp_uri(call->req));
}

char *
http_value(const struct http_call *call, const char *name, size_t *len_r)
{
	const char *raw;
	char *copy, *value;
	size_t len;

	raw = find_value(query_of(call), name, &len);
	copy = raw == NULL ? NULL : mem_strndup(raw, len);
	if (copy == NULL)
		return NULL;
	value = evhttp_uridecode(copy, 1, len_r);
	mem_free(copy);
	return value;
}

void
http_free_value(char **value)
{
	/* libevent's own memory. */
	free(*value);
	*value = NULL;
}

bool
http_flag(const struct http_call *call, const char *name)
{
	size_t len;
	const char *raw = find_value(query_of(call), name, &len);

	return raw != NULL && len > 0 && !(len == 1 && *raw == '0');
}

static bool
is_method_of(const struct http_page *page, enum evhttp_cmd_type type)
{
	switch (page->method) {
	case HTTP_GET:
		return type == EVHTTP_REQ_GET || type == EVHTTP_REQ_HEAD;
	case HTTP_POST:
		return type == EVHTTP_REQ_POST;
	}
	NEVER();
}

static void
serve(const struct http *http, struct http_call *call)
{
	const char *path = evhttp_uri_get_path(
	    evhttp_request_get_evhttp_uri(call->req));
	const struct http_page *found = NULL;

	if (http->is_local && !guard_is_host_plain(http_header(call,
	    "Host"))) {
		http_say(call, 403, "this is served to localhost and to IP "
		    "addresses, not to other names");
		return;
	}
	for (size_t i = 0; i < http->site.npages; i++) {
		const struct http_page *page = &http->site.pages[i];

		/* CONNECT has none. */
		if (path == NULL || strcmp(page->path, path) != 0)
			continue;
		found = page;
		if (is_method_of(page, evhttp_request_get_command(call->req))) {
			page->serve(http->site.arg, call);
			return;
		}
	}
	if (found == NULL) {
		http_say(call, 404, "there is no such page");
		return;
	}
	http_add_header(call, "Allow",
	    found->method == HTTP_GET ? "GET, HEAD" : "POST");
	http_say(call, 405, "this page is for %s only",
	    found->method == HTTP_GET ? "GET" : "POST");
}

static void
on_request(struct evhttp_request *req, void *arg)
{
	const struct http *http = arg;
	struct http_call call = {.req = req};

	visits_note_request(http->visits, evhttp_connection_get_bufferevent(
	    evhttp_request_get_connection(req)));
	call.body = evbuffer_new();
	if (call.body == NULL) {
		evhttp_send_error(req, 503, NULL);
		return;
	}
	serve(http, &call);
	evbuffer_free(call.body);
}

/*
 * Without descriptors the connection stays where it is, and libevent would
 * try again at once, and for ever. It lends us nothing of ours here, so it is
 * the next tick that ends the rest.
 */
static void
on_accept_error(struct evconnlistener *listener, void *arg)
{
	int error = errno;

	(void)arg;
	(void)evconnlistener_disable(listener);
	log_error("admin accepts nobody for up to %d s: %s", RESUME_S,
	    strerror(error));
}

static void
on_resume(evutil_socket_t fd, short events, void *arg)
{
	const struct http *http = arg;

	(void)fd;
	(void)events;
	/* If it fails, the next tick tries again. */
	(void)evconnlistener_enable(
	    evhttp_bound_socket_get_listener(http->bound));
}

struct http *
http_new(struct event_base *base, const struct http_site *site)
{
	struct http *http = mem_zalloc(1, sizeof(*http));

	if (http == NULL)
		return NULL;
	http->site = *site;
	http->visits = visits_new(base);
	http->evhttp = evhttp_new(base);
	http->resume = event_new(base, -1, EV_PERSIST, on_resume, http);
	if (http->visits == NULL || http->evhttp == NULL ||
	    http->resume == NULL) {
		http_free(&http);
		return NULL;
	}
	evhttp_set_max_headers_size(http->evhttp, HEADERS_MAX);
	evhttp_set_max_body_size(http->evhttp, BODY_MAX);
	evhttp_set_timeout(http->evhttp, IDLE_S);
	/* All of them, so that the answer is ours. */
	evhttp_set_allowed_methods(http->evhttp, EVHTTP_REQ_GET |
	    EVHTTP_REQ_POST | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT |
	    EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE |
	    EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH);
	evhttp_set_bevcb(http->evhttp, begin_visit, http->visits);
	evhttp_set_gencb(http->evhttp, on_request, http);
	return http;
}

bool
http_open(struct http *http, int fd, bool is_local)
{
	struct timeval tv = {.tv_sec = RESUME_S};
	struct evhttp_bound_socket *bound;

	if (event_add(http->resume, &tv) != 0)
		return false;
	bound = evhttp_accept_socket_with_handle(http->evhttp, fd);
	if (bound == NULL) {
		if (http->bound == NULL)
			event_del(http->resume);
		return false;
	}
	if (http->bound != NULL)
		evhttp_del_accept_socket(http->evhttp, http->bound);
	evconnlistener_set_error_cb(evhttp_bound_socket_get_listener(bound),
	    on_accept_error);
	http->bound = bound;
	http->is_local = is_local;
	return true;
}

void
http_shut(struct http *http)
{
	if (http->bound == NULL)
		return;
	event_del(http->resume);
	evhttp_del_accept_socket(http->evhttp, http->bound);
	http->bound = NULL;
}

void
http_free(struct http **httpp)
{
	struct http *http = *httpp;

	*httpp = NULL;
	if (http == NULL)
		return;
	if (http->evhttp != NULL)
		evhttp_free(http->evhttp);
	if (http->resume != NULL)
		event_free(http->resume);
	visits_free(&http->visits);
	mem_free(http);
}
