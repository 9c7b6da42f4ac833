/* Lines of the log. */
#include "base/log_line.h"

#include <stdio.h>
#include <string.h>

/* More words at the end than these stay in the message. */
#define FIELDS_MAX 24

#define STAMP_SIZE 32

struct writer {
	char	*out;
	size_t	 len;
};

/* A message, and the fields it ends with. */
struct parts {
	struct span	message;
	size_t		nfields;
	struct span	names[FIELDS_MAX];	/* the last one first */
	struct span	values[FIELDS_MAX];
};

const char *
log_level_name(enum log_level level)
{
	static const char *const names[] = {
		[LOG_LEVEL_ERROR] = "error",
		[LOG_LEVEL_WARN] = "warn",
		[LOG_LEVEL_INFO] = "info",
		[LOG_LEVEL_DEBUG] = "debug",
	};

	return names[level];
}

static void
put(struct writer *w, struct span s)
{
	MUST(s.len <= LOG_LINE_MAX - w->len);
	if (s.len > 0)
		memcpy(w->out + w->len, s.p, s.len);
	w->len += s.len;
}

static void
put_text(struct writer *w, const char *text)
{
	put(w, span_str(text));
}

/* What a peer or a file made part of the text must not forge a line. */
static void
put_masked(struct writer *w, struct span s)
{
	char *start = w->out + w->len;

	put(w, s);
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)start[i] < ' ' || start[i] == 0x7f)
			start[i] = '?';
	}
}

/* Bytes of the character that `s` begins with; 0: it is not UTF-8. */
static size_t
character_len(struct span s)
{
	static const struct {
		unsigned char	mask, lead;
		unsigned	least;
	} forms[] = {
		{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800},
		{0xf8, 0xf0, 0x10000},
	};
	unsigned char first = (unsigned char)s.p[0];

	for (size_t len = 1; len <= 4 && len <= s.len; len++) {
		unsigned code = first & ~forms[len - 1].mask & 0xffu;

		if ((first & forms[len - 1].mask) != forms[len - 1].lead)
			continue;
		for (size_t i = 1; i < len; i++) {
			if ((s.p[i] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | ((unsigned char)s.p[i] & 0x3f);
		}
		return code < forms[len - 1].least || code > 0x10ffff ||
		    (code >= 0xd800 && code < 0xe000) ? 0 : len;
	}
	return 0;
}

/* In quotes, for both of the formats for programs. */
static void
put_quoted(struct writer *w, struct span s)
{
	put_text(w, "\"");
	while (s.len > 0) {
		size_t len = character_len(s);

		if (len == 0) {
			put_text(w, "\xef\xbf\xbd");
			len = 1;
		} else {
			if (*s.p == '"' || *s.p == '\\')
				put_text(w, "\\");
			put_masked(w, span_of(s.p, len));
		}
		s = span_of(s.p + len, s.len - len);
	}
	put_text(w, "\"");
}

static bool
is_field_name(struct span s)
{
	static const char *const taken[] = {"time", "ts", "level", "msg"};

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		if (span_eq(s, span_str(taken[i])))
			return false;
	}
	for (size_t i = 0; i < s.len; i++) {
		if (!(s.p[i] >= 'a' && s.p[i] <= 'z') && s.p[i] != '_' &&
		    !(i > 0 && s.p[i] >= '0' && s.p[i] <= '9'))
			return false;
	}
	return s.len > 0;
}

static bool
has_field(const struct parts *parts, struct span name)
{
	for (size_t i = 0; i < parts->nfields; i++) {
		if (span_eq(parts->names[i], name))
			return true;
	}
	return false;
}

/* Takes the last word off the message, if it is a field. */
static bool
take_field(struct parts *parts)
{
	struct span *message = &parts->message;
	const char *blank = memrchr(message->p, ' ', message->len);
	struct span word, name;
	const char *equals;

	if (blank == NULL || parts->nfields == FIELDS_MAX)
		return false;
	word = span_of(blank + 1, (size_t)(message->p + message->len - blank)
	    - 1);
	equals = memchr(word.p, '=', word.len);
	if (equals == NULL)
		return false;
	name = span_of(word.p, (size_t)(equals - word.p));
	if (!is_field_name(name) || has_field(parts, name))
		return false;
	parts->names[parts->nfields] = name;
	parts->values[parts->nfields++] = span_of(equals + 1,
	    word.len - name.len - 1);
	message->len = (size_t)(blank - message->p);
	return true;
}

static void
split(struct parts *parts, struct span message)
{
	parts->message = message;
	parts->nfields = 0;
	while (parts->message.len > 0 && take_field(parts))
		;
}

static void
put_stamp(struct writer *w, const struct timespec *at)
{
	char stamp[STAMP_SIZE];
	struct tm tm;
	size_t len;

	gmtime_r(&at->tv_sec, &tm);
	len = strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(stamp + len, sizeof(stamp) - len, ".%03ldZ",
	    at->tv_nsec / 1000000);
	put_text(w, stamp);
}

static void
put_text_line(struct writer *w, const struct log_entry *entry)
{
	if (!entry->is_for_journal) {
		put_stamp(w, &entry->at);
		put_text(w, " ");
		put_text(w, log_level_name(entry->level));
		put_text(w, " ");
	}
	put_masked(w, entry->message);
}

/* Whether a value needs quotes in logfmt. */
static bool
needs_quotes(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == '"' ||
		    s.p[i] == '\\' || s.p[i] == '=' ||
		    (unsigned char)s.p[i] >= 0x7f)
			return true;
	}
	return s.len == 0;
}

