/* The bytes of a configuration file. */
#include "conf/read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "conf/text.h"

static const struct conf_place whole_file = {0, 0};

static void
add_unreadable(struct conf_errors *errors, const char *why)
{
	errors_set_unreadable(errors);
	errors_add(errors, whole_file, "cannot be read: %s", why);
}

static void
add_too_large(struct conf_errors *errors)
{
	errors_add(errors, whole_file, "has more than %u bytes, which is the "
	    "most a configuration may have", CONF_FILE_MAX);
}

/* Size of the open file as a first guess of what to allocate. */
static bool
check_kind(int fd, size_t *size_r, struct conf_errors *errors)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		add_unreadable(errors, strerror(errno));
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		add_unreadable(errors, S_ISDIR(st.st_mode) ?
		    "it is a directory" : "it is not a regular file");
		return false;
	}
	if (st.st_size > (off_t)CONF_FILE_MAX) {
		add_too_large(errors);
		return false;
	}
	*size_r = (size_t)st.st_size;
	return true;
}

/* Reads until the end or the cap; one byte more than the cap is an error. */
static char *
read_all(int fd, size_t guess, size_t *len_r, struct conf_errors *errors)
{
	size_t len = 0, size = guess + 1;
	char *text = mem_alloc(size), *larger;
	ssize_t n;

	if (text == NULL) {
		errors_out_of_memory(errors);
		return NULL;
	}
	for (;;) {
		n = read(fd, text + len, size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			add_unreadable(errors, strerror(errno));
			break;
		}
		if (n == 0) {
			*len_r = len;
			return text;
		}
		len += (size_t)n;
		if (len > CONF_FILE_MAX) {
			add_too_large(errors);
			break;
		}
		if (len < size)
			continue;
		/* It grew since we asked for its size. */
		size *= 2;
		larger = mem_resize(text, size, 1);
		if (larger == NULL) {
			errors_out_of_memory(errors);
			break;
		}
		text = larger;
	}
	mem_free(text);
	return NULL;
}

char *
read_file(const char *path, size_t *len_r, struct conf_errors *errors)
{
	char *text = NULL;
	size_t guess;
	int fd;

	/* O_NONBLOCK, lest a FIFO without a writer stop the main thread. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		add_unreadable(errors, strerror(errno));
		return NULL;
	}
	if (check_kind(fd, &guess, errors))
		text = read_all(fd, guess, len_r, errors);
	close(fd);
	return text;
}

struct conf_place
read_place(struct span text, size_t at)
{
	struct conf_place place = {1, 1};

	for (size_t i = 0; i < at; i++) {
		if (text.p[i] == '\n') {
			place.line++;
			place.column = 1;
		} else if (((unsigned char)text.p[i] & 0xc0) != 0x80) {
			place.column++;
		}
	}
	return place;
}

bool
read_check_text(struct span text, struct conf_errors *errors)
{
	const char *nul;
	size_t at;

	if (text.len > CONF_FILE_MAX) {
		add_too_large(errors);
		return false;
	}
	if (text.len >= 2 && (memcmp(text.p, "\xff\xfe", 2) == 0 ||
	    memcmp(text.p, "\xfe\xff", 2) == 0)) {
		errors_add(errors, (struct conf_place){1, 1},
		    "the file is UTF-16; save it as UTF-8");
		return false;
	}
	nul = text.len == 0 ? NULL : memchr(text.p, '\0', text.len);
	if (nul != NULL) {
		errors_add(errors, read_place(text, (size_t)(nul - text.p)),
		    "the file holds a NUL byte: it is not text");
		return false;
	}
	if (!text_is_utf8(text, &at)) {
		errors_add(errors, read_place(text, at), "the byte 0x%02x is "
		    "not UTF-8", (unsigned)(unsigned char)text.p[at]);
		return false;
	}
	return true;
}
