/* A connection of the load. */
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/span.h"

/* Of a request or a reply line, besides the value. */
#define LINE_ROOM 128

enum kind { KIND_GET, KIND_SET, KIND_META_GET, KIND_META_SET };

struct asked {
	enum kind	kind;
	uint32_t	n;		/* keys */
	uint32_t	next;		/* the first not answered */
	uint64_t	intended_ns;
	uint32_t	*keys;		/* of the session's asked_keys */
};

struct session {
	int		 fd;
	struct keys	*keys;		/* lent, as are these */
	const struct mix *mix;
	struct result	*result;
	unsigned	 oldest, depth;
	size_t		 out_len, out_sent;
	size_t		 in_len;
	size_t		 out_room, in_room;
	char		*out;
	char		*in;
	struct asked	 asked[SESSION_DEPTH_MAX];
	uint32_t	*asked_keys;	/* room for a get's, of each */
};

struct session *
session_new(int fd, struct keys *keys, const struct mix *mix,
    struct result *result)
{
	struct session *session = mem_zalloc(1, sizeof(*session));
	size_t request = LINE_ROOM + keys->value_len +
	    mix->get_keys * (KEY_LEN + 1);

	if (session == NULL)
		return NULL;
	session->out_room = 2 * request + 65536;
	session->in_room = 2 * (keys->value_len + LINE_ROOM) + 262144;
	session->out = mem_alloc(session->out_room);
	session->in = mem_alloc(session->in_room);
	session->asked_keys = mem_alloc(SESSION_DEPTH_MAX * mix->get_keys *
	    sizeof(*session->asked_keys));
	session->keys = keys;
	session->mix = mix;
	session->result = result;
	session->fd = -1;
	if (session->out == NULL || session->in == NULL ||
	    session->asked_keys == NULL) {
		session_free(&session);
		return NULL;
	}
	session->fd = fd;
	return session;
}

void
session_free(struct session **sessionp)
{
	struct session *session = *sessionp;

	*sessionp = NULL;
	if (session == NULL)
		return;
	if (session->fd != -1)
		close(session->fd);
	mem_free(session->out);
	mem_free(session->in);
	mem_free(session->asked_keys);
	mem_free(session);
}

int
session_fd(const struct session *session)
{
	return session->fd;
}

unsigned
session_depth(const struct session *session)
{
	return session->depth;
}

bool
session_wants_write(const struct session *session)
{
	return session->out_sent < session->out_len;
}

bool
session_has_room(const struct session *session)
{
	size_t request = LINE_ROOM + session->keys->value_len +
	    session->mix->get_keys * (KEY_LEN + 1);

	return session->depth < SESSION_DEPTH_MAX &&
	    session->out_room - session->out_len >= request;
}

static void
put(struct session *session, const char *bytes, size_t len)
{
	memcpy(session->out + session->out_len, bytes, len);
	session->out_len += len;
}

static void
put_key(struct session *session, uint32_t key)
{
	char name[KEY_LEN + 1] = " ";

	keys_name(key, name + 1);
	put(session, name, sizeof(name));
}

static struct asked *
queue(struct session *session, enum kind kind, uint64_t intended_ns)
{
	unsigned at = (session->oldest + session->depth++) % SESSION_DEPTH_MAX;
	struct asked *asked = &session->asked[at];

	asked->keys = session->asked_keys + at * session->mix->get_keys;
	asked->kind = kind;
	asked->n = 1;
	asked->next = 0;
	asked->intended_ns = intended_ns;
	return asked;
}

void
session_store(struct session *session, uint32_t key, uint64_t intended_ns)
{
	bool is_meta = session->mix->is_meta;
	struct asked *asked = queue(session, is_meta ? KIND_META_SET :
	    KIND_SET, intended_ns);
	char digits[NUM_U64_MAX_LEN];
	size_t len = session->keys->value_len;

	asked->keys[0] = key;
	put(session, is_meta ? "ms" : "set", is_meta ? 2 : 3);
	put_key(session, key);
	if (!is_meta)
		put(session, " 0 0", 4);
	put(session, " ", 1);
	put(session, digits, num_put_u64(digits, len));
	put(session, "\r\n", 2);
	keys_value(session->keys, key, session->out + session->out_len);
	session->out_len += len;
	put(session, "\r\n", 2);
}

