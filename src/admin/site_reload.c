/* POST /-/reload */
#include "admin/site.h"

static bool
may_act(const struct admin_hooks *hooks, struct http_call *call)
{
	if (!site_look(hooks).table->conf->admin.actions) {
		http_say(call, 403, "POSTs are off; \"actions: true\" in "
		    "admin allows them");
		return false;
	}
	if (!http_is_same_origin(call)) {
		http_say(call, 403, "refused: it comes from another site's "
		    "page");
		return false;
	}
	return true;
}

void
site_reload(void *arg, struct http_call *call)
{
	const struct admin_hooks *hooks = arg;
	enum admin_reload (*act)(void *, struct evbuffer *) =
	    http_flag(call, "dry_run") ? hooks->plan : hooks->reload;

	if (!may_act(hooks, call))
		return;
	switch (act(hooks->arg, http_body(call))) {
	case ADMIN_RELOAD_DONE:
		http_answer(call, 200, SITE_TEXT);
		return;
	case ADMIN_RELOAD_REFUSED:
		http_answer(call, 422, SITE_TEXT);
		return;
	}
	NEVER();
}
