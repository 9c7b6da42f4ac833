/* Writing request lines. */
#include "proxy/compose.h"

#include <string.h>

#include "base/num.h"

struct writer {
	char	*out;
	size_t	 len;
};

static void
put(struct writer *w, struct span bytes)
{
	MUST(w->len + bytes.len <= COMPOSE_LINE_MAX);
	memcpy(w->out + w->len, bytes.p, bytes.len);
	w->len += bytes.len;
}

static void
put_word(struct writer *w, struct span word)
{
	put(w, span_of(" ", 1));
	put(w, word);
}

static void
put_number(struct writer *w, uint64_t n)
{
	char digits[NUM_U64_MAX_LEN];

	put_word(w, span_of(digits, num_put_u64(digits, n)));
}

static void
put_signed(struct writer *w, int64_t n)
{
	char digits[NUM_U64_MAX_LEN + 1] = "-";
	size_t sign = n < 0 ? 1 : 0;
	uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	put_word(w, span_of(digits, sign + num_put_u64(digits + sign, size)));
}

static size_t
finish(struct writer *w)
{
	put(w, span_of("\r\n", 2));
	return w->len;
}

/* The flags, save q: a reply is always wanted. */
static void
put_meta_flags(struct writer *w, struct span flags)
{
	struct span flag;

	while (request_next_word(&flags, &flag)) {
		if (flag.p[0] != 'q')
			put_word(w, flag);
	}
}

size_t
compose_delete(struct span key, char *out)
{
	static const struct span noreply = SPAN_LIT("noreply");
	struct writer w = {.out = out};

	put(&w, span_str("delete"));
	put_word(&w, key);
	/* As a line's last word it would be taken for the option. */
	if (span_eq(key, noreply))
		put_word(&w, span_of("0", 1));
	return finish(&w);
}

size_t
compose_delete_base64(struct span key, char *out)
{
	struct writer w = {.out = out};

	put(&w, span_str("md"));
	put_word(&w, key);
	put_word(&w, span_of("b", 1));
	return finish(&w);
}

size_t
compose_keys_head(enum verb verb, int64_t exptime, char *out)
{
	struct writer w = {.out = out};

	put(&w, span_str(verb_name(verb)));
	if (verb_shape(verb) == VERB_SHAPE_GAT)
		put_signed(&w, exptime);
	return w.len;
}

static size_t
compose_store(const struct request *req, struct writer *w)
{
	put_word(w, req->key);
	put_number(w, req->client_flags);
	put_signed(w, req->exptime);
	put_number(w, req->body_len);
	if (req->verb == VERB_CAS)
		put_number(w, req->cas_unique);
	return finish(w);
}

size_t
compose_request(const struct request *req, char *out)
{
	struct writer w = {.out = out};

	put(&w, span_str(verb_name(req->verb)));
	switch (verb_shape(req->verb)) {
	case VERB_SHAPE_GET:
		put_word(&w, req->key);
		return finish(&w);
	case VERB_SHAPE_GAT:
		put_signed(&w, req->exptime);
		put_word(&w, req->key);
		return finish(&w);
	case VERB_SHAPE_STORE:
	case VERB_SHAPE_CAS:
		return compose_store(req, &w);
	case VERB_SHAPE_DELETE:
		return compose_delete(req->key, out);
	case VERB_SHAPE_COUNT:
		put_word(&w, req->key);
		put_number(&w, req->delta);
		return finish(&w);
	case VERB_SHAPE_TOUCH:
		put_word(&w, req->key);
		put_signed(&w, req->exptime);
		return finish(&w);
	case VERB_SHAPE_META:
		put_word(&w, req->key);
		put_meta_flags(&w, req->meta_flags);
		return finish(&w);
	case VERB_SHAPE_META_SET:
		put_word(&w, req->key);
		put_number(&w, req->body_len);
		put_meta_flags(&w, req->meta_flags);
		return finish(&w);
	case VERB_SHAPE_META_NOOP:
	case VERB_SHAPE_PLAIN:
		break;
	}
	NEVER();
}

size_t
compose_memory(const struct request *req, char *out)
{
	struct writer w = {.out = out};

	put(&w, req->key);
	if (req->verb == VERB_MG)
		put_meta_flags(&w, req->meta_flags);
	return w.len;
}

size_t
compose_again(const struct txn *txn, char *out)
{
	struct writer w = {.out = out};

	w.len = compose_keys_head(txn->verb, txn->exptime, out);
	put_word(&w, span_of(txn->text, txn->text_len));
	return finish(&w);
}

size_t
compose_meta_miss(struct span memory, char *out)
{
	struct writer w = {.out = out};
	struct span key, flag, flags = memory;
	bool has_key;

	has_key = request_next_word(&flags, &key);
	MUST(has_key);
	put(&w, span_str("EN"));
	while (request_next_word(&flags, &flag)) {
		if (flag.p[0] == 'O' || flag.p[0] == 'b')
			put_word(&w, flag);
		else if (flag.p[0] == 'k') {
			put_word(&w, span_of("k", 1));
			put(&w, key);
		}
	}
	return finish(&w);
}
