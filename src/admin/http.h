/*
 * HTTP for the admin listener: evhttp, with a table of pages before it and
 * bounds around it. What it is asked and what it answers is small; a request
 * that is more than that is refused. Main thread.
 */
#ifndef ADMIN_HTTP_H
#define ADMIN_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/must.h"

struct evbuffer;
struct event_base;
struct http;

/* One request, and the answer to it. Lent to a page while it serves. */
struct http_call;

enum http_method {
	HTTP_GET,	/* and HEAD */
	HTTP_POST,
};

struct http_page {
	const char		*path;
	enum http_method	 method;
	/* Ends with one of the answers below. */
	void			(*serve)(void *arg, struct http_call *call);
};

/* Pages, and the argument of each. Lent, for as long as the server lives. */
struct http_site {
	const struct http_page	*pages;
	size_t			 npages;
	void			*arg;
};

/* A server that listens nowhere yet; NULL without memory. */
struct http *http_new(struct event_base *base, const struct http_site *site)
    MUST_CHECK;

/*
 * Accepts on the listening socket `fd`, and no longer on another. It takes
 * the socket, if it does not fail for want of memory. `is_local`: only this
 * host can reach it.
 */
bool http_open(struct http *http, int fd, bool is_local) MUST_CHECK;

/* Closes the listening socket, if there is one; connections go on. */
void http_shut(struct http *http);

void http_free(struct http **http);

/*
 * The value of the parameter `name` of the query, decoded and ended by a NUL
 * that `len_r` (may be NULL) does not count; NULL if it is not there, or
 * without memory. Free it with http_free_value().
 */
char *http_value(const struct http_call *call, const char *name,
    size_t *len_r) MUST_CHECK;

void http_free_value(char **value);

/*
 * Whether the parameter `name` is there and neither empty nor "0". Needs no
 * memory: for want of it a dry run must not become a reload.
 */
bool http_flag(const struct http_call *call, const char *name);

/* The header `name` of the request, or NULL. Lent by the call. */
const char *http_header(const struct http_call *call, const char *name);

/* Whether a POST comes from a page of ours, or from no page at all. */
bool http_is_same_origin(const struct http_call *call);

/* Where the body of the answer goes. Lent by the call. */
struct evbuffer *http_body(struct http_call *call);

/* Adds a header to the answer. */
void http_add_header(struct http_call *call, const char *name,
    const char *value);

/* Answers with what http_body() holds. */
void http_answer(struct http_call *call, int status, const char *type);

/* Answers with a line of text. */
void http_say(struct http_call *call, int status, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

#endif