static void
ask_get(struct session *session, uint64_t intended_ns)
{
	bool is_meta = session->mix->is_meta;
	struct asked *asked = queue(session, is_meta ? KIND_META_GET :
	    KIND_GET, intended_ns);

	asked->n = is_meta ? 1 : session->mix->get_keys;
	put(session, is_meta ? "mg" : "get", is_meta ? 2 : 3);
	for (uint32_t i = 0; i < asked->n; i++) {
		asked->keys[i] = keys_draw(session->keys);
		put_key(session, asked->keys[i]);
	}
	if (is_meta)
		put(session, " v k", 4);
	put(session, "\r\n", 2);
}

void
session_ask(struct session *session, uint64_t intended_ns)
{
	if (keys_random(session->keys, 100) < session->mix->set_percent)
		session_store(session, keys_draw(session->keys), intended_ns);
	else
		ask_get(session, intended_ns);
}

bool
session_write(struct session *session)
{
	ssize_t n;

	if (!session_wants_write(session))
		return true;
	n = send(session->fd, session->out + session->out_sent,
	    session->out_len - session->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0 && errno != EAGAIN) {
		session->result->lost++;
		return false;
	}
	if (n < 0)
		return true;
	session->result->bytes += (uint64_t)n;
	session->out_sent += (size_t)n;
	if (session->out_sent == session->out_len)
		session->out_sent = session->out_len = 0;
	return true;
}

static void
note(struct result *result, const char *what, struct span bytes)
{
	if (result->first[0] == '\0')
		snprintf(result->first, sizeof(result->first), "%s: %.*s",
		    what, bytes.len > 120 ? 120 : (int)bytes.len, bytes.p);
}

static void
finish(struct session *session, uint64_t now_ns)
{
	struct result *result = session->result;
	struct asked *asked = &session->asked[session->oldest];

	result->answered++;
	if (result->is_measuring) {
		result->requests++;
		histogram_add(&result->latency, now_ns - asked->intended_ns);
	}
	session->oldest = (session->oldest + 1) % SESSION_DEPTH_MAX;
	session->depth--;
}

enum step { STEP_TAKEN, STEP_MORE, STEP_WRONG };

/* Takes the word up to the next blank off `line`. */
static struct span
take_word(struct span *line)
{
	const char *blank = line->len == 0 ? NULL :
	    memchr(line->p, ' ', line->len);
	size_t len = blank == NULL ? line->len : (size_t)(blank - line->p);
	struct span word = span_of(line->p, len);
	size_t taken = blank == NULL ? len : len + 1;

	*line = span_of(line->p + taken, line->len - taken);
	return word;
}

/* The value behind a line: `len_word` bytes of key `key`. */
static enum step
take_value(struct session *session, uint32_t key, struct span len_word,
    struct span *rest)
{
	uint64_t len;

	if (!num_parse_u64_max(len_word, VALUE_MAX, &len))
		return STEP_WRONG;
	if (rest->len < len + 2)
		return STEP_MORE;
	if (!keys_value_is_right(session->keys, key, rest->p, (size_t)len) ||
	    memcmp(rest->p + len, "\r\n", 2) != 0) {
		note(session->result, "not the value of its key",
		    span_of(rest->p, (size_t)len));
		return STEP_WRONG;
	}
	session->result->values++;
	*rest = span_of(rest->p + len + 2, rest->len - (size_t)len - 2);
	return STEP_TAKEN;
}

static bool
is_key(struct span word, uint32_t key)
{
	char name[KEY_LEN];

	keys_name(key, name);
	return span_eq(word, span_of(name, KEY_LEN));
}

static enum step
take_get(struct session *session, struct asked *asked, struct span line,
    struct span *rest, uint64_t now_ns)
{
	struct span name;
	uint32_t at = asked->next;
	enum step step;

