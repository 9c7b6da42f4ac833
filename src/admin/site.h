/* The pages of the admin listener, each a file. */
#ifndef ADMIN_SITE_H
#define ADMIN_SITE_H

#include "admin/admin.h"
#include "admin/http.h"

#define SITE_TEXT "text/plain; charset=utf-8"

/* `arg` is the hooks. */
void site_healthy(void *arg, struct http_call *call);
void site_ready(void *arg, struct http_call *call);
void site_metrics(void *arg, struct http_call *call);
void site_reload(void *arg, struct http_call *call);

/* What the hooks show now. */
struct admin_view site_look(const struct admin_hooks *hooks);

#endif
