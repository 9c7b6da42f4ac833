/* The replies of the load: whether they may answer what was asked. */
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "base/num.h"
#include "base/span.h"
#include "talk_state.h"

enum step {
	STEP_TAKEN,		/* a reply, or one value of it, is done */
	STEP_MORE,		/* the rest has not come yet */
	STEP_OUT_OF_PLACE,	/* no reply to what was asked */
};

/* What is looked at: the next line, and all that has come behind it. */
struct view {
	struct span	line;		/* without its end */
	struct span	rest;
};

static bool
is_word(struct span line, const char *word)
{
	return span_eq(line, span_str(word));
}

/* Takes the bytes up to the next blank, and the blank, off `line`. */
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

static bool
is_key(struct span word, uint32_t n)
{
	char key[VALUE_KEY_SIZE];
	size_t len = value_key(key, n);

	return span_eq(word, span_of(key, len));
}

static void
finish(struct talk *talk)
{
	talk->oldest = (talk->oldest + 1) % TALK_DEPTH_MAX;
	talk->outstanding--;
	talk->tally->requests++;
}

static void
check_value(struct talk *talk, struct span value, uint32_t n)
{
	char what[64];

	talk->tally->hits++;
	if (value_is_right(value.p, value.len, n))
		return;
	talk->tally->wrong++;
	snprintf(what, sizeof(what), "wrong value of key %u", n);
	talk_note(talk, what, value.p, value.len);
}

/* Checks the value behind the line, whose length is the word `len_word`. */
static enum step
step_value(struct talk *talk, struct view *view, struct span len_word,
    uint32_t n)
{
	uint64_t len;

	if (!num_parse_u64_max(len_word, VALUE_MAX_LEN, &len))
		return STEP_OUT_OF_PLACE;
	if (view->rest.len < len + 2)
		return STEP_MORE;
	if (memcmp(view->rest.p + len, "\r\n", 2) != 0)
		return STEP_OUT_OF_PLACE;
	check_value(talk, span_of(view->rest.p, len), n);
	view->rest = span_of(view->rest.p + len + 2, view->rest.len - len - 2);
	return STEP_TAKEN;
}

/* "VALUE key flags length", of this key or, after misses, a later one. */
static enum step
step_get_value(struct talk *talk, struct request *req, struct view *view)
{
	struct span line = view->line, key;
	unsigned at = req->next;
	enum step step;

	if (!is_word(take_word(&line), "VALUE"))
		return STEP_OUT_OF_PLACE;
	key = take_word(&line);
	while (at < req->nkeys && !is_key(key, req->keys[at]))
		at++;
	if (at == req->nkeys || !is_word(take_word(&line), "0"))
		return STEP_OUT_OF_PLACE;
	step = step_value(talk, view, line, req->keys[at]);
	if (step == STEP_TAKEN) {
		talk->tally->misses += at - req->next;
		req->next = at + 1;
	}
	return step;
}

static enum step
step_get(struct talk *talk, struct request *req, struct view *view)
{
	if (!is_word(view->line, "END"))
		return step_get_value(talk, req, view);
	talk->tally->misses += req->nkeys - req->next;
	finish(talk);
	return STEP_TAKEN;
}

/* "VA length kKEY", or "EN", perhaps with the key. */
static enum step
step_meta_get(struct talk *talk, struct request *req, struct view *view)
{
	struct span line = view->line, word = take_word(&line), len, key;
	enum step step;

	if (is_word(word, "EN")) {
		talk->tally->misses++;
		finish(talk);
		return STEP_TAKEN;
	}
	len = take_word(&line);
	key = take_word(&line);
	if (!is_word(word, "VA") || key.len < 1 || key.p[0] != 'k' ||
	    !is_key(span_of(key.p + 1, key.len - 1), req->keys[0]))
		return STEP_OUT_OF_PLACE;
	step = step_value(talk, view, len, req->keys[0]);
	if (step == STEP_TAKEN)
		finish(talk);
	return step;
}

static bool
fits(enum kind kind, struct span line)
{
	switch (kind) {
	case KIND_SET:
		return is_word(line, "STORED");
	case KIND_META_SET:
		return is_word(line, "HD");
	case KIND_DELETE:
		return is_word(line, "DELETED") || is_word(line, "NOT_FOUND");
	case KIND_TOUCH:
		return is_word(line, "TOUCHED") || is_word(line, "NOT_FOUND");
	case KIND_NOOP:
		return is_word(line, "MN");
	case KIND_GET:
	case KIND_META_GET:
		return false;
	}
	NEVER();
}

static enum step
step_line(struct talk *talk, struct request *req, struct view *view)
{
	if (!fits(req->kind, view->line))
		return STEP_OUT_OF_PLACE;
	if (req->kind == KIND_SET || req->kind == KIND_META_SET)
		talk->tally->stored++;
	finish(talk);
	return STEP_TAKEN;
}

/* One step through `bytes`, which it takes what it used from. */
static enum step
step_once(struct talk *talk, struct span *bytes)
{
	const char *end = bytes->len == 0 ? NULL :
	    memchr(bytes->p, '\n', bytes->len);
	struct request *req = &talk->ring[talk->oldest];
	struct view view;
	enum step step;
	size_t len;

	if (end == NULL)
		return STEP_MORE;
	len = (size_t)(end - bytes->p);
	if (len == 0 || end[-1] != '\r' || talk->outstanding == 0)
		return STEP_OUT_OF_PLACE;
	view.line = span_of(bytes->p, len - 1);
	view.rest = span_of(end + 1, bytes->len - len - 1);
	if (req->kind == KIND_GET)
		step = step_get(talk, req, &view);
	else if (req->kind == KIND_META_GET)
		step = step_meta_get(talk, req, &view);
	else
		step = step_line(talk, req, &view);
	if (step == STEP_TAKEN)
		*bytes = view.rest;
	return step;
}

bool
check_replies(struct talk *talk)
{
	struct span bytes = span_of(talk->in, talk->in_len);
	enum step step;

	do
		step = step_once(talk, &bytes);
	while (step == STEP_TAKEN);
	if (step == STEP_OUT_OF_PLACE || bytes.len == BUFFER_SIZE) {
		talk_note(talk, "out of place", bytes.p, bytes.len);
		talk->tally->errors++;
		return false;
	}
	memmove(talk->in, bytes.p, bytes.len);
	talk->in_len = bytes.len;
	return true;
}
