/* Looking at the file. */
#include "daemon/watch.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/span.h"
#include "conf/conf.h"

/* What a look found: the content's digest, or why there was none. */
struct look {
	XXH128_hash_t	digest;
	int		error;		/* 0, or errno */
};

struct watch {
	const char	*path;		/* lent */
	struct event	*timer;
	uint64_t	 interval_ms;	/* 0: it rests */
	struct look	 loaded;	/* at the last watch_note() */
	struct look	 last;		/* at the last look */
	void		(*on_change)(void *arg);
	void		*arg;
};

static bool
is_same(const struct look *a, const struct look *b)
{
	return a->error == b->error && XXH128_isEqual(a->digest, b->digest);
}

/* Hashes what there is, but no more than a configuration may have. */
static int
hash_file(int fd, XXH3_state_t *state)
{
	char part[16384];
	struct stat st;
	size_t total = 0;
	ssize_t n;

	/* Nothing else can be loaded: it would be news again and again. */
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return EINVAL;
	while ((n = read(fd, part, sizeof(part))) > 0) {
		XXH3_128bits_update(state, part, (size_t)n);
		total += (size_t)n;
		if (total > CONF_FILE_MAX)
			return EFBIG;
	}
	return n < 0 ? errno : 0;
}

static struct look
take_look(const char *path)
{
	struct look look = {.error = 0};
	XXH3_state_t *state = XXH3_createState();
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd == -1)
		look.error = errno;
	else if (state == NULL)
		look.error = ENOMEM;
	if (look.error == 0) {
		XXH3_128bits_reset(state);
		look.error = hash_file(fd, state);
	}
	if (look.error == 0)
		look.digest = XXH3_128bits_digest(state);
	if (fd != -1)
		close(fd);
	XXH3_freeState(state);
	return look;
}

static void
rearm(struct watch *watch)
{
	struct timeval tv = {
		.tv_sec = (time_t)(watch->interval_ms / 1000),
		.tv_usec = (suseconds_t)(watch->interval_ms % 1000 * 1000),
	};

	if (watch->interval_ms != 0 && event_add(watch->timer, &tv) != 0)
		log_error("the configuration is not watched any more: "
		    "out of memory");
}

static void
on_timer(evutil_socket_t fd, short events, void *arg)
{
	struct watch *watch = arg;
	struct look look = take_look(watch->path);
	bool is_settled = is_same(&look, &watch->last);

	(void)fd;
	(void)events;
	watch->last = look;
	rearm(watch);
	/* A file that is gone for a moment comes back: only then is it news. */
	if (is_settled && look.error == 0 && !is_same(&look, &watch->loaded))
		watch->on_change(watch->arg);
}

struct watch *
watch_new(struct event_base *base, const char *path,
    void (*on_change)(void *arg), void *arg)
{
	struct watch *watch = mem_zalloc(1, sizeof(*watch));

	if (watch == NULL)
		return NULL;
	watch->path = path;
	watch->on_change = on_change;
	watch->arg = arg;
	watch->timer = event_new(base, -1, 0, on_timer, watch);
	if (watch->timer == NULL) {
		mem_free(watch);
		return NULL;
	}
	return watch;
}

/* A mounted ConfigMap's file is a link into ..data, itself a link. */
static bool
is_of_config_map(const char *path)
{
	static const struct span data = SPAN_LIT("..data/");
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof(target));

	return len > 0 && span_starts(span_of(target, (size_t)len), data);
}

void
watch_set_interval(struct watch *watch, uint64_t interval_ms)
{
	if (interval_ms == 0 && is_of_config_map(watch->path))
		interval_ms = WATCH_MOUNTED_MS;
	if (interval_ms == watch->interval_ms)
		return;
	watch->interval_ms = interval_ms;
	event_del(watch->timer);
	rearm(watch);
}

void
watch_note(struct watch *watch)
{
	watch->loaded = watch->last = take_look(watch->path);
}

void
watch_forget(struct watch *watch)
{
	/* No look ever finds this. */
	watch->loaded = (struct look){.error = -1};
}

/* Whether `path` is listed as a mount point of its own. */
static bool
is_mount_point(const char *path)
{
	char line[2 * PATH_MAX], point[PATH_MAX];
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	bool is_listed = false;

	if (mounts == NULL)
		return false;
	while (!is_listed && fgets(line, sizeof(line), mounts) != NULL)
		is_listed =
		    sscanf(line, "%*s %*s %*s %*s %4095s", point) == 1 &&
		    strcmp(point, path) == 0;
	fclose(mounts);
	return is_listed;
}

void
watch_warn_if_fixed(const char *path)
{
	char *real = realpath(path, NULL);

	if (real != NULL && is_mount_point(real))
		log_warn("%s is mounted as a single file, which never shows a "
		    "change made outside: mount its directory to reload",
		    path);
	free(real);
}

void
watch_free(struct watch **watchp)
{
	struct watch *watch = *watchp;

	*watchp = NULL;
	if (watch == NULL)
		return;
	event_free(watch->timer);
	mem_free(watch);
}
