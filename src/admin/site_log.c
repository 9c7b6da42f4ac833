/* POST /-/log?level=LEVEL: how much is logged, until it is said anew. */
#include <string.h>

#include "admin/site.h"
#include "base/log.h"

static const char *const levels[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARN] = "warn",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

#define NLEVELS ((int)(sizeof(levels) / sizeof(*levels)))

/* The level called so; NLEVELS: there is none. */
static int
find_level(const char *name)
{
	int i = 0;

	while (i < NLEVELS && (name == NULL || strcmp(levels[i], name) != 0))
		i++;
	return i;
}

void
site_log(void *arg, struct http_call *call)
{
	char *name;
	int wanted;

	if (!site_may_act(arg, call))
		return;
	name = http_value(call, "level", NULL);
	wanted = find_level(name);
	http_free_value(&name);
	if (wanted == NLEVELS) {
		http_say(call, 400, "level must be error, warn, info or "
		    "debug");
		return;
	}
	log_shift_level(wanted - (int)log_shift_level(0));
	http_say(call, 200, "the log's level is %s", levels[wanted]);
}
