/*
 * Reading the limits of cgroups.
 *
 * /proc/self/cgroup has a line for each hierarchy, "number:controllers:path";
 * the one of version 2 names no controllers. A container may see a path of
 * its host that is not there, and its own cgroup where the root should be: so
 * each directory from the path up to the root is looked into.
 */
#include "base/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"

/* Version 1 says "none" by the largest number of pages; so does this. */
#define NONE (UINT64_C(1) << 60)

/* One hierarchy that may limit memory. */
struct hierarchy {
	const char	*root;		/* as cgroup_memory_limit() has it */
	const char	*mount;
	const char	*file;		/* with the limit */
};

/* Reads all of a small file; the number of bytes, 0 if it cannot. */
static size_t
read_small(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd == -1)
		return 0;
	while (len < size && (n = read(fd, out + len, size - len)) > 0)
		len += (size_t)n;
	close(fd);
	return len;
}

/* The limit of the cgroup at `path`; NONE also if it cannot be read. */
static uint64_t
limit_at(const struct hierarchy *h, struct span path)
{
	char file[PATH_MAX], text[32];
	uint64_t limit;
	size_t len;
	int n = snprintf(file, sizeof(file), "%s%s%.*s/%s", h->root, h->mount,
	    (int)path.len, path.p, h->file);

	if (n < 0 || (size_t)n >= sizeof(file))
		return NONE;
	len = read_small(file, text, sizeof(text));
	if (len > 0 && text[len - 1] == '\n')
		len--;
	/* Version 2 says "max" where there is none. */
	return num_parse_u64(span_of(text, len), &limit) ? limit : NONE;
}

/* The path without its last part. */
static struct span
parent(struct span path)
{
	const char *slash = memrchr(path.p, '/', path.len);

	return span_of(path.p, slash == NULL ? 0 : (size_t)(slash - path.p));
}

static uint64_t
least_limit(const struct hierarchy *h, struct span path)
{
	uint64_t least = NONE, limit;

	for (;; path = parent(path)) {
		limit = limit_at(h, path);
		if (limit < least)
			least = limit;
		if (path.len == 0)
			return least;
	}
}

/* Whether "memory" is one of the names between the commas. */
static bool
has_memory(struct span controllers)
{
	static const struct span memory = SPAN_LIT("memory");
	const char *end = controllers.p + controllers.len, *comma;

	for (const char *p = controllers.p; p < end; p = comma + 1) {
		comma = memchr(p, ',', (size_t)(end - p));
		if (comma == NULL)
			comma = end;
		if (span_eq(span_of(p, (size_t)(comma - p)), memory))
			return true;
	}
	return false;
}

/* What a line of /proc/self/cgroup leads to. */
static uint64_t
limit_by_line(const char *root, struct span line)
{
	struct hierarchy two = {root, "/sys/fs/cgroup", "memory.max"};
	struct hierarchy one = {root, "/sys/fs/cgroup/memory",
	    "memory.limit_in_bytes"};
	const char *end = line.p + line.len, *first, *second;
	struct span controllers, path;

	first = memchr(line.p, ':', line.len);
	second = first == NULL ? NULL :
	    memchr(first + 1, ':', (size_t)(end - first - 1));
	if (second == NULL)
		return NONE;
	controllers = span_of(first + 1, (size_t)(second - first - 1));
	path = span_of(second + 1, (size_t)(end - second - 1));
	/* The root is the empty path. */
	if (span_eq(path, span_str("/")))
		path.len = 0;
	if (controllers.len == 0)
		return least_limit(&two, path);
	return has_memory(controllers) ? least_limit(&one, path) : NONE;
}

uint64_t
cgroup_memory_limit(const char *root)
{
	char file[PATH_MAX], text[8192];
	uint64_t least = NONE, limit;
	const char *end, *newline;

	if ((size_t)snprintf(file, sizeof(file), "%s/proc/self/cgroup",
	    root) >= sizeof(file))
		return 0;
	end = text + read_small(file, text, sizeof(text));
	for (const char *p = text; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (newline == NULL)
			break;
		limit = limit_by_line(root, span_of(p, (size_t)(newline - p)));
		if (limit < least)
			least = limit;
	}
	return least == NONE ? 0 : least;
}