	if (span_eq(line, span_str("END"))) {
		session->result->misses += asked->n - asked->next;
		finish(session, now_ns);
		return STEP_TAKEN;
	}
	if (!span_eq(take_word(&line), span_str("VALUE")))
		return STEP_WRONG;
	name = take_word(&line);
	while (at < asked->n && !is_key(name, asked->keys[at]))
		at++;
	if (at == asked->n || !span_eq(take_word(&line), span_str("0")))
		return STEP_WRONG;
	step = take_value(session, asked->keys[at], line, rest);
	if (step == STEP_TAKEN) {
		session->result->misses += at - asked->next;
		asked->next = at + 1;
	}
	return step;
}

static enum step
take_meta_get(struct session *session, struct asked *asked, struct span line,
    struct span *rest, uint64_t now_ns)
{
	struct span word = take_word(&line), len, name;
	enum step step;

	if (span_eq(word, span_str("EN"))) {
		session->result->misses++;
		finish(session, now_ns);
		return STEP_TAKEN;
	}
	len = take_word(&line);
	name = take_word(&line);
	if (!span_eq(word, span_str("VA")) || name.len == 0 ||
	    name.p[0] != 'k' || !is_key(span_of(name.p + 1, name.len - 1),
	    asked->keys[0]))
		return STEP_WRONG;
	step = take_value(session, asked->keys[0], len, rest);
	if (step == STEP_TAKEN)
		finish(session, now_ns);
	return step;
}

static enum step
take_line(struct session *session, struct span line, struct span *rest,
    uint64_t now_ns)
{
	struct asked *asked = &session->asked[session->oldest];

	if (session->depth == 0)
		return STEP_WRONG;
	if (span_starts(line, span_str("SERVER_ERROR ")) ||
	    span_starts(line, span_str("CLIENT_ERROR ")) ||
	    span_starts(line, span_str("ERROR"))) {
		session->result->errors++;
		note(session->result, "an error", line);
		finish(session, now_ns);
		return STEP_TAKEN;
	}
	switch (asked->kind) {
	case KIND_GET:
		return take_get(session, asked, line, rest, now_ns);
	case KIND_META_GET:
		return take_meta_get(session, asked, line, rest, now_ns);
	case KIND_SET:
	case KIND_META_SET:
		if (!span_eq(line, span_str(asked->kind == KIND_SET ?
		    "STORED" : "HD")))
			return STEP_WRONG;
		finish(session, now_ns);
		return STEP_TAKEN;
	}
	NEVER();
}

static enum step
take_one(struct session *session, struct span *bytes, uint64_t now_ns)
{
	const char *end = bytes->len == 0 ? NULL :
	    memchr(bytes->p, '\n', bytes->len);
	struct span line, rest;
	enum step step;

	if (end == NULL)
		return STEP_MORE;
	if (end == bytes->p || end[-1] != '\r')
		return STEP_WRONG;
	line = span_of(bytes->p, (size_t)(end - bytes->p) - 1);
	rest = span_of(end + 1, bytes->len - line.len - 2);
	step = take_line(session, line, &rest, now_ns);
	if (step == STEP_TAKEN)
		*bytes = rest;
	return step;
}

static bool
check(struct session *session, uint64_t now_ns)
{
	struct span bytes = span_of(session->in, session->in_len);
	enum step step;

	do {
		step = take_one(session, &bytes, now_ns);
	} while (step == STEP_TAKEN);
	if (step == STEP_WRONG) {
		session->result->wrong++;
		note(session->result, "no reply to what was asked", bytes);
		return false;
	}
	memmove(session->in, bytes.p, bytes.len);
	session->in_len = bytes.len;
	return true;
}

bool
session_read(struct session *session, uint64_t now_ns)
{
	ssize_t n = recv(session->fd, session->in + session->in_len,
	    session->in_room - session->in_len, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return true;
	if (n <= 0) {
		session->result->lost++;
		note(session->result, "the connection was lost",
		    span_str(n == 0 ? "closed" : strerror(errno)));
		return false;
	}
	session->result->bytes += (uint64_t)n;
	session->in_len += (size_t)n;
	return check(session, now_ns);
}
