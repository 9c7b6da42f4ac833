/* The log as configured. */
#include "daemon/logging.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/log_line.h"

bool
logging_check(const struct conf *conf, struct conf_errors **errors_r)
{
	static const struct conf_place nowhere = {0};
	const char *path = conf->log.file;
	int fd;

	if (*path == '\0')
		return true;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC |
	    O_NONBLOCK | O_NOCTTY, 0640);
	if (fd == -1) {
		conf_errors_add(errors_r, conf, nowhere,
		    "log.file: cannot open %s: %s", path, strerror(errno));
		return false;
	}
	close(fd);
	return true;
}

static enum log_format
format_of(enum conf_log_format format)
{
	switch (format) {
	case CONF_LOG_TEXT:
		return LOG_FORMAT_TEXT;
	case CONF_LOG_LOGFMT:
		return LOG_FORMAT_LOGFMT;
	case CONF_LOG_JSON:
		return LOG_FORMAT_JSON;
	}
	NEVER();
}

static enum log_level
level_of(enum conf_log_level level)
{
	switch (level) {
	case CONF_LOG_ERROR:
		return LOG_LEVEL_ERROR;
	case CONF_LOG_WARN:
		return LOG_LEVEL_WARN;
	case CONF_LOG_INFO:
	case CONF_LOG_UNSAID:
		return LOG_LEVEL_INFO;
	case CONF_LOG_DEBUG:
		return LOG_LEVEL_DEBUG;
	}
	NEVER();
}

static void
use_file(const char *path)
{
	if (*path == '\0')
		log_to_stderr();
	else if (!log_to_file(path))
		log_error("log.file: cannot open %s: %s; lines go where they "
		    "went before", path, strerror(errno));
}

void
logging_apply(const struct conf *old, const struct conf *conf)
{
	if (old == NULL || old->log.level != conf->log.level)
		log_set_level(level_of(conf->log.level));
	log_set_format(format_of(conf->log.format));
	if (old == NULL || strcmp(old->log.file, conf->log.file) != 0)
		use_file(conf->log.file);
}

static void
shift_level(int by)
{
	log_warn("the log's level is now %s",
	    log_level_name(log_shift_level(by)));
}

void
logging_on_signal(const struct conf *conf, int number)
{
	if (number == SIGTTIN)
		shift_level(1);
	else if (number == SIGTTOU)
		shift_level(-1);
	else if (number != SIGUSR1)
		log_debug("signal %d has no meaning here", number);
	else if (*conf->log.file != '\0')
		use_file(conf->log.file);
}
