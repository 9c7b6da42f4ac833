/* GET /-/config: the configuration in force, as -T prints it. */
#include <event2/buffer.h>
#include <stdio.h>
#include <stdlib.h>

#include "admin/site.h"

void
site_config(void *arg, struct http_call *call)
{
	struct admin_view view = site_look(arg);
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool is_good = out != NULL;

	if (out != NULL) {
		conf_print(view.table->conf, out);
		is_good = ferror(out) == 0;
		/* The text is whole only once it is closed. */
		is_good &= fclose(out) == 0;
	}
	if (is_good && evbuffer_add(http_body(call), text, len) == 0)
		http_answer(call, 200, "application/yaml; charset=utf-8");
	else
		http_say(call, 503, "out of memory");
	/* The C library's own memory. */
	free(text);
}
