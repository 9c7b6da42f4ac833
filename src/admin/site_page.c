/* GET /: the status page, made of src/admin/page/ when this is built. */
#include <event2/buffer.h>

#include "admin/site.h"
#include "page_html.h"

void
site_page(void *arg, struct http_call *call)
{
	(void)arg;
	http_add_header(call, "Content-Security-Policy", page_policy);
	if (evbuffer_add_reference(http_body(call), page_html,
	    sizeof(page_html), NULL, NULL) != 0)
		http_say(call, 503, "out of memory");
	else
		http_answer(call, 200, "text/html; charset=utf-8");
}
