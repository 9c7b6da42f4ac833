/* POST /-/reload */
#include "admin/site.h"

bool
site_may_act(const struct site *site, struct http_call *call)
{
	if (!site_look(site).table->conf->admin.actions) {
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
	const struct site *site = arg;
	const struct admin_hooks *hooks = &site->hooks;
	enum admin_reload (*act)(void *, struct evbuffer *) =
	    http_flag(call, "dry_run") ? hooks->plan : hooks->reload;

	if (!site_may_act(site, call))
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
