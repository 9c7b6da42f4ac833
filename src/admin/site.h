/* The pages of the admin listener, each a file. */
#ifndef ADMIN_SITE_H
#define ADMIN_SITE_H

#include "admin/admin.h"
#include "admin/http.h"
#include "admin/shares.h"
#include "cli/json.h"

#define SITE_TEXT "text/plain; charset=utf-8"

/* What pages work with; each gets it as `arg`. */
struct site {
	struct admin_hooks	hooks;
	struct shares		shares;		/* of the last table shown */
};

void site_healthy(void *arg, struct http_call *call);
void site_ready(void *arg, struct http_call *call);
void site_config(void *arg, struct http_call *call);
void site_locate(void *arg, struct http_call *call);
void site_log(void *arg, struct http_call *call);
void site_metrics(void *arg, struct http_call *call);
void site_page(void *arg, struct http_call *call);
void site_reload(void *arg, struct http_call *call);
void site_ring(void *arg, struct http_call *call);
void site_status(void *arg, struct http_call *call);

/* What there is to see now. */
struct admin_view site_look(const struct site *site);

/* Whether a POST may do what it is for; if not, it has been answered. */
bool site_may_act(const struct site *site, struct http_call *call)
    MUST_CHECK;

/* Answers with the document, which it frees. */
void site_answer_json(struct http_call *call, struct json_doc *doc);

#endif
