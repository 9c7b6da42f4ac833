/* The list of complaints about one file. */
#include "conf/errors.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "conf/text.h"

struct error_line {
	struct conf_place	 place;
	char			*text;		/* ours */
};

struct conf_errors {
	char			*path;		/* ours */
	bool			 is_unreadable;
	bool			 is_out_of_memory;
	size_t			 n;
	size_t			 ndropped;
	char			 dropped[64];	/* the line that counts them */
	struct error_line	 lines[ERRORS_MAX];
};

struct conf_errors *
errors_new(const char *path)
{
	struct conf_errors *errors = mem_zalloc(1, sizeof(*errors));

	if (errors == NULL)
		return NULL;
	errors->path = mem_strndup(path, strlen(path));
	if (errors->path == NULL) {
		mem_free(errors);
		return NULL;
	}
	return errors;
}

void
conf_errors_free(struct conf_errors **errors)
{
	if (*errors == NULL)
		return;
	for (size_t i = 0; i < (*errors)->n; i++)
		mem_free((*errors)->lines[i].text);
	mem_free((*errors)->path);
	mem_free(*errors);
	*errors = NULL;
}

void
errors_out_of_memory(struct conf_errors *errors)
{
	errors->is_out_of_memory = true;
}

bool
errors_is_out_of_memory(const struct conf_errors *errors)
{
	return errors->is_out_of_memory;
}

void
errors_set_unreadable(struct conf_errors *errors)
{
	errors->is_unreadable = true;
}

bool
errors_is_empty(const struct conf_errors *errors)
{
	return errors->n == 0 && !errors->is_out_of_memory;
}

bool
errors_is_full(const struct conf_errors *errors)
{
	return errors->n == ERRORS_MAX;
}

static bool
is_before(struct conf_place a, struct conf_place b)
{
	return a.line != b.line ? a.line < b.line : a.column < b.column;
}

static void
drop_line(struct conf_errors *errors, char *text)
{
	mem_free(text);
	errors->ndropped++;
	snprintf(errors->dropped, sizeof(errors->dropped),
	    "and %zu more", errors->ndropped);
}

/* Takes `text`. Lines of the same place stay in the order they came in. */
static void
insert_line(struct conf_errors *errors, struct conf_place place, char *text)
{
	size_t at = errors->n;

	while (at > 0 && is_before(place, errors->lines[at - 1].place))
		at--;
	if (errors->n == ERRORS_MAX) {
		if (at == ERRORS_MAX) {
			drop_line(errors, text);
			return;
		}
		drop_line(errors, errors->lines[--errors->n].text);
	}
	memmove(&errors->lines[at + 1], &errors->lines[at],
	    (errors->n - at) * sizeof(errors->lines[0]));
	errors->lines[at] = (struct error_line){place, text};
	errors->n++;
}

static int
put_place(char *out, size_t size, const char *path, struct conf_place place)
{
	if (place.line == 0)
		return snprintf(out, size, "%s: ", path);
	return snprintf(out, size, "%s:%u:%u: ", path, place.line,
	    place.column);
}

/* What is quoted may hold anything; a complaint is one line, for a person. */
static void
make_one_line(char *text)
{
	struct span bytes = span_str(text);

	for (size_t i = 0; i < bytes.len; i++) {
		bool has_two_bytes = (unsigned char)text[i] == 0xc2;

		if (!text_is_control(bytes, i))
			continue;
		text[i] = '?';
		if (has_two_bytes)
			text[++i] = '?';
	}
}

void
errors_vadd(struct conf_errors *errors, struct conf_place place,
    const char *fmt, va_list ap)
{
	va_list again;
	int head, tail;
	char *text;

	va_copy(again, ap);
	head = put_place(NULL, 0, errors->path, place);
	tail = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	text = head < 0 || tail < 0 ? NULL :
	    mem_alloc((size_t)head + (size_t)tail + 1);
	if (text == NULL) {
		errors_out_of_memory(errors);
		return;
	}
	put_place(text, (size_t)head + 1, errors->path, place);
	vsnprintf(text + head, (size_t)tail + 1, fmt, ap);
	make_one_line(text);
	insert_line(errors, place, text);
}

void
errors_add(struct conf_errors *errors, struct conf_place place,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	errors_vadd(errors, place, fmt, ap);
	va_end(ap);
}

void
conf_errors_add(struct conf_errors **errors, const struct conf *conf,
    struct conf_place place, const char *fmt, ...)
{
	va_list ap;

	if (*errors == NULL)
		*errors = errors_new(conf->path);
	if (*errors == NULL)
		return;
	va_start(ap, fmt);
	errors_vadd(*errors, place, fmt, ap);
	va_end(ap);
}

size_t
conf_errors_count(const struct conf_errors *errors)
{
	if (errors == NULL || errors->is_out_of_memory)
		return 1;
	return errors->n + (errors->ndropped > 0 ? 1 : 0);
}

const char *
conf_errors_line(const struct conf_errors *errors, size_t i)
{
	if (errors == NULL || errors->is_out_of_memory)
		return "out of memory";
	MUST(i < conf_errors_count(errors));
	return i < errors->n ? errors->lines[i].text : errors->dropped;
}

bool
conf_errors_is_out_of_memory(const struct conf_errors *errors)
{
	return errors == NULL || errors->is_out_of_memory;
}

bool
conf_errors_is_unreadable(const struct conf_errors *errors)
{
	return errors != NULL && errors->is_unreadable;
}

/* Bytes after which `text` may be cut without halving a character. */
static size_t
cut_len(struct span text, size_t room)
{
	size_t len = text.len;

	if (len <= room)
		return len;
	len = room - 3;
	while (len > 0 && ((unsigned char)text.p[len] & 0xc0) == 0x80)
		len--;
	return len;
}

const char *
errors_quote(struct span text, char out[ERRORS_QUOTED_MAX])
{
	size_t len = cut_len(text, ERRORS_QUOTED_MAX - 3), at = 0;

	out[at++] = '"';
	for (size_t i = 0; i < len; i++) {
		out[at++] = text_is_control(text, i) ? '?' : text.p[i];
	}
	if (len < text.len) {
		memcpy(out + at, "...", 3);
		at += 3;
	}
	out[at++] = '"';
	out[at] = '\0';
	return out;
}
