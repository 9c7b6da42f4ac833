/* The log sink. Its settings are global, for whatever code has to log. */
#include "base/log.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log_line.h"

static atomic_int threshold = LOG_LEVEL_INFO;
static atomic_bool is_pinned;		/* the command line set it */
static atomic_int form = LOG_FORMAT_TEXT;
static atomic_bool is_journal;		/* reads the standard error */
/* Once open it stays so, and only what it refers to changes. */
static atomic_int file_fd = -1;
static atomic_bool is_to_file;
static atomic_uint nlost;		/* lines, not told of yet */
static atomic_bool is_cut;		/* the last line has no end */

void
log_set_level(enum log_level level)
{
	if (!atomic_load_explicit(&is_pinned, memory_order_relaxed))
		atomic_store_explicit(&threshold, (int)level,
		    memory_order_relaxed);
}

void
log_pin_level(enum log_level level)
{
	atomic_store_explicit(&threshold, (int)level, memory_order_relaxed);
	atomic_store_explicit(&is_pinned, true, memory_order_relaxed);
}

enum log_level
log_shift_level(int by)
{
	int level = atomic_load_explicit(&threshold, memory_order_relaxed) +
	    by;

	if (level < LOG_LEVEL_ERROR)
		level = LOG_LEVEL_ERROR;
	if (level > LOG_LEVEL_DEBUG)
		level = LOG_LEVEL_DEBUG;
	atomic_store_explicit(&threshold, level, memory_order_relaxed);
	return (enum log_level)level;
}

int
log_is_on(enum log_level level)
{
	return (int)level <=
	    atomic_load_explicit(&threshold, memory_order_relaxed);
}

void
log_set_format(enum log_format format)
{
	atomic_store_explicit(&form, (int)format, memory_order_relaxed);
}

void
log_find_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	if (stream == NULL ||
	    sscanf(stream, "%llu:%llu", &device, &inode) != 2 ||
	    fstat(STDERR_FILENO, &st) == -1)
		return;
	atomic_store_explicit(&is_journal, st.st_dev == device &&
	    st.st_ino == inode, memory_order_relaxed);
}

bool
log_to_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC |
	    O_NONBLOCK | O_NOCTTY, 0640);
	int old = atomic_load_explicit(&file_fd, memory_order_relaxed);

	if (fd == -1)
		return false;
	/* Other threads may be writing: the number stays, whatever it is. */
	if (old == -1) {
		atomic_store_explicit(&file_fd, fd, memory_order_relaxed);
	} else {
		dup3(fd, old, O_CLOEXEC);
		close(fd);
	}
	atomic_store_explicit(&is_cut, false, memory_order_relaxed);
	/* Release: who sees it sees the number. */
	atomic_store_explicit(&is_to_file, true, memory_order_release);
	return true;
}

void
log_to_stderr(void)
{
	atomic_store_explicit(&is_to_file, false, memory_order_relaxed);
}

/*
 * A pipe that has room at all has a page of it: for a line, and for those of
 * other threads that look at the same moment.
 */
static bool
has_room(int fd)
{
	struct pollfd look = {.fd = fd, .events = POLLOUT};

	return poll(&look, 1, 0) != 0;
}

/*
 * False if the line is not there as a whole: a disk that is full may have
 * taken its beginning, and the next one does not go on in it.
 */
static bool
write_entry(int fd, const struct log_entry *entry)
{
	char text[1 + LOG_LINE_MAX] = "\n";
	bool was_cut = atomic_exchange_explicit(&is_cut, false,
	    memory_order_relaxed);
	char *line = was_cut ? text : text + 1;
	size_t len = log_line_write(entry, text + 1) + was_cut;
	ssize_t n = write(fd, line, len);

	if (n < (ssize_t)len && (n > 0 || was_cut))
		atomic_store_explicit(&is_cut, true, memory_order_relaxed);
	return n == (ssize_t)len;
}

static void
note_lost(unsigned n)
{
	atomic_fetch_add_explicit(&nlost, n, memory_order_relaxed);
}

static void
tell_lost(int fd, struct log_entry entry)
{
	unsigned n = atomic_exchange_explicit(&nlost, 0, memory_order_relaxed);
	char message[LOG_MESSAGE_MAX];
	int len;

	if (n == 0)
		return;
	len = snprintf(message, sizeof(message), "lines of the log were lost: "
	    "its reader did not read, or its disk was full lines=%u", n);
	entry.level = LOG_LEVEL_WARN;
	entry.message = span_of(message, (size_t)len);
	if (!write_entry(fd, &entry))
		note_lost(n);
}

/*
 * Waits for nobody: a reader of the log that stops reading must not hold up
 * every thread that has something to say. There is nobody to tell of a line
 * that cannot be written, but whoever reads on later.
 */
static void
write_or_lose(int fd, const struct log_entry *entry)
{
	if (has_room(fd))
		tell_lost(fd, *entry);
	if (!has_room(fd) || !write_entry(fd, entry))
		note_lost(1);
}

static void
write_line(enum log_level level, const char *fmt, va_list ap)
{
	char message[LOG_MESSAGE_MAX + 1];
	struct log_entry entry = {.level = level};
	int n, fd = STDERR_FILENO;

	if (!log_is_on(level))
		return;
	n = vsnprintf(message, sizeof(message), fmt, ap);
	if (n < 0)
		return;
	entry.message = span_of(message, n > LOG_MESSAGE_MAX ?
	    LOG_MESSAGE_MAX : (size_t)n);
	entry.format = (enum log_format)atomic_load_explicit(&form,
	    memory_order_relaxed);
	clock_gettime(CLOCK_REALTIME, &entry.at);
	/* Acquire: pairs with log_to_file(). */
	if (atomic_load_explicit(&is_to_file, memory_order_acquire))
		fd = atomic_load_explicit(&file_fd, memory_order_relaxed);
	else
		entry.is_for_journal = atomic_load_explicit(&is_journal,
		    memory_order_relaxed);
	write_or_lose(fd, &entry);
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

unsigned
log_gate_flush(struct log_gate *gate, unsigned long long now_ms)
{
	unsigned dropped = gate->dropped;

	if (gate->second == now_ms / 1000)
		return 0;
	gate->dropped = 0;
	return dropped;
}

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
