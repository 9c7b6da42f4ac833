/* The admin listener's pages, in one table. */
#include "admin/admin.h"

#include <event2/buffer.h>
#include <string.h>

#include "admin/http.h"
#include "admin/site.h"
#include "base/mem.h"

struct admin {
	struct site	 site;
	struct http	*http;
};

static const struct http_page pages[] = {
	{"/", HTTP_GET, site_page},
	{"/-/config", HTTP_GET, site_config},
	{"/-/healthy", HTTP_GET, site_healthy},
	{"/-/log", HTTP_POST, site_log},
	{"/-/ready", HTTP_GET, site_ready},
	{"/locate", HTTP_GET, site_locate},
	{"/metrics", HTTP_GET, site_metrics},
	{"/-/reload", HTTP_POST, site_reload},
	{"/ring.json", HTTP_GET, site_ring},
	{"/status.json", HTTP_GET, site_status},
};

struct admin_view
site_look(const struct site *site)
{
	struct admin_view view = {.table = NULL};

	site->hooks.look(site->hooks.arg, &view);
	return view;
}

void
site_answer_json(struct http_call *call, struct json_doc *doc)
{
	char *text = json_doc_take(doc);

	if (text == NULL || evbuffer_add(http_body(call), text,
	    strlen(text)) != 0)
		http_say(call, 503, "out of memory");
	else
		http_answer(call, 200, "application/json");
	mem_free(text);
}

struct admin *
admin_new(struct event_base *base, const struct admin_hooks *hooks)
{
	struct admin *admin = mem_zalloc(1, sizeof(*admin));

	if (admin == NULL)
		return NULL;
	admin->site.hooks = *hooks;
	admin->http = http_new(base, &(struct http_site){
	    .pages = pages,
	    .npages = sizeof(pages) / sizeof(*pages),
	    .arg = &admin->site,
	});
	if (admin->http == NULL)
		admin_free(&admin);
	return admin;
}

bool
admin_open(struct admin *admin, int fd, bool is_local)
{
	return http_open(admin->http, fd, is_local);
}

void
admin_shut(struct admin *admin)
{
	http_shut(admin->http);
}

void
admin_free(struct admin **adminp)
{
	struct admin *admin = *adminp;

	*adminp = NULL;
	if (admin == NULL)
		return;
	http_free(&admin->http);
	shares_fini(&admin->site.shares);
	mem_free(admin);
}
