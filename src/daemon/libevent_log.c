/*
 * libevent's own messages.
 *
 * It would write them to the standard error, in a form of its own, and one
 * for each call that failed. Whoever made the call says what became of it; so
 * these are for those who look closer.
 */
#include "daemon/libevent_log.h"

#include <event2/event.h>

#include "base/log.h"

static void
on_message(int severity, const char *message)
{
	if (severity == EVENT_LOG_ERR)
		log_error("libevent: %s", message);
	else
		log_debug("libevent: %s", message);
}

void
libevent_log_take(void)
{
	event_set_log_callback(on_message);
}
