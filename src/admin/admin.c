/* The admin listener's pages, in one table. */
#include "admin/admin.h"

#include "admin/http.h"
#include "admin/site.h"
#include "base/mem.h"

struct admin {
	struct admin_hooks	 hooks;
	struct http		*http;
};

static const struct http_page pages[] = {
	{"/-/healthy", HTTP_GET, site_healthy},
	{"/-/ready", HTTP_GET, site_ready},
	{"/metrics", HTTP_GET, site_metrics},
	{"/-/reload", HTTP_POST, site_reload},
};

struct admin_view
site_look(const struct admin_hooks *hooks)
{
	struct admin_view view = {.table = NULL};

	hooks->look(hooks->arg, &view);
	return view;
}

struct admin *
admin_new(struct event_base *base, const struct admin_hooks *hooks)
{
	struct admin *admin = mem_zalloc(1, sizeof(*admin));

	if (admin == NULL)
		return NULL;
	admin->hooks = *hooks;
	admin->http = http_new(base, &(struct http_site){
	    .pages = pages,
	    .npages = sizeof(pages) / sizeof(*pages),
	    .arg = &admin->hooks,
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
	mem_free(admin);
}