static void
put_logfmt(struct writer *w, const struct log_entry *entry)
{
	struct parts parts;

	split(&parts, entry->message);
	put_text(w, "ts=");
	put_stamp(w, &entry->at);
	put_text(w, " level=");
	put_text(w, log_level_name(entry->level));
	put_text(w, " msg=");
	put_quoted(w, parts.message);
	for (size_t i = parts.nfields; i-- > 0;) {
		put_text(w, " ");
		put(w, parts.names[i]);
		put_text(w, "=");
		if (needs_quotes(parts.values[i]))
			put_quoted(w, parts.values[i]);
		else
			put(w, parts.values[i]);
	}
}

static void
put_json(struct writer *w, const struct log_entry *entry)
{
	struct parts parts;

	split(&parts, entry->message);
	put_text(w, "{\"time\":\"");
	put_stamp(w, &entry->at);
	put_text(w, "\",\"level\":\"");
	put_text(w, log_level_name(entry->level));
	put_text(w, "\",\"msg\":");
	put_quoted(w, parts.message);
	for (size_t i = parts.nfields; i-- > 0;) {
		put_text(w, ",\"");
		put(w, parts.names[i]);
		put_text(w, "\":");
		put_quoted(w, parts.values[i]);
	}
	put_text(w, "}");
}

/* syslog's numbers, which the journal reads in front of a line. */
static const char *
priority(enum log_level level)
{
	static const char *const priorities[] = {
		[LOG_LEVEL_ERROR] = "<3>",
		[LOG_LEVEL_WARN] = "<4>",
		[LOG_LEVEL_INFO] = "<6>",
		[LOG_LEVEL_DEBUG] = "<7>",
	};

	return priorities[level];
}

static void
put_line(struct writer *w, const struct log_entry *entry)
{
	switch (entry->format) {
	case LOG_FORMAT_TEXT:
		put_text_line(w, entry);
		return;
	case LOG_FORMAT_LOGFMT:
		put_logfmt(w, entry);
		return;
	case LOG_FORMAT_JSON:
		put_json(w, entry);
		return;
	}
	NEVER();
}

size_t
log_line_write(const struct log_entry *entry, char *out)
{
	struct writer w = {.out = out};

	MUST(entry->message.len <= LOG_MESSAGE_MAX);
	if (entry->is_for_journal)
		put_text(&w, priority(entry->level));
	put_line(&w, entry);
	put_text(&w, "\n");
	return w.len;
}
