/*
 * The log sink: standard error, with a time stamp in UTC and a level.
 *
 * The level is the process's one writable global.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_LEN 2048

static atomic_int threshold = LOG_LEVEL_INFO;

static const char *const level_names[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARN] = "warn",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

void
log_set_level(enum log_level level)
{
	atomic_store_explicit(&threshold, (int)level, memory_order_relaxed);
}

int
log_is_on(enum log_level level)
{
	return (int)level <=
	    atomic_load_explicit(&threshold, memory_order_relaxed);
}

static size_t
put_stamp(char *line, size_t size, enum log_level level)
{
	struct timespec ts;
	struct tm tm;
	size_t len;
	int n;

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	len = strftime(line, size, "%Y-%m-%dT%H:%M:%S", &tm);
	n = snprintf(line + len, size - len, ".%03ldZ %s ",
	    ts.tv_nsec / 1000000, level_names[level]);
	return len + (size_t)n;
}

/* What a peer or a file made part of the text must not forge a line. */
static void
mask_controls(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	}
}

static void
write_line(enum log_level level, const char *fmt, va_list ap)
{
	char line[LINE_MAX_LEN];
	size_t len, room;
	int n;

	if (!log_is_on(level))
		return;
	len = put_stamp(line, sizeof(line), level);
	room = sizeof(line) - len - 1;
	n = vsnprintf(line + len, room, fmt, ap);
	if (n < 0)
		return;
	if ((size_t)n >= room)
		n = (int)room - 1;
	mask_controls(line + len, (size_t)n);
	len += (size_t)n;
	line[len++] = '\n';
	/* There is nobody to tell when the log itself cannot be written. */
	if (write(STDERR_FILENO, line, len) < 0)
		return;
}

#define DEFINE_LOG(name, level)                                                \
	void log_##name(const char *fmt, ...)                                  \
	{                                                                      \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, fmt);                                             \
		write_line(level, fmt, ap);                                    \
		va_end(ap);                                                    \
	}

DEFINE_LOG(error, LOG_LEVEL_ERROR)
DEFINE_LOG(warn, LOG_LEVEL_WARN)
DEFINE_LOG(info, LOG_LEVEL_INFO)
DEFINE_LOG(debug, LOG_LEVEL_DEBUG)

int
log_gate_pass(struct log_gate *gate, unsigned long long now_ms,
    unsigned *dropped_r)
{
	if (gate->second != now_ms / 1000) {
		gate->second = now_ms / 1000;
		gate->passed = 0;
	}
	if (gate->passed >= LOG_GATE_BURST) {
		gate->dropped++;
		return 0;
	}
	gate->passed++;
	*dropped_r = gate->dropped;
	gate->dropped = 0;
	return 1;
}
