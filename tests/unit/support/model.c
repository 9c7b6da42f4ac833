/* Foretelling answers. */
#include "model.h"

#include <string.h>

#include "base/num.h"
#include "proto/answer.h"
#include "proxy/local.h"
#include "version.h"

#define BODY_END_LEN 2

/* Bytes of a get line that every configuration here takes. */
#define LINE_SIZE 65536

void
model_init(struct model *model, struct cache *cache, uint64_t value_size)
{
	*model = (struct model){.cache = cache, .value_size = value_size};
}

void
model_fini(struct model *model)
{
	bytes_free(&model->in);
	bytes_free(&model->due);
}

bool
model_is_silent(const struct request *req, struct span reply)
{
	struct span word = span_of(reply.p, reply.len < 2 ? reply.len : 2);
	bool is_hd = span_eq(word, span_str("HD"));

	if (req->is_noreply)
		return true;
	if (!req->is_quiet)
		return false;
	switch (req->verb) {
	case VERB_MG:
		return span_eq(word, span_str("EN"));
	case VERB_MA:
		return is_hd || span_eq(word, span_str("VA"));
	default:
		return is_hd;
	}
}

static void
say(struct model *model, const struct request *req, const char *line)
{
	if (!req->is_noreply)
		bytes_say(&model->due, "%s", line);
}

static void
ask_cache(struct model *model, const struct request *req, struct span body)
{
	struct bytes reply = {0};

	cache_do(model->cache, req, body, &reply);
	if (!model_is_silent(req, bytes_span(&reply)))
		bytes_add(&model->due, bytes_span(&reply));
	bytes_free(&reply);
}

/* Takes a storage command. False: its body is not whole. */
static bool
take_store(struct model *model, const struct request *req)
{
	uint64_t size = req->body_len + BODY_END_LEN;
	const char *body = model->in.p + req->line_len;

	if (req->body_len > model->value_size) {
		bytes_drop(&model->in, req->line_len);
		model->skip = size;
		return true;
	}
	if (model->in.len - req->line_len < size)
		return false;
	if (memcmp(body + req->body_len, "\r\n", BODY_END_LEN) != 0)
		say(model, req, ANSWER_BAD_CHUNK);
	else
		ask_cache(model, req, span_of(body, (size_t)req->body_len));
	bytes_drop(&model->in, req->line_len + (size_t)size);
	return true;
}

/* memcached lets go of what a value that was too large should replace. */
static void
refuse_too_large(struct model *model, const struct request *req)
{
	if (req->verb == VERB_SET || req->verb == VERB_MS)
		cache_delete(model->cache, req);
	say(model, req, ANSWER_TOO_LARGE);
}

static void
take_verbosity(struct model *model, const struct request *req)
{
	struct span rest = req->args, word;
	uint64_t n;

	say(model, req, request_next_word(&rest, &word) &&
	    num_parse_u64_max(word, UINT32_MAX, &n) ? ANSWER_OK :
	    ANSWER_BAD_FORMAT);
}

static void
take_plain(struct model *model, const struct request *req)
{
	switch (req->verb) {
	case VERB_VERSION:
		bytes_say(&model->due, "VERSION " LOCAL_MEMCACHED_VERSION
		    " fairlead-" FAIRLEAD_VERSION "\r\n");
		return;
	case VERB_VERBOSITY:
		take_verbosity(model, req);
		return;
	case VERB_QUIT:
		model->state = MODEL_CLOSED;
		return;
	case VERB_STATS:
	case VERB_CONFIG:
		model->state = MODEL_LOST;
		return;
	case VERB_FLUSH_ALL:
		say(model, req, "CLIENT_ERROR flush_all not allowed\r\n");
		return;
	default:
		if (!req->is_noreply)
			bytes_say(&model->due, "CLIENT_ERROR %s is not allowed "
			    "through this proxy\r\n", verb_name(req->verb));
		return;
	}
}

/*
 * Whether so long a line depends on how it is cut: at once it is taken, in
 * pieces it may be hung up on.
 */
static bool
depends_on_cuts(const struct model *model, size_t line_len)
{
	return !request_may_grow(span_of(model->in.p, line_len), LINE_SIZE);
}

/* Takes a command without a body. */
static void
take_command(struct model *model, const struct request *req)
{
	if (req->verb == VERB_MN)
		bytes_say(&model->due, ANSWER_NOOP);
	else if (verb_shape(req->verb) == VERB_SHAPE_PLAIN)
		take_plain(model, req);
	else
		ask_cache(model, req, span_of("", 0));
	bytes_drop(&model->in, req->line_len);
}

/* Takes one command. False: the rest has not come yet. */
static bool
take_one(struct model *model)
{
	struct request req;

	if (model->ncommands == 0 &&
	    request_foreign(model->in.p[0]) != NULL) {
		model->state = MODEL_CLOSED;
		return false;
	}
	switch (request_parse(bytes_span(&model->in), &req)) {
	case REQUEST_MORE:
		if (depends_on_cuts(model, model->in.len))
			model->state = MODEL_LOST;
		return false;
	case REQUEST_CLOSE:
		model->state = MODEL_CLOSED;
		return false;
	case REQUEST_REFUSED:
		if (depends_on_cuts(model, req.line_len))
			model->state = MODEL_LOST;
		if (req.error != NULL)
			bytes_say(&model->due, "%s", req.error);
		bytes_drop(&model->in, req.line_len);
		model->skip = req.skip;
		break;
	case REQUEST_OK:
		if (depends_on_cuts(model, req.line_len))
			model->state = MODEL_LOST;
		else if (!req.has_body)
			take_command(model, &req);
		else {
			if (req.body_len > model->value_size)
				refuse_too_large(model, &req);
			if (!take_store(model, &req))
				return false;
		}
		break;
	}
	model->ncommands++;
	return true;
}

static void
take_skip(struct model *model)
{
	size_t n = model->in.len;

	if (n > model->skip)
		n = (size_t)model->skip;
	bytes_drop(&model->in, n);
	model->skip -= n;
}

void
model_feed(struct model *model, struct span bytes)
{
	bytes_add(&model->in, bytes);
	while (model->state == MODEL_OPEN) {
		take_skip(model);
		if (model->skip > 0 || model->in.len == 0 || !take_one(model))
			return;
	}
}
